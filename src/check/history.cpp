// SPDX-License-Identifier: Apache-2.0
#include "check/history.hpp"

namespace myr::check {

void History::enter(std::uint64_t begin, std::uint64_t end, const User& user, bool waits) {
  base::ByteMap<Users>& map = user.note == kDeclared ? declared_ : noted_;
  map.change(begin, end, [&](auto& piece) {
    Users& users = piece.value;
    users.are_readers = user.way == Way::Reads && (users.since.empty() || users.are_readers);
    if (user.way == Way::Writes && user.locks == Locks::kNone) {
      // Those since the writer are before this one, or before what comes after it.
      if (waits) users.last.assign(1, user);
      users.since.clear();
      if (waits) return;
    }
    const bool is_there = !users.since.empty() && users.since.back().task == user.task &&
                          users.since.back().way == user.way &&
                          users.since.back().locks == user.locks;
    if (is_there) return;
    if (user.note != kDeclared && users.since.size() == kMost) users.since.pop_back();
    users.since.push_back(user);
  });
}

}  // namespace myr::check
