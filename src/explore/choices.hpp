// SPDX-License-Identifier: Apache-2.0
//
// The decisions of an execution (who runs next, which value a load returns), as a path in the tree
// of all executions. The searcher walks through the tree depth first, at random, or along a printed
// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace myr::explore {

class Choices {
 public:
  // Begins a depth-first walk; the first path takes alternative 0 everywhere.
  void start_walk() noexcept;
  // Begins a random path; alternative 0 is the likely one. The same seed gives the same path.
  void start_random(std::uint64_t seed) noexcept;
  // Begins a path printed by text(). False: that is no path.
  [[nodiscard]] bool start_replay(std::string_view text);

  // Decides among alternatives 0 to count - 1. Cost: nothing if there is only one.
  [[nodiscard]] unsigned pick(unsigned count);

  // Goes to the next path of a depth-first walk. False: there is none left.
  [[nodiscard]] bool advance() noexcept;
  // Goes back to the start of the current path, to run it once more.
  void rewind() noexcept;

  [[nodiscard]] std::string text() const;

 private:
  struct Decision {
    unsigned chosen;
    unsigned count;  // 0: not known, the path was read from a text
  };
  [[nodiscard]] std::uint64_t random() noexcept;
  [[nodiscard]] unsigned pick_random(unsigned count) noexcept;

  std::vector<Decision> path_;
  std::size_t position_ = 0;
  bool is_random_ = false;
  std::uint64_t random_state_ = 0;
  unsigned calm_ = 0;  // a random path leaves alternative 0 once in this many decisions
};

}  // namespace myr::explore
