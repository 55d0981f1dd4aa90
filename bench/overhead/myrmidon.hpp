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
    region_ = myr_region_new(MYR_ROOT, 0);
    std::vector<Object*> objects(count);
    myr_alloc_many(sizeof(Object), region_, count, objects.data());
    return objects;
  }
  void free_objects() override { myr_region_free(region_); }

  void wait() override { myr_wait_all(); }

 private:
  MyrmidonMachine machine_;
  myr_region region_ = MYR_ROOT;
};

}  // namespace myr::bench
