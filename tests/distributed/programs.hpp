// SPDX-License-Identifier: Apache-2.0
// Runs the programs for several ranks on simulated ranks, from file to file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <apps/common/array_writer.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/simulated_ranks.hpp>
#include <tests/apps/common/scratch.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {

/// Runs a program for the files "in" and "out" of a directory.
using rank_program =
    std::function<void(ranks const&, std::string const& in, std::string const& out)>;

/// The bytes of a file of items, as `array_writer` makes it.
template <class T>
std::string file_of(std::vector<T> const& items, std::string const& name) {
  scratch_directory const dir;
  apps::write_array<T>(dir / name, items, apps::file_format::raw);
  return read_bytes(dir / name);
}

/// The name of the output for an input: in the same format, except matrices.
inline std::string output_of(std::string const& name) {
  return name.ends_with(".mtx") ? "out.npy" : "out-" + name;
}

/// Runs the program on each number of ranks; every output must have the `expected` bytes.
inline void check_outputs(std::string const& name, std::string const& input,
                          std::string const& expected, rank_program const& run) {
  for (int const p : {1, 2, 3, 4, 7, 64}) {
    INFO("ranks " << p);
    scratch_directory const dir;
    write_bytes(dir / name, input);
    simulated_ranks(p, static_cast<std::uint64_t>(p)).run([&](communicator const& comm) {
      run(ranks{comm, engine::cpu(1)}, dir / name, dir / output_of(name));
    });
    bool const same = read_bytes(dir / output_of(name)) == expected;
    CHECK(same);
    CHECK(dir.entries() == 2);
  }
}

/// Lets each send of each of three ranks fail once.
inline void check_failures(std::string const& name, std::string const& input,
                           rank_program const& run) {
  scratch_directory const dir;
  write_bytes(dir / name, input);
  auto const body = [&](communicator const& comm) {
    run(ranks{comm, engine::cpu(1)}, dir / name, dir / output_of(name));
  };
  simulated_ranks counting(3, 1);
  counting.run(body);
  for (int rank = 0; rank < 3; ++rank) {
    // The last send tells that the output has its name.
    for (index_t send = 0; send + 1 < counting.sends(rank); ++send) {
      INFO("rank " << rank << ", send " << send << " of " << counting.sends(rank));
      std::filesystem::remove(dir / output_of(name));
      simulated_ranks failing(3, static_cast<std::uint64_t>(send));
      failing.fail(rank, send);
      for (auto const& outcome : failing.outcomes(body)) CHECK(outcome != nullptr);
      CHECK(dir.entries() == 1);
    }
  }
}

/// A program with these arguments besides its files.
template <class Arguments, class Run>
rank_program with(Arguments arguments, Run run) {
  return [=](ranks const& on, std::string const& in, std::string const& out) {
    Arguments mine = arguments;
    mine.input = in;
    mine.output = out;
    mine.common.type = apps::dtype::i32;
    run(on, mine);
  };
}

}  // namespace libscan::test
