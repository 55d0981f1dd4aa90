// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "transport/sim/scc/core_memory.hpp"
#include "transport/sim/scc/message_buffers.hpp"

using namespace myr::transport::sim::scc;
using myr::transport::sim::Cycles;

namespace {

std::uint64_t address_of(const void* place) { return reinterpret_cast<std::uint64_t>(place); }

// Some memory that begins with a line.
struct alignas(64) Words {
  std::array<std::uint32_t, 64> word{};
  [[nodiscard]] Extent extent(bool writes) const {
    return {address_of(word.data()), address_of(word.data()) + sizeof word, writes};
  }
  [[nodiscard]] Extent first(std::size_t count, bool writes) const {
    return {address_of(word.data()), address_of(word.data()) + count * 4, writes};
  }
};

// A task that adds to the words, or only reads the first of them.
template <class Body>
std::vector<Burst> run(CoreMemory& core, const Extent& extent, Body body) {
  std::vector<Burst> bursts;
  core.begin({extent});
  body();
  core.traffic(extent.begin, extent.end - extent.begin, false, bursts);
  if (extent.writes) core.traffic(extent.begin, extent.end - extent.begin, true, bursts);
  core.end();
  return bursts;
}

std::uint64_t lines_of(const std::vector<Burst>& bursts) {
  return std::accumulate(bursts.begin(), bursts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Burst& burst) { return sum + burst.lines; });
}

}  // namespace

TEST_CASE("the mesh has the distances that paper 3 states") {
  unsigned to_buffers = 0;
  unsigned farthest = 0;
  for (CoreNumber core = 0; core < kCores; ++core) {
    to_buffers += hops(kMiddle, core);
    farthest = std::max(farthest, hops(kMiddle, core));
  }
  CHECK(to_buffers == 120);
  CHECK(farthest == 5);
  unsigned to_controllers = 0;
  for (unsigned controller = 0; controller < kControllers; ++controller) {
    const unsigned away = hops_to_controller(kMiddle, controller);
    CHECK(away >= 4);
    CHECK(away <= 5);
    to_controllers += away;
  }
  CHECK(to_controllers == 18);
  unsigned most = 0;
  for (CoreNumber core = 0; core < kCores; ++core) {
    most = std::max(most, hops_to_controller(core, 0));
    CHECK(hops_to_controller(core, own_controller(core)) <= 4);
  }
  CHECK(most == 9);
}

TEST_CASE("workers are the cores around the master, nearest first") {
  const std::vector<CoreNumber> cores = cores_around(kMiddle);
  CHECK(cores.size() == kCores - 1);
  CHECK(cores.front() == 17);  // on its tile
  CHECK(std::is_sorted(cores.begin(), cores.end(), [](CoreNumber a, CoreNumber b) {
    return hops(a, kMiddle) < hops(b, kMiddle);
  }));
}

TEST_CASE("latencies grow with the distance") {
  CHECK(memory_latency(47, 0) > memory_latency(0, 0));
  CHECK(buffer_latency(16, 47) > buffer_latency(16, 17));
}

TEST_CASE("a controller that is not busy costs its latency, a busy one its queue") {
  Controllers controllers;
  const Cycles alone = controllers.fetch(0, 0, 10, 1000);
  CHECK(alone == 1000 + 10 * memory_latency(0, 0));
  Cycles last = 0;
  for (unsigned i = 0; i < 100; ++i) last = controllers.fetch(0, 1, 10, 1000);
  CHECK(last == 1000 + 1000 * kCosts.line_service);
  CHECK(controllers.busy(1) == 1000 * kCosts.line_service);
  CHECK(controllers.busy(2) == 0);
}

TEST_CASE("small arrays have one controller, striped ones all") {
  MemoryMap none(Placement::None);
  MemoryMap striped(Placement::Striped);
  std::array<unsigned, kControllers> lines{};
  for (std::uint64_t address = 0; address < 1 << 20; address += kLineBytes) {
    CHECK(none.controller_of(address) == 0);
    lines[striped.controller_of(address)] += 1;
  }
  for (const unsigned count : lines) CHECK(count == (1 << 20) / kLineBytes / kControllers);
}

TEST_CASE("padded arrays have their objects at the controllers in turn, each as a whole") {
  constexpr std::uint64_t kBytes = 3 * 4096;
  constexpr std::uint64_t kObjects = 100;
  MemoryMap padded(Placement::Padded, [](std::uint64_t address) -> MemoryMap::Object {
    if (address >= kObjects * kBytes) return {};
    return {.begin = address / kBytes * kBytes, .bytes = kBytes};
  });
  for (std::uint64_t object = 0; object < kObjects; ++object) {
    for (std::uint64_t at = 0; at < kBytes; at += kLineBytes) {
      CHECK(padded.controller_of(object * kBytes + at) == object % kControllers);
    }
  }
  const std::uint64_t behind = kObjects * kBytes;  // no object
  CHECK(padded.controller_of(behind) == MemoryMap(Placement::Striped).controller_of(behind));
}

TEST_CASE("a cache keeps the lines that were used last") {
  Cache cache(kSecondCacheBytes);
  const std::uint64_t same_set = kSecondCacheBytes / kWays;
  for (std::uint64_t i = 0; i < kWays; ++i) cache.put(cache.victim(i * same_set), i * same_set);
  CHECK(cache.find(0) != nullptr);
  cache.put(cache.victim(kWays * same_set), kWays * same_set);
  CHECK(cache.find(0) != nullptr);
  CHECK(cache.find(same_set) == nullptr);
  cache.invalidate();
  CHECK(cache.is_empty());
  CHECK(cache.find(0) == nullptr);
}

TEST_CASE("what a core has written is in its cache and not in memory until it is flushed") {
  Words words;
  CoreMemory core{MemoryMap(Placement::None)};
  run(core, words.extent(true), [&] { words.word[3] = 7; });
  CHECK(words.word[3] == 0);
  run(core, words.extent(false), [&] { CHECK(words.word[3] == 7); });
  CHECK(words.word[3] == 0);
  std::vector<Burst> bursts;
  core.flush(bursts);
  CHECK(words.word[3] == 7);
  CHECK(lines_of(bursts) == sizeof words / kLineBytes);
}

TEST_CASE("a core sees what its cache has kept, until it is invalidated") {
  Words words;
  CoreMemory core{MemoryMap(Placement::None)};
  run(core, words.extent(false), [] {});
  words.word[5] = 9;  // by another core
  run(core, words.extent(false), [&] { CHECK(words.word[5] == 0); });
  CHECK(words.word[5] == 9);
  core.invalidate();
  run(core, words.extent(false), [&] { CHECK(words.word[5] == 9); });
}

TEST_CASE("bytes that are not declared are left alone") {
  Words words;
  CoreMemory core{MemoryMap(Placement::None)};
  run(core, words.first(1, true), [&] { words.word[0] = 1; });
  words.word[1] = 2;  // of the same line, by somebody else
  std::vector<Burst> bursts;
  core.flush(bursts);
  CHECK(words.word[0] == 1);
  CHECK(words.word[1] == 2);
}

TEST_CASE("a line that is written and was not read goes to memory") {
  Words words;
  CoreMemory core{MemoryMap(Placement::None)};
  std::vector<Burst> bursts;
  core.begin({words.extent(true)});
  words.word[0] = 4;
  core.traffic(words.extent(true).begin, sizeof words, true, bursts);
  core.end();
  CHECK(words.word[0] == 4);
  CHECK(lines_of(bursts) == sizeof words / kLineBytes);
}

TEST_CASE("lines that find no room go back to memory") {
  std::vector<Words> many(2 * kSecondCacheBytes / sizeof(Words));
  const Extent all{address_of(many.data()), address_of(many.data() + many.size()), true};
  CoreMemory core{MemoryMap(Placement::None)};
  std::vector<Burst> bursts;
  core.begin({all});
  for (Words& words : many) words.word[0] = 1;
  for (std::uint64_t at = all.begin; at < all.end; at += kLineBytes) {
    core.traffic(at, kLineBytes, false, bursts);
    core.traffic(at, kLineBytes, true, bursts);
  }
  core.end();
  const auto in_memory = [&] {
    return static_cast<std::size_t>(std::count_if(
        many.begin(), many.end(), [](const Words& words) { return words.word[0] == 1; }));
  };
  CHECK(in_memory() == many.size() / 2);  // the second cache has the other half
  const std::uint64_t lines = (all.end - all.begin) / kLineBytes;
  CHECK(lines_of(bursts) == lines + lines / 2);
  core.flush(bursts);
  CHECK(in_memory() == many.size());
  CHECK(lines_of(bursts) == 2 * lines);
}

TEST_CASE("random tasks of one core leave what they would without caches") {
  std::mt19937_64 dice(4);
  std::vector<Words> words(64);
  std::vector<std::array<std::uint32_t, 64>> expected(words.size());
  CoreMemory core{MemoryMap(Placement::Striped)};
  for (unsigned round = 0; round < 3000; ++round) {
    const std::size_t to = dice() % words.size();
    const std::size_t from = dice() % words.size();
    const std::size_t begin = dice() % 60;
    const std::size_t count = 1 + dice() % (64 - begin);
    const std::uint64_t first = address_of(&words[to].word[begin]);
    std::vector<Burst> bursts;
    core.begin({words[from].extent(false), {first, first + 4 * count, true}});
    for (std::size_t i = 0; i < count; ++i) words[to].word[begin + i] += words[from].word[i] + 1;
    core.traffic(words[from].extent(false).begin, sizeof(Words), false, bursts);
    if (dice() % 2 == 0) core.traffic(first, 4 * count, false, bursts);
    core.traffic(first, 4 * count, true, bursts);
    core.end();
    for (std::size_t i = 0; i < count; ++i) expected[to][begin + i] += expected[from][i] + 1;
    if (dice() % 20 == 0) core.flush(bursts);
    if (dice() % 40 == 0) {
      core.flush(bursts);
      core.invalidate();
    }
  }
  std::vector<Burst> bursts;
  core.flush(bursts);
  for (std::size_t i = 0; i < words.size(); ++i) CHECK(words[i].word == expected[i]);
}

TEST_CASE("writes to message buffers are seen once sent, and by whoever has no older copy") {
  Cycles clock = 0;
  unsigned written = 0;
  MessageBuffers buffers([&](CoreNumber owner, Cycles) {
    CHECK(owner == 5);
    written += 1;
  });
  const BufferAddress at{.owner = 5, .line = 0};
  BufferLine line;
  line.bytes[0] = std::byte{1};
  CHECK(buffers.at(5, clock).read(at).bytes[0] == std::byte{0});
  buffers.at(16, clock).write(at, line);
  CHECK(written == 0);
  buffers.at(16, clock).write({.owner = 5, .line = 1}, line);  // another line: the first is sent
  CHECK(written == 1);
  CHECK(buffers.at(5, clock).read(at).bytes[0] == std::byte{0});
  buffers.at(5, clock).invalidate();
  CHECK(buffers.at(5, clock).read(at).bytes[0] == std::byte{1});
  CHECK(buffers.at(16, clock).read({.owner = 5, .line = 1}).bytes[0] == std::byte{1});  // its own
  CHECK(written == 2);
  buffers.at(16, clock).flush();
  CHECK(written == 2);
}
