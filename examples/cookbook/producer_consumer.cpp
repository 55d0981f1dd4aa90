// SPDX-License-Identifier: Apache-2.0
//
// A producer of an unknown number of items, and consumers that take them in any order.
#include <array>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>

struct Item {
  int number = 0;
  bool is_prime = false;
};

struct Found {
  int primes = 0;
  long sum = 0;
};

void consume(int number, Item& item) {
  item = {number, number > 1};
  for (int i = 2; i * i <= number; ++i) {
    if (number % i == 0) item.is_prime = false;
  }
}

void collect(const Item& item, Found& found) {
  if (!item.is_prime) return;
  found.primes += 1;
  found.sum += item.number;
}

int main() {
  std::array<Item, 64> slots;  // at most so many items under way
  Found found;
  unsigned random = 1;
  int number = 0;
  for (std::size_t i = 0; number < 100'000; ++i) {  // the producer
    random = random * 1'664'525 + 1'013'904'223;
    number += static_cast<int>(random >> 28);
    Item& slot = slots[i % slots.size()];
    myr::spawn(consume, number, myr::out(slot));
    myr::spawn(collect, myr::in(slot), myr::commutative(found));  // one at a time, in any order
  }
  myr::wait_all();
  std::printf("%d primes, sum %ld\n", found.primes, found.sum);
}
