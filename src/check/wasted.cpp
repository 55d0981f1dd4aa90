// SPDX-License-Identifier: Apache-2.0
#include "check/wasted.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/contract.hpp"

namespace myr::check {

namespace {
constexpr std::uint64_t kLine = 64;
constexpr std::size_t kPartsMost = 4096;
}  // namespace

std::size_t Wasted::number_of(const std::vector<Use>& uses, std::size_t index) {
  const auto behind = uses.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  const auto count =
      std::count_if(uses.begin(), behind, [](const Use& use) { return !use.is_held; });
  return static_cast<std::size_t>(count) - 1;
}

void Wasted::begin(const myr_site* site, const std::vector<Use>& uses,
                   const std::vector<std::uint32_t>& waits) {
  MYR_ASSERT(waits.size() == uses.size());
  Running task{site, {}, std::vector<Touched>(uses.size())};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::size_t number = number_of(uses, i);
    task.numbers.push_back(number);
    Declared& declared = declared_[{site, number}];
    if (uses[i].is_held) {
      declared.is_container = true;
      continue;
    }
    if (declared.task_count == 0) {
      declared.site = site;
      declared.number = number;
      declared.use = uses[i];
    }
    declared.task_count += 1;
    declared.wait_count += waits[number];
    declared.is_same_memory &= declared.use.begin == uses[i].begin &&
                               declared.use.end == uses[i].end &&
                               declared.use.region == uses[i].region;
  }
  running_.push_back(std::move(task));
}

// A task that reads where the elements of a container are does not use all of it.
void Wasted::touch(std::size_t index, std::uint64_t begin, std::uint64_t end, bool writes) {
  Running& task = running_.back();
  const std::size_t number = task.numbers[index];
  Declared& declared = declared_[{task.site, number}];
  declared.is_used = true;
  declared.is_written |= writes;
  const bool is_itself = index == 0 || task.numbers[index - 1] != number;
  if (declared.is_container && is_itself) {
    declared.are_parts_apart &= !writes;
    return;
  }
  Touched& touched = task.touched[index];
  touched.begin = std::min(touched.begin, begin & ~(kLine - 1));
  touched.end = std::max(touched.end, (end + kLine - 1) & ~(kLine - 1));
}

void Wasted::end() {
  const Running& task = running_.back();
  for (std::size_t i = 0; i < task.touched.size(); ++i) {
    note_part(declared_[{task.site, task.numbers[i]}], task.touched[i]);
  }
  running_.pop_back();
}

void Wasted::note_part(Declared& declared, const Touched& touched) {
  if (!declared.are_parts_apart || touched.end == 0) return;
  const auto next = declared.parts.lower_bound(touched.begin);
  const bool meets_next = next != declared.parts.end() && next->first < touched.end;
  const bool meets_last = next != declared.parts.begin() && std::prev(next)->second > touched.begin;
  if (meets_next || meets_last || declared.parts.size() == kPartsMost) {
    declared.are_parts_apart = false;
    declared.parts.clear();
  } else {
    declared.parts.emplace(touched.begin, touched.end);
  }
}

std::vector<Wasted::Found> Wasted::found() const {
  const auto kind_of = [](const Declared& declared) -> std::optional<Kind> {
    if (!declared.is_used) return Kind::Unused;
    if (declared.use.way != Way::Reads && !declared.is_written) return Kind::OnlyRead;
    const bool is_in_parts = declared.are_parts_apart && declared.parts.size() > 1;
    if (is_in_parts && declared.is_same_memory && declared.wait_count != 0) return Kind::InParts;
    return std::nullopt;
  };
  std::vector<Found> found;
  for (const auto& [key, declared] : declared_) {
    if (const auto kind = kind_of(declared)) found.push_back({*kind, declared});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& one, const Found& other) {
    return one.declared.wait_count > other.declared.wait_count;
  });
  return found;
}

}  // namespace myr::check
