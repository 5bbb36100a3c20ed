// SPDX-License-Identifier: Apache-2.0
// The smallest program on apps/common: copies an array, to test from outside what every program
// inherits. --stop-after N appends N items and then waits for a signal; --fail does so in one of
// the ways a program can.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <apps/common/arguments.hpp>
#include <apps/common/array_writer.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <new>
#include <string>

namespace apps = libscan::apps;

namespace {

void fail_as_asked(std::string const& how) {
  if (how == "unavailable") throw libscan::engine_unavailable("no usable CUDA device: no driver");
  if (how == "device") throw libscan::device_error(2, "a launch failed");
  if (how == "invalid") throw libscan::invalid_argument("threads must not be negative");
  if (how == "memory") throw std::bad_alloc();
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program("array-copy", [&] {
    CLI::App app("Copies an array.", "array-copy");
    apps::common_arguments common;
    std::string input;
    std::string output = "-";
    std::string failure;
    libscan::index_t stop_after = -1;
    app.add_option("input", input, "file to read")->required();
    app.add_option("-o,--output", output, "file to write");
    app.footer(apps::about_text);
    app.add_option("--stop-after", stop_after, "wait for a signal after so many items");
    app.add_option("--fail", failure, "fail in this way");
    apps::add_common_arguments(app, common);
    if (!apps::parse_arguments(app, argc, argv)) return apps::exit_code::done;
    if (failure == "difference") return apps::exit_code::difference;
    fail_as_asked(failure);

    apps::progress meter(common.progress);
    apps::array_writer out(output);
    apps::array const data = apps::read_array(input, common.reading(&meter));
    out.begin(data.type, static_cast<libscan::index_t>(data.count()), data.format);
    std::size_t const item = libscan::size_of(data.type);
    if (stop_after >= 0) {
      out.append(data.type, data.bytes.first(static_cast<std::size_t>(stop_after) * item));
      apps::say("waiting");
      for (;;) ::pause();
    }
    out.append(data.type, data.bytes);
    out.commit();
    apps::report_number("items", data.count());
    apps::report_step("read", 0, data.bytes.size(), std::to_string(data.count()) + " items");
    apps::report_step("copy", 0, 0, "");
    apps::report_step("write", 0, out.bytes_written(), "");
    return apps::exit_code::done;
  });
}
