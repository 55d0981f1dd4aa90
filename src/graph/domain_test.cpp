// SPDX-License-Identifier: Apache-2.0
//
// A domain against the letter of the rules: all small sequences, and long random ones, of accesses
// to regions, objects and parts, compared with the plain list of what was entered.
#include "graph/domain.hpp"

#include <array>
#include <string>

#include "graph/test_regions.hpp"
#include "graph/test_space.hpp"
#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;
using deps::kNoRegion;
using deps::kRootRegion;
using deps::RegionIndex;

namespace {

// Do two accesses touch common memory, at least one writing?
bool conflict(const deps::RegionTree& tree, const Target& a, const Target& b) {
  if (!a.writes && !b.writes) return false;
  const bool in_group = a.group != Group::None && a.group == b.group && a.kind == b.kind;
  if (in_group && (a.kind != TargetKind::Region || a.region == b.region)) return false;
  if (a.kind == TargetKind::Region && b.kind == TargetKind::Region) {
    return tree.encloses(a.region, b.region) || tree.encloses(b.region, a.region);
  }
  if (a.kind == TargetKind::Region)
    return b.region != kNoRegion && tree.encloses(a.region, b.region);
  if (b.kind == TargetKind::Region) return conflict(tree, b, a);
  if (a.kind == TargetKind::Blocks && b.kind == TargetKind::Blocks && a.object == b.object) {
    return a.begin >> a.block_shift <= (b.end - 1) >> b.block_shift &&
           b.begin >> b.block_shift <= (a.end - 1) >> a.block_shift;
  }
  return a.begin < b.end && b.begin < a.end;
}

Target region(RegionIndex index) { return {.kind = TargetKind::Region, .region = index}; }
Target object(RegionIndex owner, std::uint64_t address, std::uint64_t bytes) {
  return {.kind = TargetKind::Object,
          .region = owner,
          .begin = address,
          .end = address + bytes,
          .object = 0};
}
Target part(const Target& whole, std::uint64_t from, std::uint64_t to) {
  return {.kind = TargetKind::Range,
          .region = whole.region,
          .begin = whole.begin + from,
          .end = whole.begin + to,
          .object = whole.begin};
}
// Blocks of an array that begins with a block of 128 bytes.
Target blocks(RegionIndex owner, std::uint64_t array, std::uint64_t from, std::uint64_t to) {
  return {.kind = TargetKind::Blocks,
          .region = owner,
          .block_shift = 7,
          .begin = array + from,
          .end = array + to,
          .object = array};
}
// Objects of so many bytes that lie side by side.
constexpr std::size_t kStretchObject = 128;
Target stretch(RegionIndex owner, std::uint64_t begin, std::size_t count) {
  return {.kind = TargetKind::Range,
          .region = owner,
          .begin = begin,
          .end = begin + count * kStretchObject};
}
bool is_stretch(const Target& target) {
  return target.kind == TargetKind::Range && target.region != kNoRegion && target.object == 0;
}
Target unmanaged(std::uint64_t begin, std::uint64_t end) {
  return {.kind = TargetKind::Range, .begin = begin, .end = end};
}
Target with_mode(Target target, bool writes, Group group = Group::None) {
  target.writes = writes;
  target.group = group;
  return target;
}

// A domain, the regions that its owner holds, and the list of what was entered.
class DomainBench {
 public:
  DomainBench(TestTasks& supply, const deps::RegionTree& tree, std::vector<RegionIndex> held)
      : tree_(tree), held_(std::move(held)), scenario_(supply) {}

  // Enters all accesses of one new task. Returns whether what the domain reported is right.
  bool enter(const std::vector<Target>& targets) {
    const TaskRef task = scenario_.next();
    Scenario::Sink sink(scenario_, task);
    Scenario::Set expected = 0;
    for (const Target& target : targets) {
      expected |= users(target);
      if (is_stretch(target)) {
        enter_stretch(target, sink);
      } else {
        domain_.enter(tree_, target, top(target), sink);
      }
    }
    reported_ = sink.reported();
    const bool right = scenario_.accepts(reported_, expected);
    scenario_.settle(task, reported_);
    entered_.push_back(targets);
    return right;
  }
  // For the last task entered.
  [[nodiscard]] Scenario::Set reported() const { return reported_; }
  // Is what the frozen domain would tell a task from outside right?
  [[nodiscard]] bool tells(const Target& target) {
    Scenario::Sink sink(scenario_, TaskRef{});
    domain_.report_conflicts(tree_, target, sink);
    return scenario_.accepts(sink.reported(), users(target));
  }
  void clear() {
    domain_.clear();
    for (std::vector<Target>& targets : entered_) targets.clear();
  }
  [[nodiscard]] Domain& domain() { return domain_; }
  [[nodiscard]] Scenario& scenario() { return scenario_; }

 private:
  // As a worker does, if the region may be noted as stretches.
  void enter_stretch(const Target& target, Scenario::Sink& sink) {
    const std::size_t count = (target.end - target.begin) / kStretchObject;
    if (domain_.enter_stretch(tree_, target, count, count > 4, sink)) return;
    for (std::uint64_t at = target.begin; at < target.end; at += kStretchObject) {
      const Target one = with_mode(object(target.region, at, kStretchObject), target.writes);
      domain_.enter(tree_, one, top(one), sink);
    }
  }
  [[nodiscard]] Scenario::Set users(const Target& wanted) const {
    Scenario::Set users = 0;
    for (std::size_t task = 0; task < entered_.size(); ++task) {
      for (const Target& target : entered_[task]) {
        if (conflict(tree_, target, wanted)) users |= Scenario::Set{1} << task;
      }
    }
    return users;
  }
  // The highest region around the target that the owner holds.
  [[nodiscard]] RegionIndex top(const Target& target) const {
    RegionIndex highest = kNoRegion;
    if (target.region == kNoRegion) return highest;
    for (const RegionIndex held : held_) {
      if (!tree_.encloses(held, target.region)) continue;
      if (highest == kNoRegion || tree_.depth(held) < tree_.depth(highest)) highest = held;
    }
    return highest;
  }

  const deps::RegionTree& tree_;
  std::vector<RegionIndex> held_;
  Domain domain_;
  Scenario scenario_;
  std::vector<std::vector<Target>> entered_;
  Scenario::Set reported_ = 0;
};

// root > { outer > inner, beside }, an object in each of outer and inner, and other memory.
struct World {
  TestRegions regions;
  RegionIndex outer = regions.create();
  RegionIndex inner = regions.create(outer);
  RegionIndex beside = regions.create();
  Target in_outer = object(outer, 0x10000, 128);
  Target in_inner = object(inner, 0x20000, 128);
  Target in_beside = object(beside, 0x10080, 64);
  // Without a byte in common, but with a block.
  std::array<Target, 2> in_blocks{blocks(inner, 0x30000, 0, 130), blocks(inner, 0x30000, 200, 400)};

  [[nodiscard]] const deps::RegionTree& tree() const { return regions.tree(); }
  [[nodiscard]] std::vector<Target> inside_outer() const {
    return {region(outer),         region(inner),           in_outer,     in_inner,
            part(in_inner, 0, 64), part(in_inner, 32, 128), in_blocks[0], in_blocks[1]};
  }
};

}  // namespace

namespace {

// How many answers are wrong in all sequences of that length.
std::size_t count_wrong(const World& world, const std::vector<Target>& choices, unsigned length) {
  TestTasks tasks;
  std::vector<Target> probes = choices;  // and what lies around
  probes.push_back(with_mode(region(kRootRegion), true));
  probes.push_back(with_mode(world.in_beside, true));
  std::size_t sequences = 1;
  for (unsigned i = 0; i < length; ++i) sequences *= choices.size();
  std::size_t wrong = 0;
  for (std::size_t code = 0; code < sequences; ++code) {
    DomainBench bench(tasks, world.tree(), {world.outer});
    std::size_t rest = code;
    for (unsigned i = 0; i < length; ++i, rest /= choices.size()) {
      if (!bench.enter({choices[rest % choices.size()]})) wrong += 1;
    }
    for (const Target& probe : probes) {
      if (!bench.tells(probe)) wrong += 1;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("all sequences of four accesses in a region agree with the rules") {
  const World world;
  std::vector<Target> choices;
  for (const Target& target : world.inside_outer()) {
    choices.push_back(with_mode(target, false));
    choices.push_back(with_mode(target, true));
  }
  CHECK(count_wrong(world, choices, 4) == 0);
}

TEST_CASE("all sequences of three accesses of tasks in any order agree with the rules") {
  const World world;
  std::vector<Target> choices;
  for (const Target& target : world.inside_outer()) {
    choices.push_back(with_mode(target, false));
    choices.push_back(with_mode(target, true));
    choices.push_back(with_mode(target, true, Group::Commutative));
    choices.push_back(with_mode(target, true, Group::Concurrent));
  }
  CHECK(count_wrong(world, choices, 3) == 0);
}

TEST_CASE("who comes behind a writer waits for the writer alone") {
  TestTasks tasks;
  const World world;
  for (const Target& target : {region(world.outer), region(world.inner), world.in_inner}) {
    DomainBench bench(tasks, world.tree(), {world.outer});
    CHECK(bench.enter({with_mode(world.in_inner, true)}));
    CHECK(bench.enter({with_mode(target, false)}));
    for (std::size_t writer = 2; writer < 5; ++writer) {
      CHECK(bench.enter({with_mode(target, true)}));
      if (writer > 2) CHECK(bench.reported() == Scenario::Set{1} << (writer - 1));
    }
    CHECK(bench.enter({with_mode(target, false)}));
    CHECK(bench.reported() == Scenario::Set{1} << 4);
  }
}

TEST_CASE("objects of a region that the owner does not hold are ordered all the same") {
  TestTasks tasks;
  const World world;
  DomainBench bench(tasks, world.tree(), {world.beside});
  for (const bool writes : {true, false, false, true, true}) {
    CHECK(bench.enter({with_mode(world.in_inner, writes)}));
    CHECK(bench.enter({with_mode(world.in_outer, writes), with_mode(world.in_beside, writes)}));
    CHECK(bench.enter({with_mode(part(world.in_inner, 0, 64), writes)}));
  }
  for (const bool writes : {true, false}) {
    for (const Target& target : world.inside_outer()) CHECK(bench.tells(with_mode(target, writes)));
    CHECK(bench.tells(with_mode(region(kRootRegion), writes)));
    CHECK(bench.tells(with_mode(region(world.beside), writes)));
  }
}

TEST_CASE("a cleared domain knows of nobody") {
  TestTasks tasks;
  const World world;
  DomainBench bench(tasks, world.tree(), {kRootRegion});
  for (int round = 0; round < 3; ++round) {
    for (const Target& target : world.inside_outer()) CHECK(bench.enter({with_mode(target, true)}));
    CHECK(bench.enter({with_mode(unmanaged(10, 20), true)}));
    bench.clear();
    CHECK_FALSE(bench.domain().has_parts());
    for (const Target& target : world.inside_outer()) CHECK(bench.tells(with_mode(target, true)));
    CHECK(bench.tells(with_mode(unmanaged(0, 100), true)));
  }
}

TEST_CASE("a live writer of a region or of one around it is noticed") {
  TestTasks tasks;
  const World world;
  DomainBench bench(tasks, world.tree(), {kRootRegion});
  const auto has_writer = [&](RegionIndex index) {
    return bench.domain().has_region_writer(world.tree(), index);
  };
  CHECK(bench.enter({with_mode(region(world.inner), false)}));
  CHECK(bench.enter({with_mode(world.in_inner, true)}));
  CHECK_FALSE(has_writer(world.inner));
  CHECK(bench.enter({with_mode(region(world.outer), true)}));
  CHECK(has_writer(world.inner));
  CHECK(has_writer(world.outer));
  CHECK_FALSE(has_writer(world.beside));
  CHECK_FALSE(has_writer(kRootRegion));
  for (int i = 0; i < 3; ++i) bench.scenario().complete_one(0);
  CHECK_FALSE(has_writer(world.inner));
}

TEST_CASE("who used other memory is listed for any part of it") {
  TestTasks tasks;
  const World world;
  DomainBench bench(tasks, world.tree(), {kRootRegion});
  CHECK(bench.enter({with_mode(unmanaged(100, 200), true)}));
  CHECK(bench.enter({with_mode(unmanaged(150, 160), false), with_mode(world.in_inner, true)}));
  const auto count_users = [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<TaskRef> users;
    bench.domain().visit_unmanaged_users(begin, end, [&](TaskRef user) { users.push_back(user); });
    return users.size();
  };
  CHECK(count_users(0, 100) == 0);
  CHECK(count_users(100, 101) == 1);
  CHECK(count_users(155, 156) == 2);
  CHECK(count_users(200, 300) == 0);
}

namespace {

// Regions in regions, with objects, at random.
struct RandomWorld {
  TestRegions regions;
  std::vector<RegionIndex> all{kRootRegion};
  std::vector<Target> objects;

  explicit RandomWorld(std::mt19937& random) {
    for (std::uint64_t i = 0; i < 12; ++i) {
      all.push_back(regions.create(all[random() % all.size()]));
      for (std::uint64_t j = 0; j < 2; ++j) {
        objects.push_back(object(all[random() % all.size()], (i * 2 + j + 1) * 4096 + j * 64, 256));
      }
    }
  }
  [[nodiscard]] Target target(std::mt19937& random) const {
    const Target& whole = objects[random() % objects.size()];
    const std::uint64_t from = random() % 256;
    const bool writes = random() % 3 == 0;
    const Group group = writes ? static_cast<Group>(random() % 3) : Group::None;
    switch (random() % 9) {
      case 0:
      case 1:
        return with_mode(region(all[random() % all.size()]), writes, group);
      case 2:
        return with_mode(part(whole, from, from + 1 + random() % (256 - from)), writes, group);
      case 3:
        return with_mode(unmanaged(from, from + 1 + random() % 50), writes, group);
      case 4: {
        const std::uint64_t first = random() % 10'000;
        const std::uint64_t bytes = 1 + random() % 500;
        return with_mode(blocks(all[5], 0x100000, first, first + bytes), writes, group);
      }
      default:
        return with_mode(whole, writes, group);
    }
  }
};

// May a child of a task that holds these regions, and the objects of others, use the target?
bool is_held(const deps::RegionTree& tree, const std::vector<RegionIndex>& held,
             const Target& target) {
  if (target.kind != TargetKind::Region) return true;
  for (const RegionIndex index : held) {
    if (tree.encloses(index, target.region)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("long random sequences in nested regions agree with the rules") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  TestTasks tasks;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const RandomWorld world(random);
    std::vector<RegionIndex> held{kRootRegion};
    if (round % 2 == 0) {
      held = {world.all[1 + random() % 12], world.all[1 + random() % 12],
              world.all[1 + random() % 12]};
    }
    DomainBench bench(tasks, world.regions.tree(), held);
    while (bench.scenario().count() < 50) {
      std::vector<Target> targets;
      for (std::uint64_t i = random() % 4; i > 0 || targets.empty(); i -= i > 0) {
        const Target target = world.target(random);
        if (is_held(world.regions.tree(), held, target)) targets.push_back(target);
      }
      REQUIRE(bench.enter(targets));
      while (random() % 3 == 0) bench.scenario().complete_one(random() % bench.scenario().count());
      REQUIRE(bench.tells(world.target(random)));
    }
  }
}

namespace {

// A region whose objects lie side by side, and one inside of it.
struct StretchWorld {
  static constexpr std::uint64_t kObjects = 40;
  TestRegion outer;
  TestRegion inner{outer.index()};
  std::uint64_t first = 0;

  StretchWorld() {
    std::vector<std::uint64_t> made;
    for (int i = 0; i < 600; ++i) {
      made.push_back(reinterpret_cast<std::uint64_t>(outer.make(kStretchObject)));
      const bool goes_on = made.size() > 1 && made.back() == *(made.end() - 2) + kStretchObject;
      if (!goes_on) made = {made.back()};
      if (made.size() == kObjects) break;
    }
    REQUIRE(made.size() == kObjects);
    first = made.front();
  }
  [[nodiscard]] Target object_at(std::uint64_t place) const {
    return object(outer.index(), first + place * kStretchObject, kStretchObject);
  }
  // `single_in`: one in so many is a single object.
  [[nodiscard]] Target target(std::mt19937& random, unsigned single_in) const {
    const bool writes = random() % 3 == 0;
    const Group group = writes ? static_cast<Group>(random() % 3) : Group::None;
    const std::uint64_t begin = random() % kObjects;
    const Target one = object_at(begin);
    const std::uint64_t address = one.begin;
    if (random() % single_in == 0) {
      return random() % 2 == 0 ? with_mode(stretch(outer.index(), address, 1), writes)
                               : with_mode(one, writes, group);
    }
    switch (random() % 12) {
      case 0:
        return with_mode(part(one, random() % 64, 65 + random() % 63), writes);
      case 1:
        return with_mode(region(random() % 2 == 0 ? outer.index() : inner.index()), writes);
      default:
        return with_mode(stretch(outer.index(), address, 1 + random() % (kObjects - begin)),
                         writes);
    }
  }
};

}  // namespace

// In some rounds so many single objects come in between that the region's are noted one by one.
TEST_CASE("objects side by side are ordered like single ones, and with them") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  TestTasks tasks;
  const StretchWorld world;
  const deps::RegionTree& tree = test_space().tree();
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const unsigned single_in = round % 3 == 0 ? 1 : round % 3 == 1 ? 2 : 8;
    DomainBench bench(tasks, tree, {kRootRegion});
    REQUIRE(bench.enter({with_mode(stretch(world.outer.index(), world.first, 20), true)}));
    while (bench.scenario().count() < 60) {
      std::vector<Target> targets;
      for (std::uint64_t i = 1 + random() % (single_in == 1 ? 12 : 4); i > 0; --i) {
        targets.push_back(world.target(random, single_in));
      }
      REQUIRE(bench.enter(targets));
      while (random() % 3 == 0) bench.scenario().complete_one(random() % bench.scenario().count());
      REQUIRE(bench.tells(with_mode(world.object_at(random() % world.kObjects), true)));
    }
  }
}
