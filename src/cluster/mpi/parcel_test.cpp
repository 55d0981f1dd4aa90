// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/parcel.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

using namespace myr::cluster;
using namespace myr::cluster::mpi;

namespace {

void body(void*, const myr_access*) {}
constexpr AgentId kSpawner = 1, kOther = 2;
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
    const auto bytes = pack(*task, modules, kSpawner);
    if (!bytes) return false;
    const Unpacked unpacked = unpack(*bytes, modules, *parent, kOther);
    const UserTaskPtr& other = unpacked.task;
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

TEST_CASE("memory that the task declares is lent: addresses in it become addresses of the copy") {
  Parcels parcels;
  std::array<int, 100> numbers{};
  static int global = 0;
  const UserTaskPtr task = task_with(*parcels.parent, {1, &numbers[60]});
  task->accesses()[0] = myr_inout_range(&numbers[50], 20 * sizeof(int));
  task->accesses()[1] = myr_out_range(&global, sizeof global);
  const auto bytes = pack(*task, parcels.modules, kSpawner);
  REQUIRE(bytes.has_value());

  const Unpacked other = unpack(*bytes, parcels.modules, *parcels.parent, kOther);
  REQUIRE(other.loans.size() == 2);
  const Loan& local = other.loans[other.loans[0].bytes == sizeof global ? 1 : 0];
  const Loan& variable = other.loans[other.loans[0].bytes == sizeof global ? 0 : 1];
  CHECK(local.address == reinterpret_cast<std::uintptr_t>(&numbers[50]));
  CHECK(local.here != local.address);
  CHECK(variable.here == reinterpret_cast<std::uintptr_t>(&global));
  CHECK(reinterpret_cast<std::uintptr_t>(other.task->accesses()[0].address) == local.here);
  Words words{};
  std::memcpy(&words, other.task->closure(), sizeof words);
  CHECK(reinterpret_cast<std::uintptr_t>(words.pointer) == local.here + 10 * sizeof(int));
  *reinterpret_cast<int*>(local.here) = 5;  // there is memory

  const Unpacked same = unpack(*bytes, parcels.modules, *parcels.parent, kSpawner);
  CHECK(same.loans.empty());
  CHECK((same.task->accesses()[0].address == &numbers[50]));
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
