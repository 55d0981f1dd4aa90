// SPDX-License-Identifier: Apache-2.0
//
// Tasks that do nothing and declare N accesses of a kind, to count instructions:
//
//   valgrind --tool=callgrind myr_bench_accesses KIND N [TASKS]
//
// The difference between N and N + 1, divided by the tasks, is what an access costs. Each access
// writes 64 bytes that lie kStride apart; after kPlaces of them come the first ones again.
//
//   object    a whole object
//   block     an aligned tile of one row: a block of an array with blocks
//   straddle  bytes of two blocks
//   range     the same bytes of memory that is not Myrmidon's, exact
//   part      the same bytes of an object, exact
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <myr/myr.hpp>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBytes = 64;
constexpr std::size_t kPlaces = 512;
constexpr std::size_t kBlock = 4096;

std::vector<myr_access> places_of(const char* kind) {
  std::vector<myr_access> places(kPlaces);
  const auto is = [kind](const char* name) { return std::strcmp(kind, name) == 0; };
  if (is("object")) {
    for (myr_access& place : places) place = myr_inout(myr_alloc(kBytes, MYR_ROOT));
    return places;
  }
  static char outside[(kPlaces + 1) * kBlock];
  char* first = nullptr;
  if (is("range")) first = outside;
  if (is("part")) first = static_cast<char*>(myr_alloc(sizeof outside, MYR_ROOT));
  if (is("block") || is("straddle")) {
    first = static_cast<char*>(myr_alloc_blocks(sizeof outside, kBlock, MYR_ROOT));
  }
  if (first == nullptr) {
    std::fprintf(stderr, "'%s' is no kind: object, block, straddle, range or part\n", kind);
    std::exit(2);
  }
  const std::size_t from = is("straddle") ? kBlock - kBytes / 2 : 0;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    places[i] = myr_inout_range(first + from + i * kBlock, kBytes);
  }
  return places;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "myr_bench_accesses KIND N [TASKS]\n");
    return 2;
  }
  const auto count = static_cast<std::size_t>(std::atoi(argv[2]));
  const int tasks = argc > 3 ? std::atoi(argv[3]) : 10'000;
  // A single worker would not look for dependences; a second one shall not spin meanwhile.
  setenv("MYR_ON", "smp:2", 0);
  setenv("MYR_SPIN", "0", 0);
  std::vector<myr_access> places = places_of(argv[1]);
  places.insert(places.end(), places.begin(), places.end());  // so that no task's accesses wrap
  // Small tasks without siblings are called, and their accesses are not noted. So there is one. A
  // single worker calls all of them, and would wait at this one's end for what main does later.
  static std::atomic<myr_event> sibling{0};
  if (myr_worker_count() > 1) {
    myr::spawn([] { sibling = myr_event_new(); });
    while (sibling == 0) std::this_thread::yield();
  }
  std::size_t next = 0;
  for (int i = 0; i < tasks; ++i) {
    myr_spawn_array([](const myr_access*) {}, &places[next], count);
    next = (next + count) % kPlaces;
  }
  if (sibling != 0) myr_event_complete(sibling);
  myr_wait_all();
  return 0;
}
