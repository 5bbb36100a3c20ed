// SPDX-License-Identifier: Apache-2.0
// Runs gnuplot.
#include <apps/histogram/program/picture.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <apps/common/number.hpp>
#include <libscan/core/error.hpp>

extern char** environ;

namespace libscan::apps {
namespace {

/// A file without a name, for the input and output of another program.
class scratch {
 public:
  explicit scratch(std::string const& content = "") : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw error(std::string("cannot make a temporary file: ") + std::strerror(errno));
    bool const written =
        std::fwrite(content.data(), 1, content.size(), file_.get()) == content.size();
    if (!written || std::fflush(file_.get()) != 0) {
      throw error(std::string("cannot write a temporary file: ") + std::strerror(errno));
    }
    std::rewind(file_.get());
  }

  int descriptor() const { return ::fileno(file_.get()); }

  std::string read() {
    std::string text;
    char piece[65536];
    std::rewind(file_.get());
    while (std::size_t const some = std::fread(piece, 1, sizeof piece, file_.get())) {
      text.append(piece, some);
    }
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Runs gnuplot on `script`; its exit status, or -1 if there is no gnuplot.
int run_gnuplot(scratch const& script, scratch const& out, scratch const& words) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, script.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, words.descriptor(), STDERR_FILENO);
  char name[] = "gnuplot";
  char plain[] = "-d";  // without the user's settings
  char* const arguments[] = {name, plain, nullptr};
  pid_t child = 0;
  int const failed = ::posix_spawnp(&child, name, &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Text as a gnuplot string in single quotes, on one line.
std::string quoted(std::string const& text) {
  std::string result = "'";
  for (char const letter : text) {
    if (letter == '\'') result += '\'';
    result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return result + "'";
}

[[noreturn]] void refuse_without_gnuplot() {
  throw error(
      "--svg and --png need gnuplot, which is not installed (Debian: gnuplot-nox); "
      "--plot needs nothing");
}

}  // namespace

void require_gnuplot() {
  if (int const status = run_gnuplot(scratch("exit\n"), scratch(), scratch());
      status == -1 || status == 127) {
    refuse_without_gnuplot();
  }
}

std::string gnuplot_script(chart const& what, picture_format format) {
  std::string script = format == picture_format::svg
                           ? "set terminal svg size 960,600 background rgb 'white'\n"
                           : "set terminal pngcairo size 1280,800 fontscale 1.3\n";
  script += "set title " + quoted(what.title) + " noenhanced\nset xlabel " + quoted(what.values) +
            " noenhanced\nset ylabel " + quoted(what.counts) +
            " noenhanced\nset key off\nset grid y\nset border 3\nset tics nomirror out\n"
            "set style fill solid 0.8\nset encoding utf8\n";
  // Infinite heights cannot be drawn.
  std::vector<bar> bars;
  for (auto const& one : what.bars) {
    if (std::isfinite(one.to - one.from)) bars.push_back(one);
  }
  double least = 0, most = 0;
  bool below = false;
  for (auto const& one : bars) {
    if (!std::isfinite(one.height)) continue;
    below = below || one.height < 0;
    if (one.height > 0 && (least == 0 || one.height < least)) least = one.height;
    most = one.height > most ? one.height : most;
  }
  if (what.log && most > 0) {
    // Bars begin below the lowest one.
    script += "set logscale y\nset yrange [" + number_text(least / 2) + ":" +
              number_text(most * 1.2) + "]\n";
  } else if (!below) {
    script += most > 0 ? "set yrange [0:*]\n" : "set yrange [0:1]\n";
  }
  double const from = bars.empty() ? 0 : bars.front().from;
  double const to = bars.empty() ? 1 : bars.back().to;
  if (from < to) script += "set xrange [" + number_text(from) + ":" + number_text(to) + "]\n";
  script += "$bars << end_of_bars\n";
  for (auto const& one : bars) {
    if (!std::isfinite(one.height) || (what.log && !(one.height > 0))) continue;
    double const middle = one.from / 2 + one.to / 2;
    script += number_text(middle) + " " + number_text(one.height) + " " +
              number_text(one.to - one.from) + "\n";
  }
  if (most == 0) script += number_text(from) + " 0 0\n";
  return script + "end_of_bars\nplot $bars using 1:2:3 with boxes linecolor rgb '#3465a4'\n";
}

void draw_picture(chart const& what, picture_format format, output_file& to) {
  scratch const script(gnuplot_script(what, format));
  scratch out, words;
  int const status = run_gnuplot(script, out, words);
  if (status == -1 || status == 127) refuse_without_gnuplot();
  std::string const picture = out.read();
  bool const good = format == picture_format::svg ? picture.find("</svg>") != std::string::npos
                                                  : picture.starts_with("\x89PNG");
  if (status != 0 || !good) {
    std::string said = words.read();
    for (char& letter : said) letter = letter == '\n' ? ' ' : letter;
    throw error("gnuplot failed with status " + std::to_string(status) + ": " + said);
  }
  to.write(std::as_bytes(std::span<char const>(picture)));
}

}  // namespace libscan::apps
