// SPDX-License-Identifier: Apache-2.0
//
// What the two Myrmidon programs of the overhead benchmark share: the machine, and objects
// from a region. They differ in the interface that spawns: C, or closures in C++.
#pragma once

#include <myr/myr.hpp>

#include "harness/myrmidon.hpp"
#include "harness/program.hpp"

namespace myr::bench {

class Myrmidon : public Runtime {
 public:
  explicit Myrmidon(unsigned threads) : machine_(threads) {}

  std::vector<Object*> make_objects(std::size_t count) override {
    return machine_.make_objects<Object>(count);
  }
  void free_objects() override { machine_.free_objects(); }

  void wait() override { myr_wait_all(); }

  void step(const std::function<void()>& spawn_all) override { recording_.step(spawn_all); }

  [[nodiscard]] bool can_run(Bench) const override { return true; }
  void loops(std::size_t count) override {
    myr_loop loop{};
    loop.size = sizeof loop;
    loop.end = kIterations;
    loop.run = [](void*, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) iterate(i);
      return 0;
    };
    loop.footprint = [](const void*, std::size_t, std::size_t, myr_access*) -> std::size_t {
      return 0;
    };
    for (std::size_t i = 0; i < count; ++i) {
      myr_for(&loop);
      myr_wait_all();
    }
  }

 private:
  MyrmidonMachine machine_;
  Recording recording_;
};

}  // namespace myr::bench
