// SPDX-License-Identifier: Apache-2.0
//
// What each simulated worker has of each word: workers share no memory, so a task that touches a
// word whose latest version has not been brought to its worker would compute with old data.
#pragma once

#include <map>
#include <utility>
#include <vector>

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
    set(worker, read(piece.producer, piece.address, piece.bytes));
  }
  // Words, and what the worker has of them.
  using Words = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  [[nodiscard]] Words read(proto::AgentId worker, std::uint64_t first, std::uint64_t bytes) const {
    Words words;
    const auto end = has_.lower_bound({worker, first + bytes});
    for (auto own = has_.lower_bound({worker, first}); own != end; ++own) {
      words.emplace_back(own->first.second, own->second);
    }
    return words;
  }
  void set(proto::AgentId worker, const Words& words) {
    for (const auto& [word, version] : words) has_[{worker, word}] = version;
  }
  // What the worker has there is garbage from now on.
  void spoil(proto::AgentId worker, std::uint64_t first, std::uint64_t bytes) {
    Words words = read(worker, first, bytes);
    for (auto& [word, version] : words) version = 0;
    set(worker, words);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> latest_;
  std::map<std::pair<proto::AgentId, std::uint64_t>, std::uint64_t> has_;
  std::uint64_t next_ = 0;
};

}  // namespace myr::sim_test
