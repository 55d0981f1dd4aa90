// SPDX-License-Identifier: Apache-2.0
//
// Spares: objects that a task has been given before it wants them. Objects are made by schedulers,
// which takes a message there and one back; a task that makes one after the other in a region gets
// twice as many each time, up to a limit.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "myr/myr.h"

namespace myr::cluster::mpi {

class Spares {
 public:
  struct Kind {
    myr_region region;
    std::size_t bytes;  // of an object
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };

  // Fills `objects` from what is there. False: there is not enough; nothing is taken.
  [[nodiscard]] bool take(const Kind& kind, std::span<void*> objects) {
    const auto found = stocks_.find(kind);
    if (found == stocks_.end() || found->second.objects.size() < objects.size()) return false;
    std::vector<void*>& stock = found->second.objects;
    std::copy(stock.end() - static_cast<std::ptrdiff_t>(objects.size()), stock.end(),
              objects.begin());
    stock.resize(stock.size() - objects.size());
    return true;
  }
  // `count` are wanted: how many more are to be asked for?
  [[nodiscard]] std::size_t more(const Kind& kind, std::size_t count) {
    Stock& stock = stocks_[kind];
    const std::size_t fitting = kBytesMax / std::max<std::size_t>(kind.bytes, 1);
    const std::size_t more = std::min({stock.next, kCountMax, fitting});
    stock.next += std::max(stock.next, count);
    return more;
  }
  void put(const Kind& kind, std::span<void* const> objects) {
    std::vector<void*>& stock = stocks_[kind].objects;
    stock.insert(stock.end(), objects.begin(), objects.end());
  }
  [[nodiscard]] std::size_t kind_count() const noexcept { return stocks_.size(); }
  // Leaves what is left where it is, if `is_to_go(kind)`: its regions free it.
  template <class Predicate>
  void forget_if(Predicate&& is_to_go) {
    std::erase_if(stocks_, [&](const auto& one) { return is_to_go(one.first); });
  }
  // Calls give(kind, object) for all that is left.
  template <class Give>
  void give_back(Give&& give) {
    for (const auto& [kind, stock] : stocks_) {
      for (void* const object : stock.objects) give(kind, object);
    }
    stocks_.clear();
  }

 private:
  static constexpr std::size_t kCountMax = 1024;
  static constexpr std::size_t kBytesMax = std::size_t{256} << 10;
  struct Stock {
    std::vector<void*> objects;
    std::size_t next = 0;  // what is asked for the next time: nothing the first
  };
  std::map<Kind, Stock> stocks_;
};

}  // namespace myr::cluster::mpi
