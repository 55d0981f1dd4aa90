// SPDX-License-Identifier: Apache-2.0
//
// Loops and sections under the explorer: every iteration runs once, those that wait for each other
// in order, and records are used again only when all have left them. A ring has two records here.
#include <doctest/doctest.h>

#include <array>

#include "explore/must_hold.hpp"
#include "omp/abi.hpp"
#include "omp/kmpc.hpp"
#include "omp/world_model.hpp"

using namespace myr;
using omp::Thread;
using omp::World;

MYR_OMP_API bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
MYR_OMP_API bool GOMP_loop_dynamic_next(long*, long*);
MYR_OMP_API bool GOMP_loop_guided_start(long, long, long, long, long*, long*);
MYR_OMP_API bool GOMP_loop_guided_next(long*, long*);
MYR_OMP_API bool GOMP_loop_ordered_static_start(long, long, long, long, long*, long*);
MYR_OMP_API bool GOMP_loop_ordered_static_next(long*, long*);
MYR_OMP_API bool GOMP_loop_start(long, long, long, long, long, long*, long*, std::uintptr_t*,
                                 void**);
MYR_OMP_API bool GOMP_loop_doacross_static_start(unsigned, long*, long, long*, long*);
MYR_OMP_API void GOMP_doacross_post(long*);
MYR_OMP_API void GOMP_doacross_wait(long, ...);
MYR_OMP_API void GOMP_loop_end_nowait();
MYR_OMP_API void GOMP_ordered_start();
MYR_OMP_API void GOMP_ordered_end();
MYR_OMP_API unsigned GOMP_sections_start(unsigned);
MYR_OMP_API unsigned GOMP_sections_next();
MYR_OMP_API void GOMP_sections_end_nowait();
MYR_OMP_API void GOMP_parallel_loop_dynamic(void (*)(void*), void*, unsigned, long, long, long,
                                            long, unsigned);
struct KmpDimension {
  std::int64_t first;
  std::int64_t last;
  std::int64_t step;
};
MYR_OMP_API void __kmpc_doacross_init(const omp::Ident*, int, int, const KmpDimension*);
MYR_OMP_API void __kmpc_doacross_post(const omp::Ident*, int, const std::int64_t*);
MYR_OMP_API void __kmpc_doacross_wait(const omp::Ident*, int, const std::int64_t*);
MYR_OMP_API void __kmpc_doacross_fini(const omp::Ident*, int);

namespace {

constexpr explore::Options kShort{.preemptions_max = 2, .stale_reads_max = 1};
constexpr explore::Options kLong{.preemptions_max = 1, .stale_reads_max = 1};

// How often each iteration of a loop ran.
struct Runs {
  std::array<sync::Plain<int>, 3> of;
  void add(long begin, long end) {
    for (long i = begin; i < end; ++i) {
      auto& runs = of[static_cast<std::size_t>(i)];
      runs = runs + 1;
    }
  }
  // The calling thread's part of a loop over so many, in chunks of one.
  void take_part(decltype(GOMP_loop_dynamic_start) start, decltype(GOMP_loop_dynamic_next) next,
                 long count) {
    long begin = 0;
    long end = 0;
    for (bool more = start(0, count, 1, 1, &begin, &end); more; more = next(&begin, &end)) {
      add(begin, end);
    }
    GOMP_loop_end_nowait();
  }
  void check(int count) const {
    for (int i = 0; i < count; ++i) explore::check(of[i] == 1, "each iteration runs once");
  }
};

}  // namespace

TEST_CASE("each iteration of a dynamic loop runs once") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    Runs runs;
    omp::parallel(master, 2, [&](Thread&) {
      runs.take_part(GOMP_loop_dynamic_start, GOMP_loop_dynamic_next, 2);
    });
    runs.check(2);
  });
}

TEST_CASE("each iteration of a guided loop runs once") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    Runs runs;
    omp::parallel(master, 2, [&](Thread&) {
      runs.take_part(GOMP_loop_guided_start, GOMP_loop_guided_next, 3);
    });
    runs.check(3);
  });
}

TEST_CASE("a loop uses the record of another one when all have left that") {
  omp::must_hold(kLong, 1, [](Thread& master) {
    std::array<Runs, 4> runs;
    omp::parallel(master, 2, [&](Thread&) {
      for (int i = 0; i < 4; ++i) {
        long begin = 0;
        long end = 0;
        void* memory = reinterpret_cast<void*>(sizeof(int));
        const long chunk = 1 + i % 2;
        bool more = GOMP_loop_start(0, 1 + i % 2, 1, 2, chunk, &begin, &end, nullptr, &memory);
        for (; more; more = GOMP_loop_dynamic_next(&begin, &end)) runs[i].add(begin, end);
        GOMP_loop_end_nowait();
      }
    });
    for (int i = 0; i < 4; ++i) runs[i].check(1 + i % 2);
  });
}

TEST_CASE("ordered parts run one after the other") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    sync::Plain<long> last{-1};
    omp::parallel(master, 2, [&](Thread&) {
      long begin = 0;
      long end = 0;
      bool more = GOMP_loop_ordered_static_start(0, 2, 1, 1, &begin, &end);
      for (; more; more = GOMP_loop_ordered_static_next(&begin, &end)) {
        GOMP_ordered_start();
        explore::check(last == begin - 1, "the iteration before has run");
        last = begin;
        GOMP_ordered_end();
      }
      GOMP_loop_end_nowait();
    });
    explore::check(last == 1, "all ran");
  });
}

TEST_CASE("an iteration sees what one wrote whose post it waits for") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    omp::parallel(master, 2, [&](Thread&) {
      long count = 2;
      long begin = 0;
      long end = 0;
      if (GOMP_loop_doacross_static_start(1, &count, 1, &begin, &end)) {
        if (begin == 0) {
          written = 1;
        } else {
          GOMP_doacross_wait(begin - 1);
          explore::check(written == 1, "what the iteration before wrote");
        }
        GOMP_doacross_post(&begin);
      }
      GOMP_loop_end_nowait();
    });
  });
}

TEST_CASE("in programs of clang, too") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    omp::parallel(master, 2, [&](Thread& self) {
      const KmpDimension dimension{0, 1, 1};
      __kmpc_doacross_init(nullptr, 0, 1, &dimension);
      const std::int64_t before = 0;
      if (self.at.index == 0) {
        written = 1;
        __kmpc_doacross_post(nullptr, 0, &before);
      } else {
        __kmpc_doacross_wait(nullptr, 0, &before);
        explore::check(written == 1, "what the iteration before wrote");
      }
      __kmpc_doacross_fini(nullptr, 0);
    });
  });
}

TEST_CASE("each section runs once, and their record is used again") {
  omp::must_hold(kLong, 1, [](Thread& master) {
    std::array<Runs, 3> runs;
    omp::parallel(master, 2, [&](Thread&) {
      for (int i = 0; i < 3; ++i) {
        unsigned section = GOMP_sections_start(2);
        for (; section != 0; section = GOMP_sections_next()) runs[i].add(section - 1, section);
        GOMP_sections_end_nowait();
      }
    });
    for (const Runs& each : runs) each.check(2);
  });
}

// The master may take the worker's start back, or may not.
TEST_CASE("a region that is a loop ends with or without those who come late") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    static_cast<void>(master);
    for (int turn = 0; turn < 2; ++turn) {
      Runs runs;
      const auto body = [](void* data) {
        long begin = 0;
        long end = 0;
        while (GOMP_loop_dynamic_next(&begin, &end)) static_cast<Runs*>(data)->add(begin, end);
        GOMP_loop_end_nowait();
      };
      GOMP_parallel_loop_dynamic(body, &runs, 2, 0, 2, 1, 1, 0);
      runs.check(2);
    }
  });
}
