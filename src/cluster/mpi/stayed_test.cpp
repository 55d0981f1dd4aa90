// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/stayed.hpp"

#include <doctest/doctest.h>

using myr::cluster::mpi::Stayed;

TEST_CASE("if most tasks had to stay, their lines are named, the most frequent first") {
  const myr_site first{"a.cpp", "f", 7, 1};
  const myr_site second{"a.cpp", "f", 9, 1};
  Stayed stayed;
  for (int i = 0; i < 100; ++i) {
    stayed.note_task();
    if (i >= 64) continue;
    stayed.note(i < 20 ? Stayed::Why::InKeptRegion : Stayed::Why::MoreThanBytes,
                i < 20 ? &first : &second);
  }
  CHECK(stayed.count() == 64);
  CHECK(stayed.warning() ==
        "64 of 100 tasks that main's process spawned had to run there, and not in parallel: 44 "
        "spawned at a.cpp:9 (its function, or what it names, is more than bytes, as a std::vector "
        "itself; name its elements by a span); 20 spawned at a.cpp:7 (it names a region with "
        "objects that own memory elsewhere)");
  for (int i = 0; i < 28; ++i) stayed.note_task();
  CHECK(stayed.warning().empty());
}
