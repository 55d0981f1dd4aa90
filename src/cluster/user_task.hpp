// SPDX-License-Identifier: Apache-2.0
//
// UserTask: a task of the user's program on a machine of agents: what to call with which arguments,
// where it was spawned, and the failures of its children. Schedulers carry its address as the
// `program` of a proto::Task and do not look into it.
//
//   +--------+---------------+----------------+
//   | header | closure bytes | myr_access ... |
//   +--------+---------------+----------------+
//
// Threads: until it is spawned the spawning one; then the one that runs it. Its children report
// failures from anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/access_text.hpp"
#include "base/failure.hpp"
#include "cluster/byte_cover.hpp"
#include "myr/myr.h"
#include "proto/messages.hpp"
#include "sync/atomic.hpp"
#include "sync/events.hpp"
#include "trace/task_id.hpp"

namespace myr::cluster {

// An exception that a task let out.
struct Failure {
  proto::SerialTime time;  // when the serial program would throw it
  base::Failure what;
};

class UserTask;
// Lets go of what make() and spawn counted.
struct LetGo {
  void operator()(UserTask* task) const noexcept;
};
using UserTaskPtr = std::unique_ptr<UserTask, LetGo>;

class alignas(16) UserTask {
 public:
  // A child of `parent`, of which it keeps hold; nullptr: main. The room for accesses follows the
  // closure. nullptr: no memory.
  [[nodiscard]] static UserTaskPtr make(UserTask* parent, std::size_t closure_bytes,
                                        std::size_t access_count) noexcept;
  UserTask(const UserTask&) = delete;
  UserTask& operator=(const UserTask&) = delete;

  [[nodiscard]] void* closure() noexcept { return this + 1; }
  [[nodiscard]] myr_access* accesses() noexcept {
    return reinterpret_cast<myr_access*>(static_cast<std::byte*>(closure()) + closure_room_);
  }
  [[nodiscard]] std::span<const myr_access> arguments() const noexcept {
    return {const_cast<UserTask*>(this)->accesses(), access_count_};
  }
  [[nodiscard]] std::uint32_t access_count() const noexcept { return access_count_; }
  [[nodiscard]] bool is_main() const noexcept { return parent_ == nullptr; }
  [[nodiscard]] base::Footprint footprint() noexcept { return {site, accesses(), access_count_}; }

  // Calls the function or the body. What it throws becomes a failure. If the task is cancelled,
  // only lets go of what the closure holds.
  void call() noexcept;
  // The task throws; for its parent, or the nearest task above that has not ended, to take.
  void fail(base::Exception exception) noexcept;
  // The body has ended: failures that it did not take are for those above.
  void end() noexcept;
  // The first in the serial program of those that have come since the last call, or nullptr.
  [[nodiscard]] std::unique_ptr<Failure> take_failure() noexcept;

  // The bytes against what it declared as bytes. What it holds by regions only their owners know.
  [[nodiscard]] ByteCover::Answer cover(const myr_access& access);
  // Was one of the regions among its accesses cancelled?
  [[nodiscard]] bool is_cancelled() const;
  // Is the region, or the object, one of its arguments?
  [[nodiscard]] bool has_argument(const myr_access& whole) const;
  // May it allocate in the region? True: main, or it has been found to be so. False: nobody knows.
  [[nodiscard]] bool may_change(myr_region region) const;
  void found_may_change(myr_region region);
  // So many regions it remembers to have been found so.
  static constexpr std::size_t kChangeableKnown = 4096;
  [[nodiscard]] std::size_t changeable_count() const noexcept { return changeable_.size(); }
  // The task has freed the region: of the last few of these it knows without asking anybody.
  void freed(myr_region region);
  [[nodiscard]] bool has_freed(myr_region region) const;

  myr_body body = nullptr;          // of a front end
  myr_function function = nullptr;  // of the C interface, if there is no body
  const myr_site* site = nullptr;
  proto::TaskId id = 0;  // once it runs
  trace::TaskId name = trace::TaskId::main();
  proto::SerialClock clock;                 // of the body
  std::unique_ptr<sync::EventHolder> held;  // if it has events
  bool lends_stack = false;                 // children may use its local variables
  bool is_replayed = false;                 // of a step: it runs its children by itself
  bool has_spawned = false;                 // children, ever                 // it has had children

 private:
  friend LetGo;
  UserTask(UserTask* parent, std::size_t closure_room, std::size_t access_count) noexcept;
  ~UserTask() = default;
  // False: the body has ended, and there are others above.
  [[nodiscard]] bool accept(std::unique_ptr<Failure>& failure) noexcept;
  static void report(UserTask* first, std::unique_ptr<Failure> failure) noexcept;

  UserTask* parent_;
  std::size_t closure_room_;
  std::uint32_t access_count_;
  sync::Atomic<std::uint32_t> holders_{1};  // [cluster.user_task]
  std::mutex failures_;                     // guards the two below
  std::unique_ptr<Failure> failure_;
  bool has_ended_ = false;
  std::unique_ptr<ByteCover> cover_;  // from when it is first needed
  std::unordered_set<myr_region> changeable_;
  std::vector<myr_region> freed_;
  std::size_t freed_count_ = 0;
};

}  // namespace myr::cluster
