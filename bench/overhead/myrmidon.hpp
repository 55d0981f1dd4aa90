// SPDX-License-Identifier: Apache-2.0
//
// What the two Myrmidon programs of the overhead benchmark share: the machine, and objects
// from a region. They differ in the interface that spawns: C, or closures in C++.
#pragma once

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

 private:
  MyrmidonMachine machine_;
};

}  // namespace myr::bench
