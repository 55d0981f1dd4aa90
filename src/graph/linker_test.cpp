// SPDX-License-Identifier: Apache-2.0
//
// Linking and inheriting, by one thread: what a spawner and an ending task do, without workers.
#include "graph/linker.hpp"

#include <array>
#include <functional>
#include <span>
#include <unordered_map>

#include "deps/address_table.hpp"
#include "graph/resolve.hpp"
#include "graph/test_space.hpp"
#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

// Tasks without bodies; the test says when one ends. `main` is the root.
class Family {
 public:
  Family() {
    REQUIRE(static_cast<bool>(TaskArena::reserve()));
    all_.push_back(std::make_unique<Recycler>(std::uint16_t{0}, all_));
    main = make({});
    main->depth = 0;
    recycler().attach_interior(*main);
  }
  ~Family() { complete(main); }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  [[nodiscard]] Recycler& recycler() const { return *all_[0]; }

  Task* main = nullptr;

  // A new child behind all it conflicts with.
  Task* spawn(Task* parent, const std::vector<myr_access>& accesses) {
    Task* task = make(accesses);
    task->parent = parent;
    if (parent->interior == nullptr) recycler().attach_interior(*parent);
    task->waiting.start();
    Linker linker(*task, recycler(), test_space());
    linker.use_own_edge();
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      Target target;
      REQUIRE(resolve(test_space(), task->accesses()[i], target) == ResolveError::None);
      const deps::RegionIndex top =
          target.region == deps::kNoRegion ? deps::kNoRegion : deps::kRootRegion;
      parent->interior->domain.enter(test_space().tree(), target, top, linker);
    }
    edges_made += linker.edges();
    is_ready[task] = task->waiting.commit(linker.linked());
    return task;
  }
  // The body has ended, children have not.
  void close(Task* task) {
    for (Granule head = task->successors.close(); head != 0;) {
      const Edge edge = *TaskArena::edge(head);
      head = edge.next;
      Task* successor = TaskArena::task(edge.task);
      Linker linker(*successor, recycler(), test_space());
      linker.inherit(*task);
      edges_made += linker.edges();
      count_off(successor);
    }
  }
  // The task and its descendants have ended.
  void complete(Task* task) {
    for (Granule head = task->successors.complete(); head != 0;) {
      const Edge edge = *TaskArena::edge(head);
      head = edge.next;
      count_off(TaskArena::task(edge.task));
    }
    if (task->interior == nullptr || task->references.drop()) recycler().recycle(task);
  }

  std::unordered_map<Task*, bool> is_ready;
  std::size_t edges_made = 0;

 private:
  Task* make(const std::vector<myr_access>& accesses) {
    Task* task = recycler().pool().allocate(accesses.size() * sizeof(myr_access));
    REQUIRE(task != nullptr);
    task->depth = 1;
    task->access_count = static_cast<std::uint32_t>(accesses.size());
    task->access_offset =
        (task->flags & kExternal) == 0 ? static_cast<std::uint32_t>(Task::kHeaderBytes) : 0;
    std::copy(accesses.begin(), accesses.end(), task->accesses());
    return task;
  }
  void count_off(Task* task) {
    if (!task->waiting.count_off()) return;
    if ((task->flags & kJoin) != 0) {
      complete(task);
    } else {
      is_ready[task] = true;
    }
  }

  std::vector<std::unique_ptr<Recycler>> all_;
};

template <class T>
myr_access access_to(T& variable, unsigned mode) {
  return myr_make_access(&variable, sizeof variable, mode);
}

}  // namespace

TEST_CASE("a task waits for its predecessors, and for the complete ones not") {
  Family family;
  int x = 0;
  Task* first = family.spawn(family.main, {access_to(x, MYR_OUT)});
  Task* reader = family.spawn(family.main, {access_to(x, MYR_IN)});
  Task* other = family.spawn(family.main, {access_to(x, MYR_IN)});
  CHECK(family.is_ready[first]);
  CHECK_FALSE(family.is_ready[reader]);
  family.complete(first);
  CHECK(family.is_ready[reader]);
  CHECK(family.is_ready[other]);
  family.complete(other);
  Task* writer = family.spawn(family.main, {access_to(x, MYR_OUT)});
  CHECK(family.edges_made == 3);
  CHECK_FALSE(family.is_ready[writer]);
  family.complete(reader);
  CHECK(family.is_ready[writer]);
}

TEST_CASE("who meets the same two tasks at each of its objects waits for each of them once") {
  Family family;
  std::vector<int> objects(20);
  const auto all = [&](int mode) {
    std::vector<myr_access> accesses;
    for (int& object : objects) accesses.push_back(access_to(object, mode));
    return accesses;
  };
  Task* writer = family.spawn(family.main, all(MYR_OUT));
  Task* reader = family.spawn(family.main, all(MYR_IN));
  CHECK(family.edges_made == 1);
  Task* next = family.spawn(family.main, all(MYR_OUT));
  CHECK(family.edges_made == 3);
  family.complete(writer);
  CHECK_FALSE(family.is_ready[next]);
  family.complete(reader);
  CHECK(family.is_ready[next]);
}

TEST_CASE("a task may wait for any number of others") {
  Family family;
  int x = 0;
  for (const int readers : {1, 2, 11, 12, 1000}) {
    std::vector<Task*> tasks;
    for (int i = 0; i < readers; ++i)
      tasks.push_back(family.spawn(family.main, {access_to(x, MYR_IN)}));
    Task* writer = family.spawn(family.main, {access_to(x, MYR_OUT)});
    for (Task* task : tasks) {
      CHECK_FALSE(family.is_ready[writer]);
      family.complete(task);
    }
    CHECK(family.is_ready[writer]);
    family.complete(writer);
    CHECK(writer->extra_edges.load(sync::relaxed) == nullptr);
  }
}

namespace {

constexpr std::size_t kGroup = 300;

// Many tasks on these accesses behind one writer of them all, then as many on others; both ways and
// again: edges grow with the tasks, not with their pairs.
void check_edges_of_groups(const std::function<myr_access(std::size_t)>& first,
                           const std::function<myr_access(std::size_t)>& second) {
  Family family;
  std::vector<Task*> tasks;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      tasks.push_back(family.spawn(family.main, {first(i)}));
    }
    for (std::size_t i = 0; i < kGroup; ++i) {
      tasks.push_back(family.spawn(family.main, {second(i)}));
    }
  }
  CHECK(family.edges_made <= 6 * tasks.size());
  for (std::size_t done = 0; done < tasks.size(); ++done) {
    const std::size_t group = done / kGroup * kGroup;  // all before it have ended
    REQUIRE(family.is_ready[tasks[done]]);
    if (group + kGroup < tasks.size()) REQUIRE_FALSE(family.is_ready[tasks[group + kGroup]]);
    family.complete(tasks[done]);
  }
}

}  // namespace

TEST_CASE("writers of objects and readers of their region make as many edges as they are") {
  TestRegion region;
  std::vector<char*> objects;
  for (std::size_t i = 0; i < kGroup; ++i) objects.push_back(region.make(64));
  check_edges_of_groups([&](std::size_t i) { return myr_inout(objects[i]); },
                        [&](std::size_t) { return myr_in_region(region.id()); });
}

TEST_CASE("so do writers of parts and readers of all of them") {
  constexpr std::size_t kPart = 4;
  constexpr std::size_t kParts = kGroup * kPart;
  TestRegion region;
  std::vector<char> outside(kParts);
  char* const object = region.make(kParts + kPart);
  for (char* const memory : {outside.data(), object}) {
    check_edges_of_groups([&](std::size_t i) { return myr_inout_range(memory + kPart * i, kPart); },
                          [&](std::size_t) { return myr_in_range(memory, kParts); });
  }
  check_edges_of_groups([&](std::size_t i) { return myr_inout_range(object + kPart * i, kPart); },
                        [&](std::size_t) { return myr_in(object); });
}

TEST_CASE("so do writers of regions and readers of the region around them") {
  TestRegion outer;
  std::vector<std::unique_ptr<TestRegion>> inside;
  for (std::size_t i = 0; i < kGroup; ++i) {
    inside.push_back(std::make_unique<TestRegion>(outer.index()));
  }
  check_edges_of_groups([&](std::size_t i) { return myr_inout_region(inside[i]->id()); },
                        [&](std::size_t) { return myr_in_region(outer.id()); });
}

TEST_CASE("so do writers of parts and tasks that use all of them in any order") {
  constexpr std::size_t kPart = 4;
  std::vector<char> parts(kGroup * kPart);
  for (const unsigned way : {unsigned{MYR_COMMUTATIVE}, unsigned{MYR_CONCURRENT}}) {
    check_edges_of_groups(
        [&](std::size_t i) { return myr_inout_range(&parts[kPart * i], kPart); },
        [&](std::size_t) { return myr_make_access(parts.data(), parts.size(), MYR_INOUT | way); });
  }
}

// A window is half of the parts. Each access meets some spans in each layer, or a few fragments.
TEST_CASE("writers of parts and users of windows over them make edges for their logarithm") {
  constexpr std::size_t kPart = 4;
  std::vector<char> parts(kGroup * kPart);
  for (const unsigned mode : {unsigned{MYR_IN}, unsigned{MYR_INOUT | MYR_CONCURRENT}}) {
    Family family;
    std::vector<Task*> tasks;
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < kGroup; ++i) {
        tasks.push_back(family.spawn(family.main, {myr_inout_range(&parts[kPart * i], kPart)}));
      }
      for (std::size_t i = 0; i < kGroup; ++i) {
        void* const first = &parts[i / 2 * kPart];
        tasks.push_back(
            family.spawn(family.main, {myr_make_access(first, kGroup / 2 * kPart, mode)}));
      }
    }
    CHECK(family.edges_made <= 30 * tasks.size());
    for (Task* task : tasks) {
      REQUIRE(family.is_ready[task]);
      family.complete(task);
    }
  }
}

TEST_CASE("a region that many have read knows who is inside, even when its readers have ended") {
  TestRegion outer;
  std::vector<std::unique_ptr<TestRegion>> inside;
  Family family;
  std::vector<Task*> ended;
  for (std::size_t i = 0; i < 10; ++i) {
    inside.push_back(std::make_unique<TestRegion>(outer.index()));
    ended.push_back(family.spawn(family.main, {myr_inout_region(inside[i]->id())}));
  }
  for (std::size_t i = 0; i < 10; ++i) {
    ended.push_back(family.spawn(family.main, {myr_in_region(outer.id())}));
  }
  for (Task* task : ended) family.complete(task);
  Task* first = family.spawn(family.main, {myr_inout(inside[0]->make(64))});
  Task* second = family.spawn(family.main, {myr_inout(inside[1]->make(64))});
  Task* reader = family.spawn(family.main, {myr_in_region(outer.id())});
  family.complete(first);
  CHECK_FALSE(family.is_ready[reader]);
  family.complete(second);
  CHECK(family.is_ready[reader]);
}

TEST_CASE("who waits for an ended task waits for its children on the same memory instead") {
  Family family;
  int x = 0;
  int y = 0;
  Task* parent = family.spawn(family.main, {access_to(x, MYR_OUT), access_to(y, MYR_OUT)});
  Task* before = family.spawn(family.main, {access_to(x, MYR_IN)});  // linked before the end
  Task* child_x = family.spawn(parent, {access_to(x, MYR_OUT)});
  Task* child_y = family.spawn(parent, {access_to(y, MYR_OUT)});
  family.close(parent);
  Task* behind = family.spawn(family.main, {access_to(y, MYR_IN)});  // linked behind it
  family.complete(child_y);
  CHECK(family.is_ready[behind]);
  CHECK_FALSE(family.is_ready[before]);
  family.complete(child_x);
  CHECK(family.is_ready[before]);
  family.complete(parent);
  CHECK(family.is_ready[family.spawn(family.main, {access_to(x, MYR_IN)})]);
}

TEST_CASE("who waits for an ended task waits for children on memory that it had not declared") {
  Family family;
  int x = 0;
  int y = 0;
  int made = 0;  // by the parent
  Task* parent = family.spawn(family.main, {access_to(x, MYR_OUT)});
  Task* before = family.spawn(family.main, {access_to(x, MYR_IN)});
  Task* other = family.spawn(family.main, {access_to(y, MYR_IN)});
  Task* child = family.spawn(parent, {access_to(made, MYR_IN)});
  parent->interior->domain.note_own_memory();
  Task* grandchild = family.spawn(child, {access_to(made, MYR_IN)});
  family.close(parent);
  Task* behind = family.spawn(family.main, {access_to(x, MYR_OUT)});
  family.close(child);
  CHECK_FALSE(family.is_ready[before]);
  CHECK_FALSE(family.is_ready[behind]);
  CHECK(family.is_ready[other]);
  family.complete(grandchild);
  CHECK(family.is_ready[before]);
  CHECK_FALSE(family.is_ready[behind]);
  family.complete(before);
  CHECK(family.is_ready[behind]);
  family.complete(child);
  family.complete(parent);
}

TEST_CASE("a task that inherits nothing runs when its predecessor ends") {
  Family family;
  int x = 0;
  int y = 0;
  Task* parent = family.spawn(family.main, {access_to(x, MYR_OUT), access_to(y, MYR_OUT)});
  Task* waiter = family.spawn(family.main, {access_to(x, MYR_IN)});
  Task* child = family.spawn(parent, {access_to(y, MYR_OUT)});
  family.close(parent);
  CHECK(family.is_ready[waiter]);
  family.complete(child);
  family.complete(parent);
}

TEST_CASE("a task may inherit any number of edges" * doctest::test_suite("long")) {
  constexpr std::size_t kChildren = (1U << 20) + 1;
  Family family;
  std::vector<char> bytes(kChildren);
  const myr_access all = myr_inout_range(bytes.data(), kChildren);
  Task* parent = family.spawn(family.main, {all});
  Task* waiter = family.spawn(family.main, {all});
  std::vector<Task*> children;
  for (char& byte : bytes) children.push_back(family.spawn(parent, {access_to(byte, MYR_OUT)}));
  family.close(parent);
  CHECK(family.edges_made == 1 + kChildren);
  CHECK_FALSE(family.is_ready[waiter]);
  for (Task* child : children) family.complete(child);
  CHECK(family.is_ready[waiter]);
  family.complete(parent);
  family.complete(waiter);
}

TEST_CASE("regions and objects in them are inherited like other memory") {
  Family family;
  TestRegion outer;
  TestRegion inner(outer.index());
  char* object = inner.make(64);
  Task* parent = family.spawn(family.main, {myr_inout_region(outer.id())});
  Task* inner_child = family.spawn(parent, {myr_inout_region(inner.id())});
  Task* outer_child = family.spawn(parent, {myr_inout(outer.make(64))});
  family.close(parent);
  Task* waiter = family.spawn(family.main, {myr_in(object)});
  CHECK_FALSE(family.is_ready[waiter]);
  Task* all = family.spawn(family.main, {myr_in_region(outer.id())});
  family.complete(inner_child);
  CHECK(family.is_ready[waiter]);
  CHECK_FALSE(family.is_ready[all]);
  family.complete(outer_child);
  CHECK(family.is_ready[all]);
  family.complete(parent);
}

namespace {

// Closed tasks in each other, all on the same memory. Returns them from the outermost on; the last
// is open.
std::vector<Task*> nest(Family& family, std::size_t depth,
                        const std::vector<myr_access>& accesses) {
  std::vector<Task*> chain;
  for (std::size_t i = 0; i < depth; ++i) {
    chain.push_back(family.spawn(i == 0 ? family.main : chain.back(), accesses));
    if (i > 0) family.close(chain[i - 1]);
  }
  return chain;
}

}  // namespace

TEST_CASE("closed tasks may nest deeper than the stack, and are looked into once each") {
  Family family;
  int x = 0;
  int y = 0;
  const std::vector<myr_access> both{access_to(x, MYR_INOUT), access_to(y, MYR_INOUT)};
  const std::vector<Task*> chain = nest(family, 50'000, both);
  Task* waiter = family.spawn(family.main, both);  // would not end if each level doubled the work
  CHECK(family.edges_made <= 2);
  CHECK_FALSE(family.is_ready[waiter]);
  for (auto task = chain.rbegin(); task != chain.rend(); ++task) {
    CHECK(family.is_ready[waiter] == (task != chain.rbegin()));
    family.complete(*task);
  }
}

TEST_CASE("all of a group behind a reader wait for what an ended writer's children read") {
  Family family;
  int x = 0;
  Task* writer = family.spawn(family.main, {access_to(x, MYR_OUT)});
  Task* child = family.spawn(writer, {access_to(x, MYR_IN)});
  family.close(writer);
  Task* reader = family.spawn(family.main, {access_to(x, MYR_IN)});
  CHECK(family.is_ready[reader]);
  const myr_access shared = access_to(x, MYR_INOUT | MYR_CONCURRENT);
  Task* first = family.spawn(family.main, {shared});
  Task* second = family.spawn(family.main, {shared});
  family.complete(reader);
  CHECK_FALSE(family.is_ready[first]);
  CHECK_FALSE(family.is_ready[second]);
  family.complete(child);
  CHECK(family.is_ready[first]);
  CHECK(family.is_ready[second]);
  family.complete(writer);
}

TEST_CASE("the last user of lent memory is found below ended tasks") {
  Family family;
  int x[4] = {};
  const auto first = reinterpret_cast<std::uint64_t>(&x[0]);
  const auto user = [&](std::uint64_t begin, std::uint64_t end) {
    return find_unmanaged_user(family.main->interior->domain, first + begin, first + end,
                               family.recycler());
  };
  CHECK_FALSE(user(0, 16));
  const std::vector<Task*> chain = nest(family, 50'000, {access_to(x[1], MYR_OUT)});
  CHECK(user(0, 16) == TaskArena::ref(chain.back()));
  CHECK_FALSE(user(0, 4));
  CHECK_FALSE(user(8, 16));
  for (auto task = chain.rbegin(); task != chain.rend(); ++task) family.complete(*task);
  CHECK_FALSE(user(0, 16));
}

namespace {

// Random tasks on a few variables, linked and, at random times, run; side by side with the model
// that has a last writer and readers for each address.
class Lockstep {
 public:
  explicit Lockstep(std::mt19937& random) : random_(random) {}

  void spawn() {
    std::vector<myr_access> accesses;
    std::vector<deps::AddressUse> uses;
    for (std::size_t i = 0; i <= random_() % 4; ++i) {
      int& variable = variables_[random_() % variables_.size()];
      const bool writes = random_() % 2 == 0;
      accesses.push_back(access_to(variable, writes ? MYR_INOUT : MYR_IN));
      uses.push_back({reinterpret_cast<std::uint64_t>(&variable),
                      writes ? deps::Mode::Write : deps::Mode::Read});
    }
    const bool may_run = table_.add(tasks_.size(), uses);
    tasks_.push_back(family_.spawn(family_.main, accesses));
    CHECK(family_.is_ready[tasks_.back()] == may_run);
    running_.push_back(tasks_.size() - 1);
  }
  // One that may run, if there is one at a random place or behind it.
  void run_one() {
    if (running_.empty()) return;
    const std::size_t from = random_() % running_.size();
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const std::size_t place = (from + i) % running_.size();
      const std::size_t task = running_[place];
      if (!table_.ready(task)) continue;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
      table_.retire(task);
      family_.complete(tasks_[task]);
      return;
    }
    FAIL("nobody may run");
  }
  void check() {
    for (const std::size_t task : running_) {
      REQUIRE(family_.is_ready[tasks_[task]] == table_.ready(task));
    }
  }
  [[nodiscard]] bool idle() const { return running_.empty(); }

 private:
  std::mt19937& random_;
  std::array<int, 5> variables_{};
  Family family_;
  deps::AddressTable table_;
  std::vector<Task*> tasks_;
  std::vector<std::size_t> running_;  // that are spawned and not complete
};

}  // namespace

TEST_CASE("random tasks may run exactly when the model of addresses says so") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    Lockstep both(random);
    for (int step = 0; step < 200; ++step) {
      random() % 3 == 0 ? both.run_one() : both.spawn();
      both.check();
    }
    while (!both.idle()) {
      both.run_one();
      both.check();
    }
  }
}
