// SPDX-License-Identifier: Apache-2.0
#include "check/history.hpp"

#include <algorithm>

namespace myr::check {

void History::enter(std::uint64_t begin, std::uint64_t end, const User& user, bool waits) {
  base::ByteMap<Users>& map = user.note == kDeclared ? declared_ : noted_;
  map.change(begin, end, [&](auto& piece) {
    Users& users = piece.value;
    if (user.way == Way::Writes && waits) {
      users.last.assign(1, user);
      users.since.clear();
      return;
    }
    const auto is_same = [&](const User& other) {
      return other.task == user.task && other.way == user.way;
    };
    if (std::none_of(users.since.begin(), users.since.end(), is_same)) users.since.push_back(user);
  });
}

}  // namespace myr::check
