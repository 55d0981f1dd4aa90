// SPDX-License-Identifier: Apache-2.0
//
// What the Myrmidon programs of the benchmarks share: the machine, smp with so many threads, while
// an object lives, and the memory that the tasks of one case use. Ends the program with a message
// if the machine cannot start.
#pragma once

#include <myr/myr.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace myr::bench {

class MyrmidonMachine {
 public:
  explicit MyrmidonMachine(unsigned threads) {
    setenv("MYR_ON", ("smp:" + std::to_string(threads)).c_str(), 1);
    if (const int status = myr_init(); status != 0) {
      std::fprintf(stderr, "%s\n", myr_error_text(status));
      std::exit(1);
    }
  }
  MyrmidonMachine(const MyrmidonMachine&) = delete;
  MyrmidonMachine& operator=(const MyrmidonMachine&) = delete;
  ~MyrmidonMachine() { myr_finish(); }

  // Arrays of so many objects in a region of their own, which lives until free_objects().
  template <class Object>
  [[nodiscard]] std::vector<Object*> make_objects(std::size_t count, std::size_t length = 1) {
    region_ = myr_region_new(MYR_ROOT, 0);
    std::vector<Object*> objects(count);
    myr_alloc_many(length * sizeof(Object), region_, count, objects.data());
    return objects;
  }
  void free_objects() { myr_region_free(region_); }

 private:
  myr_region region_ = MYR_ROOT;
};

}  // namespace myr::bench
