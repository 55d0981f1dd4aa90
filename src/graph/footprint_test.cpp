// SPDX-License-Identifier: Apache-2.0
//
// What a task with many accesses may hand on, against the plain rule.
#include "graph/footprint.hpp"

#include "graph/interior.hpp"
#include "graph/test_space.hpp"
#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

// A task that holds these accesses.
class Holder {
 public:
  Holder(TestTasks& supply, const std::vector<myr_access>& accesses)
      : task_(supply.make(accesses.size() * sizeof(myr_access))) {
    task_->depth = 1;
    task_->access_count = static_cast<std::uint32_t>(accesses.size());
    task_->access_offset =
        (task_->flags & kExternal) == 0 ? static_cast<std::uint32_t>(Task::kHeaderBytes) : 0;
    std::copy(accesses.begin(), accesses.end(), task_->accesses());
    task_->interior = &interior_;
  }
  ~Holder() {
    task_->interior = nullptr;
    if ((task_->flags & kExternal) != 0) TaskPool::free_external(task_);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  [[nodiscard]] bool permits(std::uint64_t begin, std::uint64_t end, bool writes) {
    const Target target{.kind = TargetKind::Range, .writes = writes, .begin = begin, .end = end};
    return cover(test_space(), *task_, target).allowed;
  }
  [[nodiscard]] bool may_free(const TestRegion& region) const {
    const Target target{.kind = TargetKind::Region, .writes = true, .region = region.index()};
    return graph::may_free(test_space(), *task_, target);
  }
  [[nodiscard]] const Interior& interior() const { return interior_; }

 private:
  Task* task_;
  Interior interior_;
};

}  // namespace

TEST_CASE("what a task declares in many ranges it may hand on, whole or in part") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  TestTasks tasks;
  for (const std::size_t count : {5U, 40U, 400U}) {
    std::vector<myr_access> accesses;
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned held = random() % 4 == 0 ? MYR_HELD : 0;
      const unsigned mode = (random() % 2 == 0 ? MYR_IN : MYR_INOUT) | held;
      accesses.push_back(myr_make_access(reinterpret_cast<void*>(1000 + random() % (4 * count)),
                                         1 + random() % 30, mode));
    }
    Holder holder(tasks, accesses);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t begin = 990 + random() % (4 * count + 50);
      const std::uint64_t end = begin + 1 + random() % 20;
      const bool writes = random() % 2 == 0;
      bool overlaps = false;
      bool inside = false;
      for (const myr_access& access : accesses) {
        const auto first = reinterpret_cast<std::uint64_t>(access.address);
        const std::uint64_t last = first + access.bytes;
        const bool may_be_freed = (access.flags & MYR_HELD) != 0 && (access.flags & MYR_OUT) != 0;
        overlaps = overlaps || (first < end && begin < last && !may_be_freed);
        const bool permits = !writes || (access.flags & MYR_OUT) != 0;
        inside = inside || (permits && first <= begin && end <= last);
      }
      REQUIRE(holder.permits(begin, end, writes) == (inside || !overlaps));
    }
    CHECK(holder.interior().declared.empty() == (count <= 16));  // few are not worth sorting
  }
}

TEST_CASE("a task may free what lies in a region that it writes, and nothing else") {
  TestTasks supply;
  const TestRegion held, inside(held.index()), other;
  const Holder writer(supply, {myr_inout_region(held.id())});
  CHECK(writer.may_free(inside));
  CHECK(!writer.may_free(held));
  CHECK(!writer.may_free(other));
  const Holder reader(supply, {myr_in_region(held.id())});
  CHECK(!reader.may_free(inside));
}
