// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/stayed.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "base/misuse.hpp"

namespace myr::cluster::mpi {

namespace {

const char* reason(Stayed::Why why) {
  switch (why) {
    case Stayed::Why::MoreThanBytes:
      return "its function, or what it names, is more than bytes, as a std::vector itself; name "
             "its "
             "elements by a span";
    case Stayed::Why::InKeptRegion:
      return "it names a region with objects that own memory elsewhere";
    case Stayed::Why::CannotTravel:
      return "its function, or the memory that it names, cannot be sent";
  }
  return "";
}

}  // namespace

std::string Stayed::warning() const {
  constexpr std::uint64_t kFew = 64;  // too few to matter, perhaps
  constexpr std::size_t kLinesMost = 3;
  if (count_ < kFew || 2 * count_ <= task_count_) return {};
  std::vector<std::pair<std::uint64_t, std::pair<Why, const myr_site*>>> lines;
  for (const auto& [line, count] : by_line_) lines.emplace_back(count, line);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::string text = base::format(
      "{} of {} tasks that main's process spawned had to run there, and not in parallel:", count_,
      task_count_);
  for (std::size_t i = 0; i < lines.size() && i < kLinesMost; ++i) {
    const auto& [why, site] = lines[i].second;
    text += base::format("{} {} spawned at {} ({})", i == 0 ? "" : ";", lines[i].first,
                         base::describe(site), reason(why));
  }
  return lines.size() > kLinesMost ? text + "; ..." : text;
}

}  // namespace myr::cluster::mpi
