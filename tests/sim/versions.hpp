// SPDX-License-Identifier: Apache-2.0
//
// What each simulated worker has of each word: workers share no memory, so a task that touches a
// word whose latest version has not been brought to its worker would compute with old data.
#pragma once

#include <map>
#include <utility>

#include "proto/messages.hpp"

namespace myr::sim_test {

class Versions {
 public:
  void write(proto::AgentId worker, std::uint64_t word) {
    has_[{worker, word}] = latest_[word] = ++next_;
  }
  [[nodiscard]] bool is_current(proto::AgentId worker, std::uint64_t word) const {
    const auto latest = latest_.find(word);
    if (latest == latest_.end()) return true;
    const auto own = has_.find({worker, word});
    return own != has_.end() && own->second == latest->second;
  }
  // The worker copies what the producer of the piece has now.
  void copy(const proto::Piece& piece, proto::AgentId worker) {
    const auto end = latest_.lower_bound(piece.address + piece.bytes);
    for (auto word = latest_.lower_bound(piece.address); word != end; ++word) {
      const auto from = has_.find({piece.producer, word->first});
      if (from != has_.end()) has_[{worker, word->first}] = from->second;
    }
  }

 private:
  std::map<std::uint64_t, std::uint64_t> latest_;
  std::map<std::pair<proto::AgentId, std::uint64_t>, std::uint64_t> has_;
  std::uint64_t next_ = 0;
};

}  // namespace myr::sim_test
