// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/parcel.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace myr::cluster;
using namespace myr::cluster::mpi;

namespace {

void body(void*, const myr_access*) {}
constexpr myr_site kSite = {"file", "function", 7, 1};

struct Words {
  std::uint64_t number;
  const void* pointer;
};

UserTaskPtr task_with(UserTask& parent, const Words& words) {
  UserTaskPtr task = UserTask::make(&parent, sizeof words, 2);
  task->body = body;
  task->site = &kSite;
  std::memcpy(task->closure(), &words, sizeof words);
  task->accesses()[0] = myr_value(12);
  task->accesses()[1] = myr_inout_region(5);
  return task;
}

class Parcels {
 public:
  Modules modules;
  UserTaskPtr parent = UserTask::make(nullptr, 0, 0);

  [[nodiscard]] bool travels(const Words& words) {
    const UserTaskPtr task = task_with(*parent, words);
    const auto bytes = pack(*task, modules);
    if (!bytes) return false;
    const UserTaskPtr other = unpack(*bytes, modules, *parent);
    CHECK((other->body == body));
    CHECK(other->site == &kSite);
    CHECK((other->function == nullptr));
    CHECK(other->access_count() == 2);
    CHECK(std::memcmp(other->accesses(), task->accesses(), 2 * sizeof(myr_access)) == 0);
    CHECK(std::memcmp(other->closure(), &words, sizeof words) == 0);
    return true;
  }
};

}  // namespace

TEST_CASE("a task of numbers comes back from its bytes") {
  Parcels parcels;
  CHECK(parcels.travels({1, nullptr}));
  CHECK(parcels.travels({~std::uint64_t{0}, reinterpret_cast<const void*>(std::uintptr_t{65})}));
}

TEST_CASE("addresses of functions and constants travel as places") {
  Parcels parcels;
  CHECK(parcels.travels({1, &kSite}));
  CHECK(parcels.travels({1, "text"}));
  CHECK(parcels.travels({1, reinterpret_cast<const void*>(&body)}));
}

TEST_CASE("addresses of memory that others do not have keep the task") {
  Parcels parcels;
  const int local = 0;
  static int global = 0;
  const auto allocated = std::make_unique<int>(0);
  CHECK_FALSE(parcels.travels({1, &local}));
  CHECK_FALSE(parcels.travels({1, &global}));
  CHECK_FALSE(parcels.travels({1, allocated.get()}));
}

TEST_CASE("places in modules are found again, and the modules are named") {
  const Modules modules;
  const auto* const function = reinterpret_cast<const void*>(&body);
  REQUIRE(modules.place_of(function) != 0);
  CHECK(modules.address_of(modules.place_of(function)) == function);
  const auto heap = std::make_unique<int>(0);
  CHECK(modules.place_of(heap.get()) == 0);
  CHECK(modules.address_of(0) == nullptr);
  CHECK(modules.identity().find("the program ") == 0);
  CHECK(modules.identity().find("libc.so") != std::string::npos);
  CHECK(site_in(program_at(&kSite, Call::Free, modules), modules) == &kSite);
  CHECK(call_of(program_at(&kSite, Call::Free, modules)) == Call::Free);
}
