// SPDX-License-Identifier: Apache-2.0
#include "proto/serial_time.hpp"

#include <algorithm>

#include "sync/atomic.hpp"

namespace myr::proto {

struct SerialTime::Scope {
  SerialTime outer;     // when the task is spawned
  std::uint32_t depth;  // one more than that of the scope around it
  const Scope* far;     // a scope further out, which this one keeps; nullptr: main's
  sync::Atomic<std::uint64_t> holders{1};  // [proto.serial_time]
};

SerialTime::SerialTime(const SerialTime& other) noexcept
    : scope_(other.scope_), count_(other.count_) {
  // [proto.serial_time] The other time holds it meanwhile.
  if (scope_ != nullptr) scope_->holders.fetch_add(1, sync::relaxed);
}

// Up the scopes that nobody else holds any more; not by recursion, as they may be many.
SerialTime::~SerialTime() {
  while (scope_ != nullptr) {
    // [proto.serial_time] release: what this thread has read is read; acquire: the last one frees
    // after all others.
    if (scope_->holders.fetch_sub(1, sync::acq_rel) != 1) return;
    Scope* const above = std::exchange(scope_->outer.scope_, nullptr);
    delete std::exchange(scope_, above);
  }
}

std::uint32_t SerialTime::depth_of(const Scope* scope) noexcept {
  return scope == nullptr ? 0 : scope->depth;
}
std::uint32_t SerialTime::depth() const noexcept { return depth_of(scope_); }
const SerialTime::Scope* SerialTime::above(const Scope* scope) noexcept {
  return scope == nullptr ? nullptr : scope->outer.scope_;
}
const SerialTime::Scope* SerialTime::far_above(const Scope* scope) noexcept {
  return scope == nullptr ? nullptr : scope->far;
}

// After two jumps of equal length one of twice and one more, else the next one: then there is a
// short way to each depth (Myers 1983).
SerialTime SerialTime::inside() const {
  const Scope* const near = scope_;
  const Scope* const far = far_above(near);
  const bool is_even = depth_of(near) - depth_of(far) == depth_of(far) - depth_of(far_above(far));
  return {new Scope{.outer = *this, .depth = depth() + 1, .far = is_even ? far_above(far) : near},
          0};
}

SerialTime SerialTime::spawn() noexcept {
  SerialTime child = *this;
  child.count_ += 1;
  count_ += 2;
  return child;
}

// REQUIRES: the scope is at least that deep.
const SerialTime::Scope* SerialTime::climb(const Scope* scope, std::uint32_t depth) noexcept {
  while (depth_of(scope) > depth) {
    scope = depth_of(far_above(scope)) >= depth ? far_above(scope) : above(scope);
  }
  return scope;
}

int SerialTime::compare(const SerialTime& a, const SerialTime& b) noexcept {
  const auto sign = [](auto one, auto other) { return one < other ? -1 : one > other ? 1 : 0; };
  if (a.scope_ == b.scope_) return sign(a.count_, b.count_);
  // Where one is within the other, the outer one is earlier.
  int order = sign(a.depth(), b.depth());
  const std::uint32_t depth = std::min(a.depth(), b.depth());
  const auto at_depth = [depth](const SerialTime& time) {
    return time.depth() == depth ? &time : &climb(time.scope_, depth + 1)->outer;
  };
  const SerialTime* one = at_depth(a);
  const SerialTime* other = at_depth(b);
  // The outermost difference counts.
  for (;;) {
    if (const int here = sign(one->count_, other->count_); here != 0) order = here;
    if (one->scope_ == other->scope_) return order;
    one = &one->scope_->outer;
    other = &other->scope_->outer;
  }
}

std::vector<std::uint64_t> SerialTime::counts() const {
  std::vector<std::uint64_t> counts;
  for (const SerialTime* time = this;; time = &time->scope_->outer) {
    counts.push_back(time->count_);
    if (time->scope_ == nullptr) break;
  }
  std::reverse(counts.begin(), counts.end());
  return counts;
}

SerialTime SerialTime::of_counts(std::span<const std::uint64_t> counts) {
  SerialTime time;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i != 0) time = time.inside();
    time.count_ = counts[i];
  }
  return time;
}

}  // namespace myr::proto
