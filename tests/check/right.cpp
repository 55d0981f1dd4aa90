// SPDX-License-Identifier: Apache-2.0
// Programs without a mistake, by the constructs that a checker could take for one: `myr check` says
// nothing of them.
#include <sanitizer/tsan_interface.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <myr/myr.hpp>
#include <shared_mutex>
#include <string>
#include <vector>

// What clang calls for an atomic number of 16 bytes; gcc's header does not declare it.
__extension__ using Wide = unsigned __int128;
extern "C" Wide __tsan_atomic128_fetch_add(volatile Wide*, Wide, int);

using namespace myr;

namespace {

const std::array<int, 3> kTable{1, 2, 3};
std::atomic<int> count{0};
int behind_lock = 0;
std::mutex lock;

int first_use() {
  static const std::string text("made at the first use, by one task");
  return static_cast<int>(text.size());
}

void locals_and_closures() {
  long sum = 0;
  std::array<char, 4096> large{};
  for (int i = 0; i < 4; ++i) {
    spawn(
        [large, i](long& s) mutable {
          large[7] = static_cast<char>(i);
          std::map<int, std::string> own;
          for (int k = 0; k < 20; ++k) own[k] = std::to_string(k + large[7]);
          s += static_cast<long>(own.size()) + kTable[1] + first_use();
          count += 1;
          const std::scoped_lock guard(lock);
          behind_lock += 1;
        },
        inout(sum));
  }
  wait(in(sum));
  std::printf("%ld\n", sum);
}

// A lock of the program's own making, of which it tells by ThreadSanitizer's interface.
class OwnLock {
 public:
  OwnLock() { __tsan_mutex_create(this, 0); }
  ~OwnLock() { __tsan_mutex_destroy(this, 0); }
  OwnLock(const OwnLock&) = delete;
  OwnLock& operator=(const OwnLock&) = delete;
  void lock() {
    __tsan_mutex_pre_lock(this, 0);
    while (is_taken_.exchange(true)) {
    }
    uses_ += 1;
    __tsan_mutex_post_lock(this, 0, 0);
  }
  void unlock() {
    __tsan_mutex_pre_unlock(this, 0);
    uses_ += 1;
    is_taken_.store(false);
    __tsan_mutex_post_unlock(this, 0);
  }

 private:
  std::atomic<bool> is_taken_{false};
  int uses_ = 0;
};

void locks_of_its_own() {
  OwnLock own;
  int behind = 0;
  Wide wide = 0;
  alignas(8) std::array<unsigned char, 8> bytes{};
  std::array<int, 4> results{};
  for (int& result : results) {
    spawn(
        [&own, &behind, &wide](int& r, const std::array<unsigned char, 8>& b) {
          const std::scoped_lock guard(own);
          behind += 1;
          __tsan_atomic128_fetch_add(&wide, 2, __ATOMIC_SEQ_CST);
          r = __sanitizer_unaligned_load32(b.data() + 1) == 0 ? 1 : 0;
        },
        out(result), in(bytes));
  }
  wait_all();
  std::printf("%d %d %d\n", behind, static_cast<int>(wide), results[3]);
}

void containers_that_grow() {
  std::vector<std::string> names;
  spawn([](auto& all) { all.assign(100, std::string(50, 'x')); }, inout(names));
  wait(inout(names));
  spawn([](const auto& all) { std::printf("%zu\n", all.back().size()); }, in(names));
  wait_all();
}

void loops_and_sums() {
  std::vector<double> a(1000, 1);
  std::vector<double> b(1000);
  for_each(range(1, 999), in(a, part.grow(1)), out(b, part),
           [](auto i, auto from, auto to) { to[i] = from[i - 1] + from[i + 1]; });
  double sum = 0;
  reduce_each(range(1000), reduce(sum, std::plus<>()), in(b, part),
              [](auto i, auto from) { return from[i]; });
  wait_all();
  std::printf("%g\n", sum);
}

struct Node {
  Node* left;
  Node* right;
  int value;
};
void grow(Region region, Node* node, int depth) {
  if (depth == 0) return;
  node->left = region.make<Node>();
  node->right = region.make<Node>();
  *node->left = {nullptr, nullptr, depth};
  *node->right = {nullptr, nullptr, depth};
  grow(region, node->left, depth - 1);
  grow(region, node->right, depth - 1);
}
int add(const Node* node) {
  return node == nullptr ? 0 : node->value + add(node->left) + add(node->right);
}
void regions() {
  OwnedRegion region;
  Node* const root = region.make<Node>();
  *root = {nullptr, nullptr, 0};
  int sum = 0;
  spawn([root](Region own) { grow(own, root, 5); }, inout(region));
  spawn([root](Region, int& s) { s = add(root); }, in(region), out(sum));
  wait_all();
  std::printf("%d\n", sum);
}

void parents_and_futures() {
  std::vector<int> v(64, 1);
  spawn(
      [](std::vector<int>& all) {
        for (std::size_t i = 0; i < all.size(); i += 16) {
          spawn([](int* part) { part[3] += 1; }, inout(&all[i], 16));
        }
        wait_all();
        all[3] += 1;
      },
      inout(v));
  wait(in(v));
  Future<int> sum = async([](const std::vector<int>& all) { return all[3] + all[19]; }, in(v));
  std::printf("%d\n", sum.get());
}

void turns_and_locks() {
  std::map<int, int> numbers;  // by turns
  int token = 0;
  std::shared_mutex mutex;
  std::map<int, int> names;  // by the mutex
  int concurrently = 0;
  std::once_flag once;
  int made = 0;
  std::atomic_flag spin;
  int by_spin = 0;
  for (int i = 0; i < 8; ++i) {
    spawn(uses(commutative(token)), [&numbers, i] { numbers[i % 3] += i; });
    spawn([&, i] {
      {
        const std::shared_lock lock(mutex);
        if (names.contains(i)) return;
      }
      const std::scoped_lock lock(mutex);
      names[i] = i;
    });
    spawn(
        [&mutex](int& x) {
          const std::scoped_lock lock(mutex);
          x += 1;
        },
        concurrent(concurrently));
    spawn([&] {
      std::call_once(once, [&] { made = 1; });
      while (spin.test_and_set()) {
      }
      by_spin += made;
      spin.clear();
    });
  }
  wait_all();
  std::printf("%d\n", numbers[0] + names[7] + concurrently + by_spin);
}

struct Counted {
  std::atomic<int> users{1};
  int value = 0;
  void drop() {
    if (--users == 0) delete this;
  }
};
void hand_overs() {
  auto* const counted = new Counted;
  std::atomic<int> left{4};
  std::array<int, 4> parts{};
  int sum = 0;
  std::mutex mutex;
  std::vector<std::vector<int>*> pool;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    counted->users += 1;
    const auto shared = std::make_shared<std::string>("its last user is the one that destroys it");
    spawn([&, counted, shared, i] {
      parts[i] = counted->value + static_cast<int>(shared->size());
      if (--left == 0) sum = parts[0] + parts[3];
      counted->drop();
    });
    spawn([&] {
      std::vector<int>* own = nullptr;
      {
        const std::scoped_lock lock(mutex);
        if (!pool.empty()) own = pool.back(), pool.pop_back();
      }
      if (own == nullptr) own = new std::vector<int>(10);
      (*own)[0] += 1;
      const std::scoped_lock lock(mutex);
      pool.push_back(own);
    });
  }
  counted->drop();
  wait_all();
  for (const auto* const own : pool) delete own;
  std::printf("%d\n", sum);
}

struct Pair {
  char letter;
  double number;
};
Pair make_pair(double number) { return {'a', number}; }

// What is written before it is read, by whatever code, has been written; the rest stays.
void outputs() {
  std::vector<Pair> pairs(4);
  int counts[64] = {};
  char text[32] = "before";
  std::size_t length = 0;
  int* const freed = new int[4]{1, 2, 3, 4};
  pairs[3].number = 40;
  for (std::size_t i = 0; i < 3; ++i) {
    spawn(
        [](Pair& pair, double number) {
          pair = make_pair(number);
          pair.number += pair.letter;
        },
        out(pairs[i]), static_cast<double>(i));
  }
  spawn([](Pair& pair) { pair.letter = 'b'; }, out(pairs[3]));
  spawn(
      [](int* all) {
        std::memset(all, 0, 64 * sizeof *all);  // which the compiler does by itself
        for (int i = 0; i < 64; ++i) all[i / 2] += i;
      },
      out(counts, 64));
  spawn(
      [](char* t, std::size_t& n) {
        std::snprintf(t, 32, "%d", 12345);
        n = std::strlen(t);
      },
      out(text, 32), out(length));
  spawn([](int* all) { delete[] all; }, out(freed, 4));
  wait_all();
  std::printf("%g %c %g %d %s %zu\n", pairs[2].number, pairs[3].letter, pairs[3].number, counts[31],
              text, length);
}

}  // namespace

int main(int argc, char** argv) {
  static bool ends = false;
  if (std::atexit([] { ends = true; }) != 0) return 1;
  if (argc > 1 && std::strcmp(argv[1], "regions") == 0) return regions(), 0;
  locals_and_closures();
  locks_of_its_own();
  containers_that_grow();
  loops_and_sums();
  regions();
  parents_and_futures();
  turns_and_locks();
  hand_overs();
  outputs();
}
