// SPDX-License-Identifier: Apache-2.0
// Drawing the progress bar.
#include <apps/common/progress.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace libscan::apps {
namespace {

using namespace std::chrono_literals;

/// "12.3 MB"
std::string amount(double bytes) {
  char const* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", unit == 0 ? 0 : 1, bytes, units[unit]);
  return text;
}

}  // namespace

progress::progress(bool forced) : terminal_(::isatty(STDERR_FILENO) == 1), forced_(forced) {}

progress::~progress() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
}

void progress::start(std::string what, std::uint64_t total) {
  if (what != what_) finish();
  active_ = terminal_ || forced_;
  drawn_ = false;
  what_ = std::move(what);
  total_ = total;
  done_ = 0;
  begun_ = shown_ = clock::now();
}

void progress::advance(std::uint64_t bytes) {
  if (!active_) return;
  done_ += bytes;
  clock::time_point const now = clock::now();
  if (now - shown_ < (terminal_ ? 100ms : 1000ms)) return;
  if (terminal_ && now - begun_ < 300ms) return;
  show(now);
}

void progress::finish() {
  if (!active_) return;
  if (!terminal_) show(clock::now());
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
  active_ = drawn_ = false;
}

std::string progress::state(clock::time_point now) const {
  double const seconds = std::max(std::chrono::duration<double>(now - begun_).count(), 1e-6);
  std::string const rate = amount(static_cast<double>(done_) / seconds) + "/s";
  std::string const done = amount(static_cast<double>(done_));
  if (total_ == 0) return done + ", " + rate;
  constexpr double width = 24;
  double const part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  std::string bar(static_cast<std::size_t>(part * width), '#');
  bar.resize(static_cast<std::size_t>(width), '.');
  char percent[16];
  std::snprintf(percent, sizeof percent, "%3.0f %%", 100 * part);
  return "[" + bar + "] " + percent + ", " + done + " of " + amount(static_cast<double>(total_)) +
         ", " + rate;
}

void progress::show(clock::time_point now) {
  shown_ = now;
  drawn_ = true;
  std::string const line = what_ + " " + state(now);
  std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "%s\n", line.c_str());
}

}  // namespace libscan::apps
