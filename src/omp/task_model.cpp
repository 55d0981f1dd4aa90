// SPDX-License-Identifier: Apache-2.0
//
// Tasks under the explorer: each runs once, after those that it depends on; a thread that waits for
// tasks sees what they wrote; their memory is used again only when nobody needs it.
#include <doctest/doctest.h>

#include <array>

#include "explore/must_hold.hpp"
#include "omp/abi.hpp"
#include "omp/task.hpp"
#include "omp/world_model.hpp"

using namespace myr;
using omp::Thread;
using omp::World;

MYR_OMP_API void* __kmpc_taskred_init(int, int, void*);
MYR_OMP_API void* __kmpc_taskred_modifier_init(const void*, int, int, int, void*);
MYR_OMP_API void __kmpc_task_reduction_modifier_fini(const void*, int, int);
MYR_OMP_API void* __kmpc_task_reduction_get_th_data(int, void*, void*);
MYR_OMP_API void __kmpc_taskgroup(const void*, int);
MYR_OMP_API void __kmpc_end_taskgroup(const void*, int);

namespace {

constexpr explore::Options kOptions{.preemptions_max = 1, .stale_reads_max = 1};

// Runs in one thread of a region of two; the other one meets it at the end of the region, or at a
// barrier.
template <class Body>
void in_master(Thread& master, Body body) {
  omp::parallel(master, 2, [&](Thread& self) {
    if (self.at.index == 0) body(self);
  });
}

omp::Task* wait_for_event(sync::Atomic<void*>& given) {
  void* event = given.load(sync::acquire);
  while (event == nullptr) {
    sync::spin_pause();
    event = given.load(sync::acquire);
  }
  return static_cast<omp::Task*>(event);
}

// gcc's description of one dependence.
struct Depend {
  explicit Depend(const void* address, bool writes)
      : words{reinterpret_cast<void*>(1), reinterpret_cast<void*>(writes ? 1 : 0),
              const_cast<void*>(address)} {}
  void* words[3];
};

}  // namespace

TEST_CASE("who waits for its children sees what they wrote") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    in_master(master, [](Thread& self) {
      std::array<sync::Plain<int>, 2> written;
      for (auto& each : written) omp::task(self, [&](Thread&) { each = 1; });
      omp::wait_for_children(self);
      for (const auto& each : written) explore::check(each == 1, "the child has run");
    });
  });
}

TEST_CASE("both threads of a region may make tasks and run them") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    std::array<sync::Plain<int>, 2> written;
    omp::parallel(master, 2, [&](Thread& self) {
      auto& mine = written[self.at.index];
      omp::task(self, [&](Thread&) { mine = 1; });
      omp::wait_for_children(self);
      explore::check(mine == 1, "the child has run");
    });
  });
}

TEST_CASE("a region ends when all its tasks have") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    for (int turn = 0; turn < 2; ++turn) {
      sync::Plain<int> written{0};
      in_master(master, [&](Thread& self) { omp::task(self, [&](Thread&) { written = 1; }); });
      explore::check(written == 1, "the task has run");
    }
  });
}

TEST_CASE("no task of before a barrier runs after it") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    omp::parallel(master, 2, [&](Thread& self) {
      if (self.at.index == 0) omp::task(self, [&](Thread&) { written = 1; });
      omp::barrier(self);
      explore::check(written == 1, "the task has run");
      omp::barrier(self);
    });
  });
}

TEST_CASE("tasks of both threads are over after a barrier") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    std::array<sync::Plain<int>, 2> written;
    omp::parallel(master, 2, [&](Thread& self) {
      auto& mine = written[self.at.index];
      omp::task(self, [&](Thread&) { mine = 1; });
      omp::barrier(self);
      for (const auto& each : written) explore::check(each == 1, "the task has run");
    });
  });
}

TEST_CASE("a task whose child outlives it is freed by the child") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    std::array<sync::Plain<int>, 2> written;
    in_master(master, [&](Thread& self) {
      omp::task(self, [&](Thread& runner) {
        omp::task(runner, [&](Thread&) { written[1] = 1; });
        written[0] = 1;
      });
      omp::wait_for_children(self);
      explore::check(written[0] == 1, "the child has run");
      omp::task(self, [](Thread&) {});
    });
    explore::check(written[1] == 1, "the grandchild has run");
  });
}

TEST_CASE("so are all its ancestors that have ended") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    in_master(master, [&](Thread& self) {
      omp::task(self, [&](Thread& parent) {
        omp::task(parent, [&](Thread& child) { omp::task(child, [&](Thread&) { written = 1; }); });
      });
      omp::wait_for_children(self);
      for (int i = 0; i < 2; ++i) omp::task(self, [](Thread&) {});
    });
    explore::check(written == 1, "the youngest has run");
  });
}

TEST_CASE("what is left of ancestors that have ended is counted once") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    std::array<sync::Plain<int>, 2> written;
    in_master(master, [&](Thread& self) {
      omp::task(self, [&](Thread& parent) {
        omp::task(parent, [&](Thread& child) {
          omp::task(child, [](Thread&) {}, {.is_deferred = false});
          written[0] = 1;
        });
      });
      omp::wait_for_children(self);
      omp::task(self, [&](Thread&) { written[1] = 1; });
      omp::wait_for_children(self);
      explore::check(written[1] == 1, "the second child has run");
    });
    explore::check(written[0] == 1, "the grandchild has run");
  });
}

TEST_CASE("a task that waits untied sees what its children wrote") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    std::array<sync::Plain<int>, 3> written;
    in_master(master, [&](Thread& self) {
      const auto waits = [&](Thread& parent) {
        omp::task(parent, [&](Thread&) { written[0] = 1; }, {.is_untied = true});
        omp::wait_for_children(parent);
        explore::check(written[0] == 1, "the child has run");
        written[1] = 1;
      };
      omp::task(self, waits, {.is_untied = true});
      omp::task(self, [&](Thread&) { written[2] = 1; });
    });
    explore::check(written[1] == 1 && written[2] == 1, "both have run");
  });
}

TEST_CASE("so is one that runs at once") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    in_master(master, [&](Thread& self) {
      const auto body = [&](Thread& runner) { omp::task(runner, [&](Thread&) { written = 1; }); };
      omp::task(self, body, {.is_deferred = false});
      omp::wait_for_children(self);
      omp::task(self, [](Thread&) {});
    });
    explore::check(written == 1, "the child has run");
  });
}

TEST_CASE("a group waits for the tasks in it and below them") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    in_master(master, [](Thread& self) {
      std::array<sync::Plain<int>, 2> written;
      omp::begin_group(self);
      omp::task(self, [&](Thread& runner) {
        written[0] = 1;
        omp::task(runner, [&](Thread&) { written[1] = 1; });
      });
      omp::end_group(self);
      for (const auto& each : written) explore::check(each == 1, "the task has run");
    });
  });
}

TEST_CASE("a task sees what those wrote that it depends on") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    sync::Plain<int> value{0};
    in_master(master, [&](Thread& self) {
      Depend writes(&value, true);
      Depend reads(&value, false);
      omp::task(self, [&](Thread&) { value = 1; }, {.depend = writes.words});
      omp::task(self, [&](Thread&) { explore::check(value == 1, "the writer has run"); },
                {.depend = reads.words});
    });
  });
}

TEST_CASE("a task that runs at once waits for those that it depends on") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    sync::Plain<int> value{0};
    in_master(master, [&](Thread& self) {
      Depend writes(&value, true);
      omp::task(self, [&](Thread&) { value = 1; }, {.depend = writes.words});
      omp::task(self, [&](Thread&) { explore::check(value == 1, "the writer has run"); },
                {.depend = writes.words, .is_deferred = false});
    });
  });
}

TEST_CASE("a detached task ends when its body has and its event is fulfilled") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    std::array<sync::Plain<int>, 2> written;
    sync::Atomic<void*> given{nullptr};
    omp::parallel(master, 2, [&](Thread& self) {
      if (self.at.index == 0) {
        void* event = nullptr;
        omp::task(self, [&](Thread&) { written[0] = 1; }, {.event = &event});
        given.store(event, sync::release);
        omp::wait_for_children(self);
        for (const auto& each : written) explore::check(each == 1, "both have come");
      } else {
        omp::Task* event = wait_for_event(given);
        written[1] = 1;
        omp::fulfill(event);
      }
    });
  });
}

TEST_CASE("a thread in no region may fulfil the event") {
  explore::must_hold(kOptions, [](explore::Threads& threads) {
    std::array<sync::Plain<int>, 2> written;
    sync::Atomic<void*> given{nullptr};
    World world(0, true);
    world.start(threads, [&](Thread& master) {
      omp::parallel(master, 1, [&](Thread& self) {
        void* event = nullptr;
        omp::task(self, [&](Thread&) { written[0] = 1; }, {.event = &event});
        given.store(event, sync::release);
      });
      for (const auto& each : written) explore::check(each == 1, "both have come");
    });
    world.start_outsider(threads, [&](Thread&) {
      written[1] = 1;
      omp::fulfill(wait_for_event(given));
    });
    threads.join();
  });
}

TEST_CASE("so does one that runs at once") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    sync::Atomic<void*> given{nullptr};
    omp::parallel(master, 2, [&](Thread& self) {
      if (self.at.index == 0) {
        void* event = nullptr;
        omp::task(self, [&](Thread&) { given.store(event, sync::release); },
                  {.is_deferred = false, .event = &event});
        explore::check(written == 1, "the event is fulfilled");
      } else {
        omp::Task* event = wait_for_event(given);
        written = 1;
        omp::fulfill(event);
      }
    });
  });
}

TEST_CASE("memory of tasks that another thread ran comes back") {
  omp::must_hold(kOptions, 1, [](Thread& master) {
    in_master(master, [](Thread& self) {
      for (int i = 0; i < 3; ++i) {
        sync::Plain<int> written{0};
        omp::task(self, [&](Thread&) { written = 1; });
        omp::wait_for_children(self);
        explore::check(written == 1, "the task has run");
      }
    });
  });
}

// Clang's description of a reduction over a sum.
struct Item {
  sync::Plain<int>* shared;
  void* original = nullptr;
  std::size_t bytes = sizeof *shared;
  void (*init)(void*, void*) = nullptr;
  void (*finish)(void*) = nullptr;
  void (*combine)(void*, void*) = [](void* sum, void* copy) { add(sum, *static_cast<Sum*>(copy)); };
  unsigned flags = 0;

  using Sum = sync::Plain<int>;
  static void add(void* sum, int value) {
    *static_cast<Sum*>(sum) = *static_cast<Sum*>(sum) + value;
  }
};

TEST_CASE("the copies of a task reduction are added when all have been made") {
  omp::must_hold(kOptions, 1, [&](Thread& master) {
    in_master(master, [&](Thread& self) {
      sync::Plain<int> sum{0};
      Item item{&sum};
      __kmpc_taskgroup(nullptr, 0);
      void* group = __kmpc_taskred_init(0, 1, &item);
      const auto count = [group](void* address) {
        void* copy = __kmpc_task_reduction_get_th_data(0, group, address);
        Item::add(copy, 1);
        return copy;
      };
      omp::task(self, [&](Thread& runner) {
        void* copy = count(&sum);
        omp::task(runner, [=](Thread&) { count(copy); });  // by the address of a copy
      });
      __kmpc_end_taskgroup(nullptr, 0);
      explore::check(sum == 2, "both are in the sum");
    });
  });
}

TEST_CASE("so are those of all threads of a region") {
  omp::must_hold(kOptions, 1, [&](Thread& master) {
    sync::Plain<int> sum{0};
    omp::parallel(master, 2, [&](Thread&) {
      Item item{&sum};
      void* group = __kmpc_taskred_modifier_init(nullptr, 0, 0, 1, &item);
      Item::add(__kmpc_task_reduction_get_th_data(0, group, &sum), 1);
      __kmpc_task_reduction_modifier_fini(nullptr, 0, 0);
    });
    explore::check(sum == 2, "both are in the sum");
  });
}
