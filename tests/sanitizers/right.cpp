// SPDX-License-Identifier: Apache-2.0
// Programs without a mistake, by what orders their tasks: no sanitizer says anything of them.
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <myr/myr.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace myr;

namespace {

constexpr int kRounds = 30;

void chains_and_readers() {
  std::vector<int> cells(16, 0);
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int& cell : cells) {
      spawn([](int& c, const std::string& text) { c += static_cast<int>(text.size()); },
            inout(cell), std::string(20, 'x'));
    }
    spawn([](const int* all, int& s) { s += all[3] + all[15]; }, in(cells.data(), cells.size()),
          inout(sum));
  }
  wait(in(sum));
  std::printf("chains %d\n", sum);
  wait_all();
}

struct Node {
  Region inside;
  Node* left = nullptr;
  Node* right = nullptr;
  std::unique_ptr<int> value;
};

// Does not wait: a user of the region waits for all that is spawned below.
void grow(Region region, Node* node, int depth) {
  node->value = std::make_unique<int>(depth);
  if (depth == 0) return;
  node->inside = Region::create(region);
  node->left = node->inside.make<Node>();
  node->right = node->inside.make<Node>();
  const Region inside = node->inside;
  Node* const left = node->left;
  Node* const right = node->right;
  spawn([left, depth](Region r) { grow(r, left, depth - 1); }, inout(inside));
  spawn([right, depth](Region r) { grow(r, right, depth - 1); }, inout(inside));
}
int sum_of(const Node* node) {
  return node == nullptr ? 0 : *node->value + sum_of(node->left) + sum_of(node->right);
}
void regions() {
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    OwnedRegion region;
    Node* const root = region.make<Node>();
    spawn([root](Region r) { grow(r, root, 5); }, inout(region));
    spawn([root](Region, int& s) { s += sum_of(root); }, in(region), inout(sum));
    wait(in(region));
    const int own = sum_of(root);
    wait(inout(sum));
    sum += own;
  }
  std::printf("regions %d\n", sum);
}

// Memory that one task frees, another one gets.
void memory_that_is_used_again() {
  const Region first = Region::create();
  const Region second = Region::create();
  std::array<long, 2> sums{};
  for (int round = 0; round < kRounds; ++round) {
    for (const Region region : {first, second}) {
      spawn(
          [round](Region r, long& sum) {
            std::array<int*, 20> objects{};
            for (int*& object : objects) object = r.make<int>(round);
            const Region inside = Region::create(r);
            auto* const numbers = inside.make_array<int>(1000);
            numbers[round] = *objects[7];
            sum += numbers[round];
            for (int* object : objects) destroy(object);
            inside.free();
          },
          inout(region), inout(sums[region == first ? 0 : 1]));
    }
  }
  wait_all();
  std::printf("memory %ld\n", sums[0] + sums[1]);
  first.free();
  second.free();
}

void groups() {
  long sum = 0;
  std::atomic<int> hits{0};
  int plain = 0;
  for (int i = 0; i < kRounds; ++i) {
    spawn([](long& s) { s += 2; }, commutative(sum));
    spawn([](std::atomic<int>& h) { h += 1; }, concurrent(hits));
    spawn([i](int& own) { own += i; }, reduce(plain, std::plus<>()));
  }
  spawn([](long& s, const std::atomic<int>& h) { s += h; }, inout(sum), in(hits));
  wait_all();
  std::printf("groups %ld %d\n", sum, plain);
}

void loops() {
  std::vector<double> a(20'000, 1);
  std::vector<double> b(20'000);
  double sum = 0;
  for (int round = 0; round < 10; ++round) {
    for_each(range(1, a.size() - 1), in(a, part.grow(1)), out(b, part),
             [](auto i, auto from, auto to) { to[i] = from[i - 1] + from[i + 1]; });
    for_each(range(1, a.size() - 1), in(b, part), inout(a, part),
             [](auto i, auto from, auto to) { to[i] = from[i] / 2; });
  }
  reduce_each(range(a.size()), reduce(sum, std::plus<>()), in(a, part),
              [](auto i, auto from) { return from[i]; });
  wait_all();
  std::printf("loops %g\n", sum);
}

thread_local int calls_of_this_thread = 0;

int fibonacci(int n) {
  calls_of_this_thread += 1;
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  spawn([n](int& r) { r = fibonacci(n - 1); }, out(a));
  spawn([n](int& r) { r = fibonacci(n - 2); }, out(b));
  wait_all();
  return a + b;
}
void waits_on_many_stacks() { std::printf("fibonacci %d\n", fibonacci(12)); }

void children_that_nobody_waits_for() {
  std::vector<int> all(100, 0);
  for (std::size_t i = 0; i < all.size(); i += 10) {
    spawn(
        [](int* ten) {
          for (int k = 0; k < 10; ++k) {
            spawn([](int& one) { spawn([](int& same) { same += 1; }, inout(one)); }, inout(ten[k]));
          }
        },
        inout(&all[i], 10));
  }
  wait_all();
  int sum = 0;
  for (const int each : all) sum += each;
  std::printf("children %d\n", sum);
}

void futures_and_scopes() {
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    Future<std::string> text = async([round] { return std::string(30, static_cast<char>(round)); });
    Future<int> size = text.then([](const std::string& t) { return static_cast<int>(t.size()); });
    Scope scope;
    int local = 0;
    scope.spawn([](int& l) { l = 1; }, out(local));
    scope.wait();
    sum += local + size.get();
  }
  std::printf("futures %d\n", sum);
}

void events() {
  std::vector<std::thread> threads(kRounds);
  std::vector<int> values(kRounds);
  int sum = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    spawn(
        [&thread = threads[i]](int& value) {
          Event event = Event::create();
          thread = std::thread([&value, done = std::move(event)]() mutable {
            value = 3;
            done.complete();
          });
        },
        out(values[i]));
    spawn([](const int& value, int& s) { s += value; }, in(values[i]), inout(sum));
  }
  wait(in(sum));
  std::printf("events %d\n", sum);
  wait_all();
  for (std::thread& thread : threads) thread.join();
}

void guests() {
  std::array<int, 3> sums{};
  std::vector<std::thread> threads;
  for (int& sum : sums) {
    threads.emplace_back([&sum] {
      std::vector<int> own(50, 1);
      for (int& one : own) spawn([](int& o) { o += 1; }, inout(one));
      wait_all();
      for (const int one : own) sum += one;
      spawn([](int& s) { s += 1; }, inout(sum));  // for the thread that joins
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("guests %d\n", sums[0] + sums[1] + sums[2]);
}

void exceptions() {
  int caught = 0;
  for (int round = 0; round < kRounds; ++round) {
    int x = 0;
    spawn([round](int&) { throw std::runtime_error(std::to_string(round)); }, inout(x));
    spawn([](int&) {}, inout(x));
    try {
      wait_all();
    } catch (const std::runtime_error& error) {
      caught += std::stoi(error.what());
    }
  }
  std::printf("exceptions %d\n", caught);
}

void steps() {
  std::vector<int> cells(64, 1);
  for (int step = 0; step < kRounds; ++step) {
    for (std::size_t i = 1; i < cells.size(); ++i) {
      spawn([](int& to, const int& from) { to += from % 3; }, inout(cells[i]), in(cells[i - 1]));
    }
    wait_all();
  }
  std::printf("steps %d\n", cells[63]);
}

}  // namespace

int main() {
  chains_and_readers();
  regions();
  memory_that_is_used_again();
  groups();
  loops();
  waits_on_many_stacks();
  children_that_nobody_waits_for();
  futures_and_scopes();
  events();
  guests();
  exceptions();
  steps();
}
