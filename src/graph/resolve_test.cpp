// SPDX-License-Identifier: Apache-2.0
//
// What accesses mean, and what a task may do with what it holds.
#include "graph/resolve.hpp"

#include <array>

#include "graph/footprint.hpp"
#include "graph/test_space.hpp"
#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

struct Outcome {
  ResolveError error;
  Target target;
  myr_access access;
};

Outcome look_up(myr_access access) {
  Target target;
  const ResolveError error = resolve(test_space(), access, target);
  return {error, target, access};
}

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// A task that has declared some accesses, as a spawner leaves it.
Task& holder_of(TestTasks& tasks, const std::vector<myr_access>& accesses,
                std::uint32_t depth = 1) {
  Task* task = tasks.make(accesses.size() * sizeof(myr_access));
  task->depth = depth;
  task->access_count = static_cast<std::uint32_t>(accesses.size());
  task->access_offset = Task::kHeaderBytes;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    task->accesses()[i] = look_up(accesses[i]).access;
  return *task;
}

Target target_of(const myr_access& access) {
  const Outcome outcome = look_up(access);
  REQUIRE(outcome.error == ResolveError::None);
  return outcome.target;
}

}  // namespace

TEST_CASE("a pointer to an object means all of it") {
  const TestRegion region;
  char* object = region.make(128);
  for (const myr_access& access : {myr_inout(object), myr_make_access(object, 128, MYR_INOUT),
                                   myr_make_access(object, 4, MYR_INOUT | MYR_WHOLE)}) {
    const Outcome outcome = look_up(access);
    CHECK(outcome.error == ResolveError::None);
    CHECK(outcome.target.kind == TargetKind::Object);
    CHECK(outcome.target.writes);
    CHECK(outcome.target.region == region.index());
    CHECK(outcome.target.begin == address_of(object));
    CHECK(outcome.target.end == address_of(object) + 128);
    CHECK(outcome.access.bytes == 128);
  }
  CHECK_FALSE(look_up(myr_in(object)).target.writes);
}

TEST_CASE("a length makes it a part, which must lie in one object") {
  const TestRegion region;
  char* object = region.make(256);
  const Outcome outcome = look_up(myr_make_access(object + 10, 20, MYR_OUT));
  CHECK(outcome.error == ResolveError::None);
  CHECK(outcome.target.kind == TargetKind::Range);
  CHECK(outcome.target.region == region.index());
  CHECK(outcome.target.object == address_of(object));
  CHECK(outcome.target.begin == address_of(object) + 10);
  CHECK(outcome.target.end == address_of(object) + 30);
  CHECK(look_up(myr_make_access(object + 1, 255, MYR_IN)).error == ResolveError::None);
  CHECK(look_up(myr_make_access(object + 1, 256, MYR_IN)).error == ResolveError::PastTheEnd);
  CHECK(look_up(myr_make_access(object, 257, MYR_IN)).error == ResolveError::PastTheEnd);
  CHECK(look_up(myr_in(object + 64)).error == ResolveError::UnknownPointer);
}

TEST_CASE("bytes of an array with blocks mean blocks, and so does all of it") {
  const TestRegion region;
  constexpr std::size_t kBytes = 100'000;
  constexpr unsigned kShift = 10;
  auto* array = static_cast<char*>(
      mem::Heap::alloc_blocks(test_space().pool(region.index()), kBytes, kShift));
  REQUIRE(array != nullptr);
  const Outcome part = look_up(myr_make_access(array + 5, 2000, MYR_OUT));
  CHECK(part.error == ResolveError::None);
  CHECK(part.target.kind == TargetKind::Blocks);
  CHECK(part.target.block_shift == kShift);
  CHECK(part.target.region == region.index());
  CHECK(part.target.object == address_of(array));
  CHECK(part.target.begin == address_of(array) + 5);
  CHECK(part.target.end == address_of(array) + 2005);
  for (const myr_access& whole :
       {myr_inout(array), myr_make_access(array, 8, MYR_IN | MYR_WHOLE), myr_commutative(array)}) {
    const Outcome outcome = look_up(whole);
    CHECK(outcome.error == ResolveError::None);
    CHECK(outcome.target.kind == TargetKind::Blocks);
    CHECK(outcome.target.begin == address_of(array));
    CHECK(outcome.target.end >= address_of(array) + kBytes);
    CHECK(outcome.access.bytes == outcome.target.end - outcome.target.begin);
  }
  CHECK(look_up(myr_in(array + 1024)).error == ResolveError::UnknownPointer);
  CHECK(look_up(myr_make_access(array + 1024, kBytes + 4096, MYR_IN)).error ==
        ResolveError::PastTheEnd);
  region.free(array);
  CHECK(look_up(myr_in(array)).error == ResolveError::UnknownPointer);
  CHECK(look_up(myr_make_access(array, 10, MYR_IN)).error == ResolveError::UnknownPointer);
}

TEST_CASE("what is freed is unknown") {
  TestRegion region;
  char* object = region.make(64);
  const myr_access whole = myr_in(object);
  const myr_access part = myr_make_access(object, 10, MYR_IN);
  const myr_access all = myr_in_region(region.id());
  CHECK(look_up(all).target.kind == TargetKind::Region);
  CHECK(look_up(all).target.region == region.index());
  region.free(object);
  CHECK(look_up(whole).error == ResolveError::UnknownPointer);
  CHECK(look_up(part).error == ResolveError::UnknownPointer);
  region.free();
  CHECK(look_up(all).error == ResolveError::UnknownRegion);
}

TEST_CASE("other memory needs a length; null and safe arguments mean nothing") {
  int local = 0;
  const Outcome outcome = look_up(myr_make_access(&local, sizeof local, MYR_INOUT));
  CHECK(outcome.error == ResolveError::None);
  CHECK(outcome.target.kind == TargetKind::Range);
  CHECK(outcome.target.region == deps::kNoRegion);
  CHECK(outcome.target.end - outcome.target.begin == sizeof local);
  CHECK(look_up(myr_in(&local)).error == ResolveError::UnknownPointer);
  CHECK(look_up(myr_make_access(nullptr, 0, MYR_IN | MYR_MAYBE)).target.kind == TargetKind::None);
  CHECK(look_up(myr_in(nullptr)).error == ResolveError::UnknownPointer);
  CHECK(look_up(myr_make_access(&local, 4, MYR_VALUE)).target.kind == TargetKind::None);
}

TEST_CASE("main holds everything") {
  TestTasks tasks;
  const TestRegion region;
  Task& root = holder_of(tasks, {}, 0);
  int local = 0;
  const Target inside = target_of(myr_inout(region.make(64)));
  CHECK(cover(test_space(), root, inside).allowed);
  CHECK(cover(test_space(), root, inside).top == deps::kRootRegion);
  const Cover other = cover(test_space(), root, target_of(myr_make_access(&local, 4, MYR_OUT)));
  CHECK(other.allowed);
  CHECK(other.top == deps::kNoRegion);
  CHECK(may_free(test_space(), root, inside));
}

TEST_CASE("a region covers what is in it, in the modes declared; the highest one counts") {
  TestTasks tasks;
  const TestRegion outer;
  const TestRegion inner(outer.index());
  const TestRegion leaf(inner.index());
  const TestRegion beside;
  Task& holder = holder_of(tasks, {myr_inout_region(inner.id()), myr_in_region(outer.id())});
  const auto covers = [&](const myr_access& access) {
    return cover(test_space(), holder, target_of(access));
  };
  CHECK(covers(myr_inout(leaf.make(64))).allowed);
  CHECK(covers(myr_inout(leaf.make(64))).top == outer.index());
  CHECK(covers(myr_inout_region(inner.id())).allowed);
  CHECK(covers(myr_in(outer.make(64))).allowed);
  CHECK_FALSE(covers(myr_inout(outer.make(64))).allowed);
  CHECK_FALSE(covers(myr_inout_region(outer.id())).allowed);
  CHECK_FALSE(covers(myr_in_region(deps::kRootRegion)).allowed);
  CHECK_FALSE(covers(myr_in(beside.make(64))).allowed);
  CHECK(covers(myr_in(beside.make(64))).top == deps::kNoRegion);
}

TEST_CASE("an object or range covers what lies inside it") {
  TestTasks tasks;
  const TestRegion region;
  char* object = region.make(256);
  std::array<char, 100> local{};
  Task& holder = holder_of(tasks, {myr_inout(object), myr_make_access(local.data(), 50, MYR_IN)});
  const auto covers = [&](void* first, std::size_t bytes, unsigned mode) {
    const myr_access access = myr_make_access(first, bytes, mode);
    return cover(test_space(), holder, target_of(access)).allowed;
  };
  CHECK(covers(object, 256, MYR_INOUT));
  CHECK(covers(object + 100, 100, MYR_OUT));
  CHECK_FALSE(covers(region.make(64), 64, MYR_IN));
  CHECK(covers(local.data() + 10, 20, MYR_IN));
  CHECK_FALSE(covers(local.data() + 10, 20, MYR_OUT));
  CHECK_FALSE(covers(local.data() + 40, 20, MYR_IN));  // half of it is declared
  CHECK(covers(local.data() + 50, 20, MYR_OUT));       // none of it: the holder's own
  CHECK_FALSE(cover(test_space(), holder, target_of(myr_in_region(region.id()))).allowed);
}

TEST_CASE("a task may free what is strictly inside what it holds for writing") {
  TestTasks tasks;
  const TestRegion outer;
  const TestRegion inner(outer.index());
  char* object = outer.make(64);
  char* argument = outer.make(64);
  const auto frees = [&](Task& holder, const myr_access& access) {
    return may_free(test_space(), holder, target_of(access));
  };
  Task& writer = holder_of(tasks, {myr_inout_region(outer.id()), myr_inout(argument)});
  CHECK(frees(writer, myr_inout(object)));
  CHECK(frees(writer, myr_inout_region(inner.id())));
  CHECK_FALSE(frees(writer, myr_inout(argument)));
  CHECK_FALSE(frees(writer, myr_inout_region(outer.id())));
  Task& reader = holder_of(tasks, {myr_in_region(outer.id()), myr_inout(object)});
  CHECK_FALSE(frees(reader, myr_inout(object)));
  CHECK_FALSE(frees(reader, myr_inout_region(inner.id())));
  Task& both = holder_of(tasks, {myr_inout_region(outer.id()), myr_in_region(inner.id())});
  CHECK_FALSE(frees(both, myr_inout_region(inner.id())));
}
