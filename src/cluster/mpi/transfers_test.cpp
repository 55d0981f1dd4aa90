// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/transfers.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>
#include <vector>

using namespace myr::cluster::mpi;
using myr::proto::Mode;
using myr::proto::Pieces;

namespace {

constexpr AgentId kReaderRank = 1;
constexpr AgentId kProducerRank = 2;

// Notes what is asked; requests end when the test says so.
class NotedWire final : public DataWire {
 public:
  void ask(AgentId, myr::proto::Fetch wanted) override { asked.push_back(std::move(wanted)); }
  Request fetch(std::span<const Range>, AgentId) override { return next(); }
  Request give(std::span<const Range>, AgentId) override { return next(); }
  bool is_over(Request request) override { return over.erase(request) == 1; }
  void overwrite(const Range&) override {}

  [[nodiscard]] static Request request(std::uintptr_t number) {
    return reinterpret_cast<Request>(number);
  }

  std::vector<myr::proto::Fetch> asked;
  std::set<Request> over;

 private:
  Request next() { return request(++count_); }

  std::uintptr_t count_ = 0;
};

struct TransfersFixture {
  NotedWire wire;
  Transfers transfers{wire, kReaderRank, false};
  std::vector<int> told;  // who has all that it fetches

  void fetch(int who, std::uint64_t address, std::uint64_t bytes, std::uint64_t version,
             Mode mode = Mode::Read) {
    const Pieces pieces{{.address = address,
                         .bytes = bytes,
                         .producer = kProducerRank,
                         .version = version,
                         .mode = mode}};
    transfers.fetch(pieces, myr::proto::kNoAgent, {}, [this, who] { told.push_back(who); });
  }
  void end(std::uintptr_t request) {
    wire.over.insert(NotedWire::request(request));
    transfers.settle();
  }
  // What the n-th question asks for.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> asked(std::size_t n) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const auto& one : wire.asked.at(n).ranges) ranges.emplace_back(one.address, one.bytes);
    return ranges;
  }
};

using AskedRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

}  // namespace

TEST_CASE("who reads what is on its way waits for it, and asks for the rest only") {
  TransfersFixture f;
  f.fetch(1, 100, 50, 7);
  f.fetch(2, 100, 50, 7);
  f.fetch(3, 80, 100, 7);
  REQUIRE(f.wire.asked.size() == 2);
  CHECK(f.asked(0) == AskedRanges{{100, 50}});
  CHECK(f.asked(1) == AskedRanges{{80, 20}, {150, 30}});
  f.end(2);
  CHECK(f.told.empty());
  f.end(1);
  CHECK(std::set<int>(f.told.begin(), f.told.end()) == std::set<int>{1, 2, 3});
  CHECK(!f.transfers.are_under_way());
  CHECK(f.transfers.fetched_bytes() == 100);
}

TEST_CASE("what is here in the version that a task reads is not asked for again") {
  TransfersFixture f;
  f.fetch(1, 100, 50, 7);
  f.end(1);
  f.fetch(2, 120, 10, 7);
  f.transfers.settle();
  CHECK(f.told == std::vector<int>{1, 2});
  f.fetch(3, 120, 10, 8);
  f.fetch(4, 90, 60, 7);
  REQUIRE(f.wire.asked.size() == 3);
  CHECK(f.asked(1) == AskedRanges{{120, 10}});
  CHECK(f.asked(2) == AskedRanges{{90, 10}, {120, 10}});
}

TEST_CASE("what a task writes is here in no version, be it that it was here before") {
  TransfersFixture f;
  f.fetch(1, 100, 50, 7);
  f.end(1);
  f.fetch(2, 80, 50, 7, Mode::Write);
  f.end(2);
  f.fetch(3, 80, 70, 7);
  REQUIRE(f.wire.asked.size() == 3);
  CHECK(f.asked(1) == AskedRanges{{80, 20}});
  CHECK(f.asked(2) == AskedRanges{{80, 50}});
}

TEST_CASE("bytes that one task names twice are asked for once") {
  for (const bool is_written_first : {true, false}) {
    TransfersFixture f;
    const auto piece = [](std::uint64_t address, std::uint64_t bytes, Mode mode) {
      return myr::proto::Piece{.address = address,
                               .bytes = bytes,
                               .producer = kProducerRank,
                               .version = 7,
                               .mode = mode};
    };
    const auto part = piece(108, 8, Mode::Write);
    const auto whole = piece(100, 24, Mode::Read);
    const Pieces pieces = is_written_first ? Pieces{part, whole, part} : Pieces{whole, part, part};
    f.transfers.fetch(pieces, myr::proto::kNoAgent, {}, [] {});
    REQUIRE(f.wire.asked.size() == 1);
    CHECK(f.asked(0) == AskedRanges{{108, 8}, {100, 8}, {116, 8}});
    CHECK(f.wire.asked[0].ranges[0].is_written);
    f.end(1);
    f.fetch(1, 100, 24, 7);
    REQUIRE(f.wire.asked.size() == 2);
    CHECK(f.asked(1) == AskedRanges{{108, 8}});
  }
}

TEST_CASE("what is given to a reader is here still, in the version that it has asked for") {
  TransfersFixture f;
  f.transfers.give({.ranges = {{.address = 100, .bytes = 50, .version = 7},
                               {.address = 150, .bytes = 50, .is_written = true, .version = 7},
                               {.address = 120, .bytes = 60, .version = 7},
                               {.address = 200, .bytes = 50}}},
                   kProducerRank);
  f.end(1);
  const Pieces own{{.address = 100, .bytes = 50, .producer = kReaderRank, .version = 7}};
  f.transfers.fetch(own, myr::proto::kNoAgent, {}, [] {});
  f.fetch(1, 100, 150, 7);
  REQUIRE(f.wire.asked.size() == 1);
  CHECK(f.asked(0) == AskedRanges{{150, 100}});
}
