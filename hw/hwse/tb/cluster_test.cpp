// SPDX-License-Identifier: Apache-2.0
//
// The cluster's fabric with cores that access at random: the scratchpad by bytes and words and with
// test-and-set, the engine, memory outside, the DMA engine, and instructions. Each answer is
// compared with a model that is changed in the cycle of the grant; the scratchpad's and the
// engine's also have a cycle to come in. All is so small that cores meet in banks and cache lines.
#include <Vfabric.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "bench.hpp"
#include "hwse.h"

using namespace myr::hw;

namespace {

constexpr unsigned kCores = 3, kBanks = 4, kRows = 32;  // as hw/CMakeLists.txt has it
constexpr unsigned kDmaTag = 2 * kCores;
constexpr std::uint32_t kL1 = 0x10000000, kTestAndSet = 0x10100000, kEngine = 0x10200000;
constexpr std::uint32_t kDma = 0x10300000, kOutside = 0x80000000;
constexpr unsigned kL1Words = kBanks * kRows;
// The upper half of the scratchpad is for copies, as are the words outside from here on.
constexpr unsigned kCopyWord = kL1Words / 2, kOutsideWords = 256, kOutsideCopyWord = 128;
constexpr unsigned kDmaFrom = 0, kDmaTo = 4, kDmaBytes = 8;

struct Access {
  std::uint32_t address = 0;
  bool write = false;
  unsigned be = 0xF;
  std::uint32_t data = 0;
};

struct Expected {
  std::optional<std::uint64_t> cycle;
  std::optional<std::uint32_t> data;  // none: a write's, or one that says how far the copy is
};

struct Core {
  std::deque<Access> script;  // comes first
  std::optional<Access> offered;
  std::deque<Expected> expected;
  std::optional<std::uint32_t> fetch;
  std::deque<std::uint32_t> fetched;  // addresses
  unsigned next_word = 0;
  unsigned passed_over = 0;
};

struct Answer {
  std::uint64_t cycle;
  unsigned tag;
  std::array<std::uint32_t, 4> line;
};

std::uint32_t merged(std::uint32_t old, const Access& access) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) mask |= (access.be >> i & 1) != 0 ? 0xFFU << 8 * i : 0;
  return (old & ~mask) | (access.data & mask);
}

class Fabric : public Bench<Vfabric> {
 public:
  explicit Fabric(unsigned seed) : Bench(seed) {
    for (auto& word : outside_) word = number();
    for (unsigned i = 0; i < kL1Words; ++i) {
      cores_[0].script.push_back({kL1 + 4 * i, true, 0xF, number()});
    }
  }

  void run(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      drive();
      settle();
      for (unsigned core = 0; core < kCores; ++core) check_answers(core);
      serve_l1();
      for (unsigned core = 0; core < kCores; ++core) grant(core);
      take_outside();
      REQUIRE(dut->error_o == 0);
      tick();
    }
  }

  unsigned broadcasts = 0, conflicts = 0, copies = 0, misses = 0, fetches = 0, order_waits = 0;

 private:
  [[nodiscard]] bool filled() const { return cycle() > 10 * kL1Words; }

  Access random_access(unsigned index) {
    Core& core = cores_[index];
    const unsigned kind = number() % 100;
    if (kind < 60) {
      const std::uint32_t address = 4 * (number() % kCopyWord);
      if (kind < 10) return {kTestAndSet + address};
      if (kind < 35) return {kL1 + address};
      return {kL1 + address, true, 1 + number() % 15, number()};
    }
    if (kind < 70) return {kL1 + 4 * (number() % 2)};  // many read these
    if (kind < 80) {
      const std::uint32_t counter = kEngine + HWSE_OFFSET(HWSE_COUNT, index);
      if (chance(50)) return {counter};
      return {counter, true, 0xF, number() % 64};
    }
    if (kind < 90) {
      const std::uint32_t address = kOutside + 4 * (index * 32 + number() % 32);
      if (chance(50)) return {address};
      return {address, true, 1 + number() % 15, number()};
    }
    if (index != 0) return {kL1 + 4 * (number() % 8)};
    if (copying_) return {kDma + kDmaBytes};
    if (chance(80)) return {kL1 + 4 * (kCopyWord + number() % kCopyWord)};
    begin_copy();
    const Access first = core.script.front();
    core.script.pop_front();
    return first;
  }

  void begin_copy() {
    const unsigned words = 16 * (1 + number() % 2);
    const unsigned inner = kCopyWord + 16 * (number() % ((kCopyWord - words) / 16 + 1));
    const unsigned outer = kOutsideCopyWord + 16 * (number() % 4);
    copy_in_ = chance(50);
    copy_l1_ = inner;
    copy_outside_ = outer;
    copy_words_ = words;
    const std::uint32_t l1 = kL1 + 4 * inner, out = kOutside + 4 * outer;
    auto& script = cores_[0].script;
    script.push_back({kDma + kDmaFrom, true, 0xF, copy_in_ ? out : l1});
    script.push_back({kDma + kDmaTo, true, 0xF, copy_in_ ? l1 : out});
    script.push_back({kDma + kDmaBytes, true, 0xF, 4 * words});
    script.push_back({kDma + kDmaBytes});
    copying_ = true;
  }

  // Core 0 was told that nothing is left: the words are there.
  void end_copy() {
    for (unsigned i = 0; i < copy_words_; ++i) {
      if (copy_in_) {
        l1_[copy_l1_ + i] = outside_[copy_outside_ + i];
      } else {
        REQUIRE(outside_[copy_outside_ + i] == l1_[copy_l1_ + i]);
      }
    }
    copying_ = false;
    copies += 1;
  }

  void drive() {
    dut->data_req_i = 0;
    dut->instr_req_i = 0;
    for (unsigned index = 0; index < kCores; ++index) {
      Core& core = cores_[index];
      if (!core.offered && !core.script.empty()) {
        core.offered = core.script.front();
        core.script.pop_front();
      } else if (!core.offered && filled() && core.expected.size() < 2 && chance(80)) {
        core.offered = random_access(index);
      }
      if (core.offered) {
        dut->data_req_i |= 1U << index;
        put(dut->data_addr_i, 32 * index, 32, core.offered->address);
        put(dut->data_wdata_i, 32 * index, 32, core.offered->data);
        dut->data_we_i = (dut->data_we_i & ~(1U << index)) | unsigned{core.offered->write} << index;
        dut->data_be_i = (dut->data_be_i & ~(15U << 4 * index)) | core.offered->be << 4 * index;
      }
      if (!core.fetch && chance(90)) {
        core.next_word = chance(80) ? (core.next_word + 1) % 32 : number() % 32;
        core.fetch = kOutside + 4 * (96 + core.next_word);
      }
      if (core.fetch) {
        dut->instr_req_i |= 1U << index;
        put(dut->instr_addr_i, 32 * index, 32, *core.fetch);
      }
    }
    dut->back_valid_i = 0;
    for (auto answer = answers_.begin(); answer != answers_.end(); ++answer) {
      if (answer->cycle > cycle()) continue;
      dut->back_valid_i = 1;
      dut->back_tag_i = answer->tag;
      for (unsigned i = 0; i < 4; ++i) dut->back_line_i[i] = answer->line[i];
      answers_.erase(answer);
      break;
    }
  }

  void check_answers(unsigned index) {
    Core& core = cores_[index];
    const bool answered = (dut->data_rvalid_o >> index & 1) != 0;
    const bool due = !core.expected.empty() && core.expected.front().cycle == cycle();
    if (due) REQUIRE(answered);
    if (answered) {
      REQUIRE(!core.expected.empty());
      const Expected expected = core.expected.front();
      core.expected.pop_front();
      const auto data = static_cast<std::uint32_t>(get(dut->data_rdata_o, 32 * index, 32));
      if (expected.cycle) REQUIRE(expected.cycle == cycle());
      if (expected.data) REQUIRE(data == *expected.data);
      if (answers_copy_[index] != 0 && --answers_copy_[index] == 0 && data == 0) end_copy();
    }
    if ((dut->instr_rvalid_o >> index & 1) != 0) {
      REQUIRE(!core.fetched.empty());
      const std::uint32_t address = core.fetched.front();
      core.fetched.pop_front();
      const auto data = static_cast<std::uint32_t>(get(dut->instr_rdata_o, 32 * index, 32));
      REQUIRE(data == outside_[(address - kOutside) / 4]);
      fetches += 1;
    }
    if (core.fetch && (dut->instr_gnt_o >> index & 1) != 0) {
      core.fetched.push_back(*core.fetch);
      core.fetch.reset();
    }
  }

  [[nodiscard]] static bool is_l1(const Access& access) {
    return access.address >> 20 == kL1 >> 20 || access.address >> 20 == kTestAndSet >> 20;
  }
  [[nodiscard]] static bool is_plain_read(const Access& access) {
    return !access.write && access.address >> 20 == kL1 >> 20;
  }
  [[nodiscard]] bool granted(unsigned index) const {
    return cores_[index].offered && (dut->data_gnt_o >> index & 1) != 0;
  }

  // In each bank one word is served, and to more than one core only if all read it; and a core that
  // reads it is served.
  void serve_l1() {
    for (unsigned a = 0; a < kCores; ++a) {
      if (!granted(a) || !is_l1(*cores_[a].offered)) continue;
      const Access& one = *cores_[a].offered;
      for (unsigned b = 0; b < kCores; ++b) {
        if (b == a || !cores_[b].offered || !is_l1(*cores_[b].offered)) continue;
        const Access& other = *cores_[b].offered;
        if ((one.address / 4 - other.address / 4) % kBanks != 0) continue;
        const bool same =
            is_plain_read(one) && is_plain_read(other) && one.address == other.address;
        if (granted(b)) {
          REQUIRE(same);
          broadcasts += 1;
        } else {
          conflicts += 1;
          // Unless the core waits for an answer from elsewhere.
          if (same) REQUIRE(!cores_[b].expected.empty());
        }
      }
    }
  }

  void grant(unsigned index) {
    Core& core = cores_[index];
    if (!core.offered) return;
    if (!granted(index)) {
      // While answers are out the core may wait for its own order.
      core.passed_over = core.expected.empty() ? core.passed_over + 1 : 0;
      order_waits += core.expected.empty() ? 0 : 1;
      REQUIRE(core.passed_over <= 2 * kCores + 1);
      return;
    }
    core.passed_over = 0;
    const Access access = *core.offered;
    core.offered.reset();
    core.expected.push_back(expected(index, access));
  }

  Expected expected(unsigned index, const Access& access) {
    Expected answer;
    if (is_l1(access)) {
      std::uint32_t& word = l1_[access.address / 4 % kL1Words];
      answer.cycle = cycle() + 1;
      if (!access.write) answer.data = word;
      if (access.write) word = merged(word, access);
      if (!access.write && !is_plain_read(access)) word = ~0U;
    } else if (access.address >> 20 == kEngine >> 20) {
      answer.cycle = cycle() + 2;
      if (access.write) counters_[index] = access.data;
      if (!access.write) answer.data = counters_[index];
    } else if (access.address >> 20 == kDma >> 20) {
      answer.cycle = cycle() + 1;
      // Its answer is the last of those that are out now.
      if (!access.write)
        answers_copy_[index] = static_cast<unsigned>(cores_[index].expected.size()) + 1;
    } else if (!access.write) {
      answer.data = outside_[(access.address - kOutside) / 4];
    }
    return answer;
  }

  void take_outside() {
    if (dut->out_valid_o == 0) return;
    Answer answer{cycle() + 1 + number() % 12, dut->out_tag_o, {}};
    const unsigned word = (dut->out_address_o - kOutside) / 4;
    REQUIRE(word < kOutsideWords);
    if (dut->out_write_o != 0) {
      outside_[word] =
          merged(outside_[word], {dut->out_address_o, true, dut->out_be_o, dut->out_data_o});
    } else {
      const bool whole = answer.tag < kCores || answer.tag == kDmaTag;
      if (whole) REQUIRE(word % 4 == 0);
      for (unsigned i = 0; i < (whole ? 4 : 1); ++i) answer.line[i] = outside_[word + i];
      misses += answer.tag < kCores ? 1 : 0;
    }
    // Those of the DMA engine are answered in order.
    if (answer.tag == kDmaTag)
      answer.cycle = dma_answered_ = std::max(dma_answered_ + 1, answer.cycle);
    answers_.push_back(answer);
  }

  std::array<Core, kCores> cores_;
  std::array<std::uint32_t, kL1Words> l1_{};
  std::array<std::uint32_t, kOutsideWords> outside_{};
  std::array<unsigned, kCores> counters_{};
  std::deque<Answer> answers_;
  std::uint64_t dma_answered_ = 0;
  std::array<unsigned, kCores> answers_copy_{};  // the how-manieth answer says what is left
  bool copying_ = false, copy_in_ = false;
  unsigned copy_l1_ = 0, copy_outside_ = 0, copy_words_ = 0;
};

}  // namespace

TEST_CASE("memory is one for all cores, nobody is passed over, reads of a word are broadcast") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Fabric fabric(seed);
    fabric.run(20000);
    CHECK(fabric.broadcasts > 100);
    CHECK(fabric.conflicts > 1000);
    CHECK(fabric.copies > 5);
    CHECK(fabric.misses > 1000);
    CHECK(fabric.fetches > 2 * fabric.misses);
    CHECK(fabric.order_waits > 1000);
  }
}
