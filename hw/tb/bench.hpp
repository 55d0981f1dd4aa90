// SPDX-License-Identifier: Apache-2.0
//
// What the benches share: a clocked model, and sources that offer and hold as the blocks expect.
// Everything random comes from one seed a bench, so a failure repeats.
#pragma once

#include <verilated.h>

#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>

namespace myr::hw {

// A block in simulation. Set inputs, settle(), look at outputs, tick().
template <typename Model>
class Bench {
 public:
  explicit Bench(unsigned seed) : random_(seed) {
    dut->clk_i = 0;
    dut->rst_ni = 0;
    tick();
    tick();
    dut->rst_ni = 1;
  }
  ~Bench() { dut->final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Lets the outputs follow the inputs of this cycle.
  void settle() { dut->eval(); }
  // The rising edge, then the falling one.
  void tick() {
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    cycle_ += 1;
  }
  [[nodiscard]] bool chance(unsigned percent) { return random_() % 100 < percent; }
  [[nodiscard]] std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }
  [[nodiscard]] std::uint64_t name() { return std::uint64_t{number()} << 32 | number(); }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }

 private:
  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::mt19937 random_;
  std::uint64_t cycle_ = 0;

 public:
  std::unique_ptr<Model> dut = std::make_unique<Model>(context_.get());
};

// Offers one word at a time, sometimes none, and keeps an offer until it is taken.
template <typename Word>
class Source {
 public:
  std::deque<Word> waiting;

  // Call once a cycle, before settle(): whether something is offered.
  template <typename AnyBench>
  bool offer(AnyBench& bench, unsigned percent) {
    offered_ = !waiting.empty() && (offered_ || bench.chance(percent));
    return offered_;
  }
  [[nodiscard]] Word front() const { return waiting.empty() ? Word{} : waiting.front(); }
  // Call once a cycle, after settle().
  void taken(bool ready) {
    if (!offered_ || !ready) return;
    waiting.pop_front();
    offered_ = false;
  }

 private:
  bool offered_ = false;
};

// Writes and reads `width` bits at `low` of a port.
template <std::unsigned_integral Port>
void put(Port& port, unsigned low, unsigned width, std::uint64_t value) {
  const auto mask = static_cast<Port>(((std::uint64_t{1} << width) - 1) << low);
  port = static_cast<Port>((port & ~mask) | (static_cast<Port>(value << low) & mask));
}
template <std::unsigned_integral Port>
std::uint64_t get(const Port& port, unsigned low, unsigned width) {
  return port >> low & ((std::uint64_t{1} << width) - 1);
}
template <std::size_t Words>
void put(VlWide<Words>& port, unsigned low, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = low + i;
    const EData mask = EData{1} << bit % 32;
    port[bit / 32] = (value >> i & 1) != 0 ? port[bit / 32] | mask : port[bit / 32] & ~mask;
  }
}
template <std::size_t Words>
std::uint64_t get(const VlWide<Words>& port, unsigned low, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = low + i;
    value |= std::uint64_t{port[bit / 32] >> bit % 32 & 1} << i;
  }
  return value;
}

}  // namespace myr::hw
