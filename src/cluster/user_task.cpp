// SPDX-License-Identifier: Apache-2.0
#include "cluster/user_task.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/bits.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::cluster {

namespace {
constexpr std::size_t kFreedKnown = 64;  // a mistake soon after the free is the usual one
constexpr std::size_t kAlignment = 16;   // of closures, and so of what follows
static_assert(sizeof(myr_access) % kAlignment == 0);
}  // namespace

UserTask::UserTask(UserTask* parent, std::size_t closure_room, std::size_t access_count) noexcept
    : parent_(parent),
      closure_room_(closure_room),
      access_count_(static_cast<std::uint32_t>(access_count)) {
  static_assert(sizeof(UserTask) % kAlignment == 0);
  // [cluster.user_task] The caller holds the parent already.
  if (parent != nullptr) parent->holders_.fetch_add(1, sync::relaxed);
}

UserTaskPtr UserTask::make(UserTask* parent, std::size_t closure_bytes,
                           std::size_t access_count) noexcept {
  const std::size_t closure_room = base::round_up(closure_bytes, kAlignment);
  void* memory = ::operator new(sizeof(UserTask) + closure_room + access_count * sizeof(myr_access),
                                std::nothrow);
  if (memory == nullptr) return nullptr;
  return UserTaskPtr(new (memory) UserTask(parent, closure_room, access_count));
}

// Up the parents that nobody else holds any more.
void LetGo::operator()(UserTask* task) const noexcept {
  while (task != nullptr) {
    // [cluster.user_task] release: what this thread did with the task is done; acquire: the last
    // one sees what all others did.
    if (task->holders_.fetch_sub(1, sync::acq_rel) != 1) return;
    UserTask* parent = task->parent_;
    task->~UserTask();
    ::operator delete(task);
    task = parent;
  }
}

void UserTask::call() noexcept {
  try {
    if (is_cancelled()) {
      if (body != nullptr) body(closure(), MYR_CANCELLED);
      return;
    }
    if (body != nullptr) {
      body(closure(), accesses());
    } else {
      function(accesses());
    }
  } catch (...) {
    fail(base::Exception::caught());
  }
}

void UserTask::fail(base::Exception exception) noexcept {
  report(parent_, std::make_unique<Failure>(Failure{clock.now(), {std::move(exception), site}}));
}

void UserTask::end() noexcept {
  std::unique_ptr<Failure> failure;
  {
    const std::scoped_lock lock(failures_);
    has_ended_ = true;
    failure = std::move(failure_);
  }
  if (failure != nullptr) report(parent_, std::move(failure));
}

void UserTask::report(UserTask* first, std::unique_ptr<Failure> failure) noexcept {
  for (UserTask* task = first; !task->accept(failure);) task = task->parent_;
}

bool UserTask::accept(std::unique_ptr<Failure>& failure) noexcept {
  const std::scoped_lock lock(failures_);
  if (has_ended_ && parent_ != nullptr) return false;
  if (failure_ == nullptr || failure->time < failure_->time) failure_ = std::move(failure);
  return true;
}

std::unique_ptr<Failure> UserTask::take_failure() noexcept {
  const std::scoped_lock lock(failures_);
  return std::move(failure_);
}

ByteCover::Answer UserTask::cover(const myr_access& access) {
  if (cover_ == nullptr) cover_ = std::make_unique<ByteCover>(arguments());
  return cover_->look(access);
}

// Which regions lie in a cancelled one only schedulers know.
bool UserTask::is_cancelled() const {
  if (!sync::CancelledRegions::has_some()) return false;
  const std::span<const myr_access> own = arguments();
  return std::any_of(own.begin(), own.end(), [](const myr_access& access) {
    return (access.flags & MYR_REGION) != 0 && sync::CancelledRegions::contains(access.region);
  });
}

bool UserTask::has_argument(const myr_access& whole) const {
  const std::span<const myr_access> own = arguments();
  return std::any_of(own.begin(), own.end(), [&](const myr_access& access) {
    if ((access.flags & MYR_VALUE) != 0) return false;
    if ((access.flags & MYR_REGION) != (whole.flags & MYR_REGION)) return false;
    if ((whole.flags & MYR_REGION) != 0) return access.region == whole.region;
    return access.address == whole.address;
  });
}

bool UserTask::may_change(myr_region region) const {
  if (is_main() || changeable_.contains(region)) return true;
  const std::span<const myr_access> own = arguments();
  return std::any_of(own.begin(), own.end(), [region](const myr_access& access) {
    constexpr unsigned kWritten = MYR_REGION | MYR_OUT;
    return (access.flags & kWritten) == kWritten && access.region == region;
  });
}

// Whoever is forgotten is asked about again.
void UserTask::found_may_change(myr_region region) {
  if (is_main()) return;
  if (changeable_.size() == kChangeableKnown) changeable_.clear();
  changeable_.insert(region);
}

void UserTask::freed(myr_region region) {
  changeable_.erase(region);
  if (freed_.size() < kFreedKnown) freed_.resize(kFreedKnown);
  freed_[freed_count_++ % kFreedKnown] = region;  // 0 is the root, which is never freed
}

bool UserTask::has_freed(myr_region region) const {
  return std::find(freed_.begin(), freed_.end(), region) != freed_.end() && region != MYR_ROOT;
}

}  // namespace myr::cluster
