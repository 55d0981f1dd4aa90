// SPDX-License-Identifier: Apache-2.0
#include "check/outputs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

using myr::check::Bytes;
using myr::check::Outputs;

namespace {

const myr_site kOutputSite{"a.cpp", "f", 1, 1};
const myr_site kChildSite{"a.cpp", "f", 2, 1};
constexpr std::size_t kMemoryBytes = 256;

struct OutputsFixture {
  alignas(64) std::array<std::uint8_t, kMemoryBytes> memory;
  std::array<std::uint8_t, kMemoryBytes> before;
  Outputs outputs;

  OutputsFixture() {
    for (std::size_t i = 0; i < kMemoryBytes; ++i) memory[i] = static_cast<std::uint8_t>(i);
    before = memory;
    outputs.use_pattern();
  }
  [[nodiscard]] Bytes bytes(std::size_t first, std::size_t behind) const {
    const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
    return {begin + first, begin + behind};
  }
  void begin(std::size_t first, std::size_t behind, const myr_site* site = &kOutputSite) {
    outputs.begin(site);
    outputs.add(bytes(first, behind));
  }
  // As instrumented code does.
  void write(std::size_t first, std::size_t behind, std::uint8_t value) {
    outputs.write(bytes(first, behind));
    std::fill(memory.begin() + first, memory.begin() + behind, value);
  }
  bool reads_unwritten(std::size_t first, std::size_t behind) {
    return outputs.read(bytes(first, behind)).has_value();
  }
};

}  // namespace

TEST_CASE("what nobody has written is noticed, and what was there is given back") {
  OutputsFixture f;
  f.begin(8, 200);
  CHECK(f.memory[7] == 7);
  CHECK(f.memory[8] != 8);
  const auto found = f.outputs.read(f.bytes(16, 24));
  REQUIRE(found);
  CHECK(found->first == f.bytes(16, 24).begin);
  CHECK(found->task == &kOutputSite);
  CHECK(f.memory == f.before);
  CHECK(!f.reads_unwritten(32, 40));  // told once
}

TEST_CASE("what has been written may be read, by whatever code") {
  OutputsFixture f;
  f.begin(0, 64);
  f.write(0, 8, f.memory[0]);  // even the pattern
  CHECK(!f.reads_unwritten(0, 8));
  std::fill_n(f.memory.begin() + 8, 8, std::uint8_t{0});  // nobody tells
  CHECK(!f.reads_unwritten(8, 16));
  CHECK(f.reads_unwritten(16, 24));
}

TEST_CASE("a part of a number, or the padding of a structure, is nobody's mistake") {
  OutputsFixture f;
  f.begin(0, 256);
  f.write(0, 4, 1);
  CHECK(!f.reads_unwritten(0, 8));
  f.write(64, 72, 1);
  CHECK(!f.reads_unwritten(64, 128));
  CHECK(f.memory[80] == 80);  // it may read that
  f.write(128, 132, 1);
  CHECK(f.reads_unwritten(128, 256));  // a whole line of 64 bytes
}

TEST_CASE("without a pattern, memory stays as it is") {
  OutputsFixture f;
  f.outputs = Outputs();
  f.begin(0, 64);
  CHECK(f.memory == f.before);
  f.write(0, 8, 0);
  f.memory[8] = 0;  // nobody tells
  CHECK(!f.reads_unwritten(0, 8));
  CHECK(!f.reads_unwritten(8, 9));
  CHECK(f.reads_unwritten(16, 24));
}

TEST_CASE("the end of a task gives back what it has not written") {
  OutputsFixture f;
  f.begin(0, 104);
  f.write(0, 96, 1);
  CHECK(f.outputs.end());  // 8 bytes
  CHECK(f.memory[95] == 1);
  CHECK(std::equal(f.memory.begin() + 96, f.memory.end(), f.before.begin() + 96));
  f.begin(0, 104);
  f.write(0, 97, 1);
  CHECK(!f.outputs.end());  // may be padding
  f.begin(0, 4);
  CHECK(f.outputs.end());  // all of it
}

TEST_CASE("what code has written that tells nobody stays, even where it is the pattern") {
  OutputsFixture f;
  f.begin(0, 64);
  const std::uint8_t pattern = f.memory[20];
  std::fill_n(f.memory.begin(), 64, std::uint8_t{1});
  f.memory[20] = pattern;
  CHECK(!f.outputs.end());
  CHECK(f.memory[20] == pattern);
}

TEST_CASE("a child may write for its parent") {
  OutputsFixture f;
  f.begin(0, 128);
  f.begin(32, 64, &kChildSite);
  f.write(32, 64, 5);
  CHECK(!f.outputs.end());
  CHECK(!f.reads_unwritten(32, 64));
  f.begin(64, 192, &kChildSite);
  const auto found = f.outputs.read(f.bytes(64, 72));
  REQUIRE(found);
  CHECK(found->task == &kOutputSite);
  CHECK(found->depth == 1);
  CHECK(f.outputs.read(f.bytes(128, 136))->task == &kChildSite);
}

TEST_CASE("freed memory gets back what it held, and is nobody's output") {
  OutputsFixture f;
  f.begin(0, 128);
  f.outputs.give_back(f.bytes(100, 101));
  CHECK(f.memory == f.before);
  CHECK(!f.outputs.overlap(f.bytes(0, 256)));
  CHECK(!f.outputs.end());
}

TEST_CASE("only what a task need not read is looked at") {
  OutputsFixture f;
  const auto access = [&](std::size_t first, std::size_t behind, unsigned mode) {
    return myr_make_access(f.memory.data() + first, behind - first, mode);
  };
  const std::vector<myr_access> accesses{access(0, 100, MYR_OUT), access(20, 30, MYR_IN),
                                         access(90, 120, MYR_INOUT),
                                         access(200, 210, MYR_OUT | MYR_NOTRANSFER)};
  const std::vector<Bytes> found = Outputs::only_written(accesses.data(), accesses.size());
  REQUIRE(found.size() == 2);
  CHECK(found[0].begin == f.bytes(0, 20).begin);
  CHECK(found[0].end == f.bytes(0, 20).end);
  CHECK(found[1].begin == f.bytes(30, 90).begin);
  CHECK(found[1].end == f.bytes(30, 90).end);
  const std::vector<myr_access> large{access(0, Outputs::kMost + 1, MYR_OUT)};
  CHECK(Outputs::only_written(large.data(), 1)[0].end == f.bytes(0, Outputs::kMost).end);
}
