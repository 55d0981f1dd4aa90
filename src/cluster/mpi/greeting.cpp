// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/greeting.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/format.hpp"
#include "plat/cpu_mask.hpp"

namespace myr::cluster::mpi {

namespace {

// The first line in which they differ.
std::string difference(std::string_view mine, std::string_view other) {
  const auto [at, unused] = std::mismatch(mine.begin(), mine.end(), other.begin(), other.end());
  const auto line_at = [](std::string_view text, std::size_t position) {
    const std::size_t before =
        position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    return std::string(text.substr(first, text.find('\n', first) - first));
  };
  const auto position = static_cast<std::size_t>(at - mine.begin());
  return base::format("{} there, {} here", line_at(other, position), line_at(mine, position));
}

}  // namespace

std::optional<std::string> mistake_in(std::span<const Greeting> ranks) {
  const Greeting& first = ranks.front();
  const bool are_one =
      std::any_of(ranks.begin(), ranks.end(), [](const Greeting& one) { return one.is_of_job; });
  for (std::size_t rank = 1; are_one && rank < ranks.size(); ++rank) {
    const Greeting& other = ranks[rank];
    if (other.environment != first.environment) {
      return base::format(
          "rank {} has been told something else than rank 0: {}; all ranks need the same "
          "variables. Open MPI's launcher hands MYR_ON on to other computers with `-x MYR_ON`",
          rank, difference(first.environment, other.environment));
    }
    if (other.program != first.program) {
      return base::format(
          "rank {} runs another build of the program or of its libraries than rank 0: {}; all "
          "ranks need the same files",
          rank, difference(first.program, other.program));
    }
  }
  const auto wrong = std::find_if(ranks.begin(), ranks.end(),
                                  [](const Greeting& one) { return !one.error.empty(); });
  if (wrong == ranks.end()) return {};
  if (wrong == ranks.begin()) return wrong->error;
  return base::format("rank {}: {}", wrong - ranks.begin(), wrong->error);
}

std::optional<std::string> remark_on(std::span<const Greeting> ranks) {
  std::map<std::string_view, std::uint64_t> threads;
  for (const Greeting& one : ranks) {
    if (one.processors.empty()) continue;
    const std::uint64_t sharing = threads[one.processors] += one.threads;
    if (sharing <= one.processor_count) continue;
    return base::format(
        "the launcher has bound {} threads for tasks to {}, and the computer has more: with its "
        "option `--bind-to none` they use all",
        sharing,
        one.processor_count == 1 ? "1 processor"
                                 : base::format("{} processors", one.processor_count));
  }
  return {};
}

void set_processors(Greeting& own) {
  plat::CpuMask mask;
  plat::CpuMask launchers;
  if (!mask.read() || !launchers.read(getppid()) || mask.count() >= launchers.count()) return;
  own.processor_count = static_cast<std::uint64_t>(mask.count());
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  own.processors = host.data();
  for (unsigned cpu = 0; cpu < plat::CpuMask::kCpusMax; ++cpu) {
    if (mask.has(cpu)) own.processors += base::format(" {}", cpu);
  }
}

}  // namespace myr::cluster::mpi
