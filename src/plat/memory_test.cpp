// SPDX-License-Identifier: Apache-2.0
#include "plat/memory.hpp"

#include <doctest/doctest.h>

#include <cerrno>

using namespace myr::plat;

namespace {
constexpr std::uintptr_t kPlace = 0x5550'0000'0000;  // free in all builds, see mem/layout.hpp
constexpr std::size_t kBytes = 1 << 20;
}  // namespace

TEST_CASE("memory is reserved, committed, decommitted and released") {
  REQUIRE(reserve_at(kPlace, kBytes) == 0);
  CHECK(reserve_at(kPlace + kBytes / 2, kBytes) == EEXIST);
  REQUIRE(commit(kPlace, kBytes / 2));
  volatile int* const word = reinterpret_cast<int*>(kPlace);
  CHECK(*word == 0);
  *word = 7;
  CHECK(*word == 7);
  decommit(kPlace, kBytes / 2);
  CHECK(*word == 0);  // the memory is gone, the range is still usable
  *word = 8;
  release(kPlace, kBytes);
  CHECK(reserve_at(kPlace + kBytes / 2, kBytes) == 0);
  release(kPlace + kBytes / 2, kBytes);
}
