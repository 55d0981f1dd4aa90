// SPDX-License-Identifier: Apache-2.0
//
// History: for each byte, the task that wrote it last and those that have read it since, as far as
// they have not ended for all to come (Order). Tasks that declare bytes are kept in order by the
// runtime; what they touch without a declaration is not, and is noted with its place, apart from
// what is declared, which it must not hide.
//
// At most kMost users are remembered of those that come in any order, by locks or by atomic
// operations, and of readers that have declared nothing.
//
// Threads: one. Cost: O(log + fragments touched + readers there).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "check/locks.hpp"
#include "check/order.hpp"
#include "myr/myr.h"

namespace myr::check {

// InTurns: in any order with others that do so, one after the other. Together: at the same time.
enum class Way : std::uint8_t { Reads, Writes, InTurns, Together };
[[nodiscard]] inline bool ways_conflict(Way one, Way other) noexcept {
  return one == Way::Writes || other == Way::Writes || one != other;
}

// Bytes or a region, and how they are used.
struct Use {
  std::uint64_t begin;
  std::uint64_t end;  // 0: a region
  myr_region region;
  Way way;
  bool is_weak;               // only what the task spawns waits for it
  bool is_passed_on = false;  // the task itself does not touch it, but what it spawns
  bool is_held = false;       // elements of the container that is the use before
  [[nodiscard]] bool is_region() const noexcept { return end == 0; }
};

class History {
 public:
  using Note = std::uint32_t;  // about an access without a declaration
  static constexpr Note kDeclared = 0;
  static constexpr std::size_t kMost = 64;

  struct User {
    Order::Id task;
    Way way;
    Note note = kDeclared;
    Locks::Set locks = Locks::kNone;  // that it holds
    bool is_shared = false;      // has declared it as concurrent: what conflicts are its touches
    bool is_allocation = false;  // has made it, and not touched it
    bool operator==(const User&) const = default;
  };

  // A user that writes, and holds no lock, comes behind all others, if it waits for them.
  void enter(std::uint64_t begin, std::uint64_t end, const User& user, bool waits = true);
  // Calls visit(first byte, user) for all users that conflict with an access of this way, until it
  // returns false.
  template <class Visit>
  void visit_conflicts(std::uint64_t begin, std::uint64_t end, Way way, Visit&& visit) const;
  void forget(std::uint64_t begin, std::uint64_t end) {
    declared_.erase(begin, end);
    noted_.erase(begin, end);
  }
  void clear() {
    declared_.clear();
    noted_.clear();
  }

 private:
  // Readers, and those that use the bytes together, are all behind the writer.
  struct Users {
    std::vector<User> last = {};  // the writer; none: nobody
    std::vector<User> since = {};
    bool are_readers = true;  // those since
    void enter(const User& user, bool waits);
    // Are these the users that result when `user` comes after `others`?
    [[nodiscard]] bool are(const Users* others, const User& user) const;
  };

  base::ByteMap<Users> declared_;
  base::ByteMap<Users> noted_;
};

template <class Visit>
void History::visit_conflicts(std::uint64_t begin, std::uint64_t end, Way way,
                              Visit&& visit) const {
  bool goes_on = true;
  const auto visit_users = [&](std::uint64_t first, std::uint64_t, const Users& users) {
    for (const std::vector<User>* const some : {&users.last, &users.since}) {
      if (some == &users.since && users.are_readers && way == Way::Reads) continue;
      for (const User& user : *some) {
        goes_on = goes_on && (!ways_conflict(user.way, way) || visit(first, user));
      }
    }
    return goes_on;
  };
  declared_.visit(begin, end, visit_users);
  if (goes_on) noted_.visit(begin, end, visit_users);
}

}  // namespace myr::check
