// SPDX-License-Identifier: Apache-2.0
#include "cli/chaos.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string_view>

#include "cli/shell.hpp"
#include "runtime/settings.hpp"

namespace myr::cli {

namespace {

constexpr int kTimedOut = 124;  // of the command timeout
constexpr std::string_view kExact = "smp:1";

// The line that begins there, as it is shown: not all of a long one, but what is around a place,
// and a sign for each byte that a terminal may not like.
std::string shown(std::string_view text, std::size_t begin, std::size_t place) {
  constexpr std::size_t kBefore = 40;
  constexpr std::size_t kMost = 100;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  const std::size_t from = std::max(begin, place - std::min(place, kBefore));
  const std::size_t to = std::min(end, from + kMost);
  std::string line = from == begin ? "" : "... ";
  for (const char letter : text.substr(from, to - from)) {
    line += letter >= ' ' && letter != 127 ? letter : '?';
  }
  return to == end ? line : line + " ...";
}

std::string words_of(const std::vector<std::string>& command) {
  std::string words;
  for (const std::string& word : command) words += ' ' + shell_word(word);
  return words;
}

class Runs {
 public:
  explicit Runs(const std::vector<std::string>& command) : words_(words_of(command)) {}

  // `seconds`: 0 for as long as it takes.
  Output run(std::string_view variables, unsigned seconds) const {
    return run_in_shell(fmt::format("exec env {} timeout --foreground -k 5 {}{} </dev/null",
                                    variables, seconds, words_));
  }
  [[nodiscard]] std::string command(std::string_view variables) const {
    return fmt::format("{}{}", variables, words_);
  }

 private:
  std::string words_;
};

// What is wrong with a run; empty: nothing.
std::string compare(const Output& expected, const Output& found, bool compares_output,
                    unsigned seconds) {
  if (found.status == kTimedOut && expected.status != kTimedOut) {
    return fmt::format("it had not ended after {} s", seconds);
  }
  if (found.status != expected.status) {
    return fmt::format("{}, where the serial run ends with {}", status_text(found.status),
                       status_text(expected.status));
  }
  if (!compares_output || found.text == expected.text) return {};
  return first_difference(expected.text, found.text);
}

void show_progress(unsigned run, unsigned runs, std::uint64_t seed) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\033[Kmyr: run {} of {}, seed {}", run + 1, runs, seed);
}
void clear_progress() {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
}

std::uint64_t any_seed() {
  constexpr std::uint64_t kMost = 999'999;  // easily typed
  std::random_device random;
  return std::uniform_int_distribution<std::uint64_t>(1, kMost)(random);
}

}  // namespace

std::string status_text(int status) {
  constexpr int kSignals = 128;
  if (status > kSignals) return fmt::format("signal {}", status - kSignals);
  return fmt::format("exit status {}", status);
}

std::string why_no_seeds(const std::string& machine) {
  auto choice = runtime::parse_machine(machine);
  if (!choice) return choice.error().text;
  const bool takes_seeds = !choice->is_serial && !choice->is_job && machine != "sim:scc-48" &&
                           !machine.starts_with("sim:scc-48:") && !machine.starts_with("master");
  return takes_seeds ? ""
                     : fmt::format(
                           "the machine '{}' has no random order; expected smp:N, tree:S+W "
                           "or sim:formic-520",
                           machine);
}

std::string first_difference(const std::string& expected, const std::string& found) {
  const auto [one, other] = std::ranges::mismatch(expected, found);
  const auto place = static_cast<std::size_t>(one - expected.begin());
  const std::size_t newline = expected.rfind('\n', place == 0 ? std::string::npos : place - 1);
  const std::size_t begin = place == 0 || newline == std::string::npos ? 0 : newline + 1;
  const auto line =
      1 + std::count(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  return fmt::format("line {} of its output differs\n  serial: {}\n  now:    {}", line,
                     shown(expected, begin, place), shown(found, begin, place));
}

base::Result<ChaosFound> try_orders(const ChaosOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Runs runs(options.command);
  const Clock::time_point begin = Clock::now();
  const Output expected = runs.run("-u MYR_CHAOS MYR_ON=serial", 0);
  const auto spent = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
  constexpr int kCannotRun = 126;  // of the command timeout, as of a shell
  constexpr int kNoSuchProgram = 127;
  if (expected.status < 0 || expected.status == kCannotRun || expected.status == kNoSuchProgram) {
    return base::Error{fmt::format("{} cannot be run", options.command.front())};
  }
  const Output again = runs.run("-u MYR_CHAOS MYR_ON=serial", 0);
  if (expected.status != again.status) {
    return base::Error{fmt::format("two serial runs end differently: with {}, and with {}",
                                   status_text(expected.status), status_text(again.status))};
  }
  constexpr unsigned kLongest = 60;  // seconds, of a program that takes no time serially
  constexpr unsigned kSlower = 100;
  const unsigned seconds = kLongest + kSlower * static_cast<unsigned>(spent.count());

  ChaosFound found{.first_seed = options.seed.value_or(any_seed()),
                   .serial_status = expected.status,
                   .compares_output = expected.text == again.text};
  for (; found.runs < options.runs; ++found.runs) {
    const std::uint64_t seed = found.first_seed + found.runs;
    const auto run_on = [&](std::string_view machine) {
      const Output ran = runs.run(fmt::format("MYR_CHAOS={} MYR_ON={}", seed, machine), seconds);
      return compare(expected, ran, found.compares_output, seconds);
    };
    show_progress(found.runs, options.runs, seed);
    found.difference = run_on(options.machine);
    if (found.difference.empty()) continue;
    found.wrong_seed = seed;
    found.repeats_exactly = !run_on(kExact).empty();
    found.repeat = runs.command(
        fmt::format("MYR_CHAOS={} MYR_ON={}", seed,
                    found.repeats_exactly ? kExact : std::string_view(options.machine)));
    ++found.runs;
    break;
  }
  clear_progress();
  return found;
}

}  // namespace myr::cli
