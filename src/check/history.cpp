// SPDX-License-Identifier: Apache-2.0
#include "check/history.hpp"

#include <algorithm>

namespace myr::check {

void History::Users::enter(const User& user, bool waits) {
  are_readers = user.way == Way::Reads && (since.empty() || are_readers);
  if (user.way == Way::Writes && user.locks == Locks::kNone) {
    // The users since the last writer come before this one, or before the tasks that come after it.
    if (waits) last.assign(1, user);
    since.clear();
    if (waits) return;
  }
  const bool is_there = !since.empty() && since.back().task == user.task &&
                        since.back().way == user.way && since.back().locks == user.locks;
  if (is_there) return;
  if (user.note != kDeclared && since.size() == kMost) since.pop_back();
  since.push_back(user);
}

// Finds only the cheap cases that occur: one user that writes alone, or one more behind the others.
bool History::Users::are(const Users* others, const User& user) const {
  if (user.way == Way::Writes && user.locks == Locks::kNone) {
    return since.empty() && last.size() == 1 && last.front() == user;
  }
  if (since.empty() || !(since.back() == user)) return false;
  if (others == nullptr) return last.empty() && since.size() == 1;
  const bool reads = user.way == Way::Reads && (others->since.empty() || others->are_readers);
  if (are_readers != reads || others->since.size() + 1 != since.size()) return false;
  return std::equal(others->since.begin(), others->since.end(), since.begin()) &&
         last == others->last;
}

void History::enter(std::uint64_t begin, std::uint64_t end, const User& user, bool waits) {
  // A task that goes through memory without a declaration would leave a piece of the map each time.
  const auto is_alike = [&](const Users& users, const Users* others) {
    return users.are(others, user);
  };
  if (user.note != kDeclared && waits && noted_.take_over(begin, end, is_alike)) return;
  base::ByteMap<Users>& map = user.note == kDeclared ? declared_ : noted_;
  map.change(begin, end, [&](auto& piece) { piece.value.enter(user, waits); });
}

}  // namespace myr::check
