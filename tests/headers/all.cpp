// SPDX-License-Identifier: Apache-2.0
//
// The public headers with the warnings that a careful user has on: they are errors here.
#include <myr/myr.h>

#include <myr/myr.hpp>

void use_all_kinds_of_accesses(double* numbers, std::size_t count) {
  myr::Region region = myr::Region::create();
  int* const object = region.make<int>(1);
  myr::spawn([](const double* from, int* to, myr::Region) { *to = static_cast<int>(*from); },
             myr::in(numbers, count), myr::out(object), myr::inout(region));
  myr::wait(myr::in(numbers, count));
}
