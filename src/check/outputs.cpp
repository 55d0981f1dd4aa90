// SPDX-License-Identifier: Apache-2.0
#include "check/outputs.hpp"

#include <algorithm>
#include <iterator>

#include "base/byte_map.hpp"

namespace myr::check {

namespace {
std::uint8_t& byte_at(std::uint64_t address) noexcept {
  return *reinterpret_cast<std::uint8_t*>(address);
}
Bytes common(const Bytes& one, const Bytes& other) noexcept {
  return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}
}  // namespace

std::vector<Bytes> Outputs::only_written(const myr_access* accesses, std::size_t count) {
  constexpr unsigned kOther = MYR_VALUE | MYR_REGION | MYR_NOTRANSFER | MYR_WEAK | MYR_HELD;
  base::ByteMap<bool> are_written;
  const auto visit = [&](bool only_written, auto visit_bytes) {
    for (std::size_t i = 0; i < count; ++i) {
      const myr_access& access = accesses[i];
      const bool is_one = (access.flags & (MYR_INOUT | kOther)) == MYR_OUT;
      const auto begin = reinterpret_cast<std::uint64_t>(access.address);
      if ((access.flags & MYR_REGION) == 0 && is_one == only_written) {
        visit_bytes(begin, begin + access.bytes);
      }
    }
  };
  visit(true, [&](std::uint64_t begin, std::uint64_t end) {
    are_written.set(begin, std::min(end, begin + kMost), true);
  });
  visit(false, [&](std::uint64_t begin, std::uint64_t end) { are_written.erase(begin, end); });
  std::vector<Bytes> found;
  are_written.visit(0, ~std::uint64_t{0}, [&](std::uint64_t begin, std::uint64_t end, bool) {
    found.push_back({begin, end});
    return true;
  });
  return found;
}

// Values that hardly any program writes: no small number, no character, no byte of an address.
std::uint8_t Outputs::pattern(std::uint64_t address) noexcept {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
  constexpr unsigned kBits = 6;
  return static_cast<std::uint8_t>(0x81 + (address * kMix >> (64 - kBits)));
}

Outputs::ByBegin::iterator Outputs::first_behind(std::uint64_t address) {
  auto at = outputs_.upper_bound(address);
  if (at != outputs_.begin() && std::prev(at)->second.end > address) --at;
  return at;
}

void Outputs::begin(const myr_site* task) { tasks_.push_back({.site = task, .outputs = {}}); }

void Outputs::add(const Bytes& bytes) {
  std::uint64_t at = bytes.begin;
  std::vector<Bytes> free;
  for (auto next = first_behind(at); next != outputs_.end() && next->first < bytes.end; ++next) {
    if (at < next->first) free.push_back({at, next->first});
    at = next->second.end;
  }
  if (at < bytes.end) free.push_back({at, bytes.end});
  for (const Bytes& one : free) add_free(one);
}

void Outputs::add_free(const Bytes& bytes) {
  tasks_.back().outputs.push_back(bytes.begin);
  outputs_[bytes.begin] = {.end = bytes.end,
                           .depth = depth(),
                           .before = {&byte_at(bytes.begin), &byte_at(bytes.end)},
                           .is_written = std::vector<std::uint8_t>(bytes.end - bytes.begin)};
  if (!uses_pattern_) return;
  for (std::uint64_t at = bytes.begin; at != bytes.end; ++at) byte_at(at) = pattern(at);
}

bool Outputs::is_unwritten(const ByBegin::value_type& output, std::uint64_t address) const {
  const auto& [begin, rest] = output;
  const std::uint64_t offset = address - begin;
  const std::uint8_t at_first = uses_pattern_ ? pattern(address) : rest.before[offset];
  return rest.is_written[offset] == 0 && byte_at(address) == at_first;
}

// Are all of the bytes unwritten, or a whole block? Fewer may be padding, or a part of a number
// that is written as another type.
bool Outputs::has_unwritten(const ByBegin::value_type& output, const Bytes& bytes,
                            std::uint64_t block) const {
  bool are_all = true;
  std::uint64_t run = 0;  // of unwritten bytes, up to here
  for (std::uint64_t at = bytes.begin; at != bytes.end; ++at) {
    run = is_unwritten(output, at) ? run + 1 : 0;
    are_all = are_all && run != 0;
    if (run >= block && (at + 1) % block == 0) return true;
  }
  return are_all;
}

// Code whose writes are not reported may have written the pattern by chance: a few bytes that hold
// it beside others that such code has written may have been written by it, too.
void Outputs::restore(ByBegin::value_type& output, const Bytes& bytes) const {
  constexpr std::uint64_t kNoChance = 4;
  auto& [begin, rest] = output;
  const auto is_told = [&](std::uint64_t at) {
    return at < output.first || at >= output.second.end ||
           output.second.is_written[at - output.first] != 0;
  };
  for (std::uint64_t at = bytes.begin; at < bytes.end; ++at) {
    std::uint64_t end = at;
    while (end < bytes.end && is_unwritten(output, end)) ++end;
    if (end - at >= kNoChance || (is_told(at - 1) && is_told(end))) {
      for (std::uint64_t i = at; i < end; ++i) byte_at(i) = rest.before[i - begin];
    }
    at = end;
  }
  std::memset(&rest.is_written[bytes.begin - begin], 1, bytes.end - bytes.begin);
}

Outputs::ByBegin::iterator Outputs::give_back(ByBegin::iterator output) {
  if (!output->second.is_all_written()) restore(*output, {output->first, output->second.end});
  last_ = {};
  return outputs_.erase(output);
}

bool Outputs::end() {
  constexpr std::uint64_t kNumber = 8;
  bool has_left = false;
  for (const std::uint64_t begin : tasks_.back().outputs) {
    const auto output = outputs_.find(begin);
    if (output == outputs_.end() || output->second.depth != depth()) continue;  // given back
    has_left = has_left || (!output->second.is_all_written() &&
                            has_unwritten(*output, {begin, output->second.end}, kNumber));
    give_back(output);
  }
  tasks_.pop_back();
  return has_left;
}

bool Outputs::overlap(const Bytes& bytes) const {
  if (outputs_.empty()) return false;
  const auto at = first_behind(bytes.begin);
  return at != outputs_.end() && at->first < bytes.end;
}

void Outputs::find_and_write(const Bytes& bytes) {
  for (auto at = first_behind(bytes.begin); at != outputs_.end() && at->first < bytes.end; ++at) {
    last_ = {at->first, at->second.end};
    last_written_ = at->second.is_written.data();
    const auto [begin, end] = common(bytes, last_);
    std::memset(last_written_ + (begin - last_.begin), 1, end - begin);
  }
}

bool Outputs::are_written(const Bytes& bytes) const {
  for (auto at = first_behind(bytes.begin); at != outputs_.end() && at->first < bytes.end; ++at) {
    const auto [begin, end] = common(bytes, {at->first, at->second.end});
    for (std::uint64_t i = begin; i != end; ++i) {
      if (is_unwritten(*at, i)) return false;
    }
  }
  return true;
}

std::optional<Outputs::Unwritten> Outputs::read(const Bytes& bytes) {
  constexpr std::uint64_t kLine = 64;  // so much of a structure may be padding
  for (auto at = first_behind(bytes.begin); at != outputs_.end() && at->first < bytes.end; ++at) {
    const Bytes read = common(bytes, {at->first, at->second.end});
    if (has_unwritten(*at, read, kLine)) {
      const std::size_t depth = at->second.depth;
      give_back(bytes);
      return Unwritten{read.begin, depth, tasks_[depth - 1].site};
    }
    restore(*at, read);
  }
  return std::nullopt;
}

void Outputs::give_back(const Bytes& bytes) {
  for (auto at = first_behind(bytes.begin); at != outputs_.end() && at->first < bytes.end;) {
    at = give_back(at);
  }
}

void Outputs::give_back_all() { give_back(Bytes{0, ~std::uint64_t{0}}); }

}  // namespace myr::check
