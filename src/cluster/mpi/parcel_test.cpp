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

// A task with these two words as its closure, and two accesses.
struct Task {
  Words words;
  std::array<myr_access, 2> accesses{myr_value(12), myr_inout_region(5)};

  [[nodiscard]] TaskParts parts() {
    return {.body = body,
            .site = &kSite,
            .closure = std::as_writable_bytes(std::span(&words, 1)),
            .accesses = accesses};
  }
};

class Parcels {
 public:
  Modules modules;

  // Unpacks the task and fills another one.
  Unpacked open(const Bytes& bytes, AgentId self, Task& other) const {
    Unpacked unpacked = unpack(bytes, modules, self);
    CHECK((unpacked.parts.body == body));
    CHECK(unpacked.parts.site == &kSite);
    CHECK((unpacked.parts.function == nullptr));
    CHECK(unpacked.sender.level == 3);
    REQUIRE(unpacked.parts.closure.size() == sizeof(Words));
    REQUIRE(unpacked.parts.accesses.size() == 2);
    const TaskParts to = other.parts();
    fill(unpacked, bytes, modules, to.closure.data(), to.accesses.data());
    return unpacked;
  }
  [[nodiscard]] std::optional<Bytes> close(Task& task) const {
    return pack(task.parts(), modules, {.spawner = kSpawner, .level = 3});
  }
  [[nodiscard]] bool travels(const Words& words) const {
    Task task{words};
    const auto bytes = close(task);
    if (!bytes) return false;
    Task other{};
    static_cast<void>(open(*bytes, kOther, other));
    CHECK(std::memcmp(&other.accesses, &task.accesses, sizeof task.accesses) == 0);
    CHECK(std::memcmp(&other.words, &words, sizeof words) == 0);
    return true;
  }
};

}  // namespace

TEST_CASE("a task of numbers comes back from its bytes") {
  const Parcels parcels;
  CHECK(parcels.travels({1, nullptr}));
  CHECK(parcels.travels({~std::uint64_t{0}, reinterpret_cast<const void*>(std::uintptr_t{65})}));
}

TEST_CASE("addresses of functions and constants travel as places") {
  const Parcels parcels;
  CHECK(parcels.travels({1, &kSite}));
  CHECK(parcels.travels({1, "text"}));
  CHECK(parcels.travels({1, reinterpret_cast<const void*>(&body)}));
}

TEST_CASE("addresses of memory that others do not have keep the task") {
  const Parcels parcels;
  const int local = 0;
  static int global = 0;
  const auto allocated = std::make_unique<int>(0);
  CHECK_FALSE(parcels.travels({1, &local}));
  CHECK_FALSE(parcels.travels({1, &global}));
  CHECK_FALSE(parcels.travels({1, allocated.get()}));
}

TEST_CASE("memory that the task declares is lent: addresses in it become addresses of the copy") {
  const Parcels parcels;
  std::array<int, 100> numbers{};
  static int global = 0;
  Task task{{1, &numbers[60]}};
  task.accesses[0] = myr_inout_range(&numbers[50], 20 * sizeof(int));
  task.accesses[1] = myr_out_range(&global, sizeof global);
  const auto bytes = parcels.close(task);
  REQUIRE(bytes.has_value());

  Task other{};
  const Unpacked there = parcels.open(*bytes, kOther, other);
  REQUIRE(there.loans.size() == 2);
  const Loan& local = there.loans[there.loans[0].bytes == sizeof global ? 1 : 0];
  const Loan& variable = there.loans[there.loans[0].bytes == sizeof global ? 0 : 1];
  CHECK(local.address == reinterpret_cast<std::uintptr_t>(&numbers[50]));
  CHECK(local.here != local.address);
  CHECK(variable.here == reinterpret_cast<std::uintptr_t>(&global));
  CHECK(reinterpret_cast<std::uintptr_t>(other.accesses[0].address) == local.here);
  CHECK(reinterpret_cast<std::uintptr_t>(other.words.pointer) == local.here + 10 * sizeof(int));
  *reinterpret_cast<int*>(local.here) = 5;  // there is memory

  Task same{};
  CHECK(parcels.open(*bytes, kSpawner, same).loans.empty());
  CHECK((same.accesses[0].address == &numbers[50]));
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
