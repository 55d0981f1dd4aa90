// SPDX-License-Identifier: Apache-2.0
//
// The tracker in lockstep with deps::AddressTable: random programs, random stalls on all three
// queues, tables so small that they are full most of the time.
#include <Vtracker.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "bench.hpp"
#include "deps/address_table.hpp"
#include "picos.h"

namespace {

using myr::deps::AddressTable;
using myr::deps::AddressUse;
using myr::deps::Mode;
using Uses = std::vector<AddressUse>;

constexpr unsigned kPackets = 48;
constexpr std::uint32_t kBlockShift = 6;    // ranges are of cache lines
constexpr unsigned kQuietCycles = 400;      // longer than any retirement of the small tracker takes
constexpr unsigned kPatienceCycles = 4000;  // without any event: a deadlock

struct Load {
  unsigned seed;
  unsigned tasks = 200;
  unsigned addresses = 6;
  unsigned stride = 8;
  unsigned deps_max = 5;
  unsigned write_percent = 40;
  unsigned null_percent = 10;    // dependences on address 0, which are none
  unsigned range_percent = 0;    // accesses that are ranges of blocks
  unsigned submit_percent = 80;  // how often each queue is used when it could be
  unsigned fetch_percent = 80;
  unsigned retire_percent = 30;
};

class Lockstep : public myr::hw::Bench<Vtracker> {
 public:
  explicit Lockstep(const Load& load) : Bench(load.seed), load_(load) {}

  void run() {
    while (retired_ < load_.tasks) {
      step();
      REQUIRE_MESSAGE(idle_ < kPatienceCycles, "deadlock: ", submitted_, " submitted, ",
                      running_.size(), " running, ", retired_, " retired");
      if (chance(1)) check_quiet();
    }
    CHECK(table_.size() == 0);
  }

  // Nothing is submitted or retired until the tracker has told all it knows; then its ready tasks
  // must be all that the table knows, of those that it could register.
  void check_quiet() {
    paused_ = true;
    const unsigned fetch_percent = std::exchange(load_.fetch_percent, 100);
    for (unsigned i = 0; i < kQuietCycles; ++i) step();
    paused_ = false;
    load_.fetch_percent = fetch_percent;
    const bool blocked = dut->submit_full_o != 0;
    std::size_t ready = 0;
    for (std::uint64_t task = 0; task < submitted_; ++task) {
      if (!names_.contains(task) || !table_.ready(task)) continue;
      ready += 1;
      if (!blocked && packet_ == 0) CHECK(running_names_.contains(names_.at(task)));
    }
    CHECK(running_.size() <= ready);
    // The oldest task that has not retired waits for no other, so there is always one to run.
    if (!names_.empty() && (packet_ == 0 || names_.size() > 1)) CHECK(!running_.empty());
  }

 private:
  void step() {
    idle_ += 1;
    submit();
    fetch();
    retire();
    settle();
    REQUIRE(dut->error_o == 0);
    tick();
    dut->submit_write_i = 0;
    dut->retire_write_i = 0;
  }

  // An access of at most `left` dependences: what the tracker must make of it, and its packets.
  void add_access(unsigned left) {
    const Mode mode = chance(load_.write_percent) ? Mode::Write : Mode::Read;
    const std::uint32_t direction = mode == Mode::Write ? 3 : 1;
    std::uint64_t address =
        chance(load_.null_percent)
            ? 0
            : 0x80001000 + std::uint64_t{number() % load_.addresses} * load_.stride;
    if (address != 0 && chance(load_.range_percent)) {
      const unsigned blocks = 1 + number() % std::min(left, 4U);
      for (unsigned i = 0; i < blocks; ++i) {
        uses_.push_back({((address >> kBlockShift) + i) << kBlockShift, mode});
      }
      address += number() % (1U << kBlockShift);  // a range begins with the block that has it
      accesses_.push_back({address, direction | PICOS_RANGE(kBlockShift, blocks - 1)});
    } else {
      uses_.push_back({address, mode});
      accesses_.push_back({address, direction});
    }
  }

  void make_task() {
    uses_.clear();
    accesses_.clear();
    const unsigned deps = number() % (load_.deps_max + 1);
    while (uses_.size() < deps) add_access(deps - static_cast<unsigned>(uses_.size()));
    packets_.assign(kPackets, 0);
    const std::uint64_t task_name = name();
    packets_[0] = static_cast<std::uint32_t>(task_name >> 32);
    packets_[1] = static_cast<std::uint32_t>(task_name);
    packets_[2] = deps;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      packets_[3 + 3 * i] = static_cast<std::uint32_t>(accesses_[i].first >> 32);
      packets_[4 + 3 * i] = static_cast<std::uint32_t>(accesses_[i].first);
      packets_[5 + 3 * i] = accesses_[i].second;
    }
    std::erase_if(uses_, [](const AddressUse& use) { return use.address == 0; });
    table_.add(submitted_, uses_);
    names_[submitted_] = task_name;
    tasks_[task_name] = submitted_;
    submitted_ += 1;
  }

  void submit() {
    const bool starts = packet_ == 0;
    if (starts && (paused_ || submitted_ == load_.tasks)) return;
    if (dut->submit_full_o != 0 || !chance(load_.submit_percent)) return;
    if (starts) make_task();
    dut->submit_write_i = 1;
    dut->submit_packet_i = packets_[packet_];
    packet_ = (packet_ + 1) % kPackets;
    idle_ = 0;
  }

  void fetch() {
    if (reads_) {
      fetched_.push_back(dut->ready_packet_o);
      if (fetched_.size() == 3) take_ready();
    }
    reads_ = dut->ready_empty_o == 0 && chance(load_.fetch_percent);
    dut->ready_read_i = reads_;
  }

  void take_ready() {
    const std::uint64_t task_name = std::uint64_t{fetched_[1]} << 32 | fetched_[2];
    REQUIRE(tasks_.contains(task_name));
    REQUIRE(table_.ready(tasks_.at(task_name)));
    REQUIRE(running_names_.emplace(task_name, fetched_[0]).second);
    for (const auto& [id, other] : running_) REQUIRE(id != fetched_[0]);
    running_.emplace_back(fetched_[0], task_name);
    fetched_.clear();
    idle_ = 0;
  }

  void retire() {
    if (paused_ || running_.empty() || dut->retire_full_o != 0) return;
    if (!chance(load_.retire_percent)) return;
    const std::size_t which = number() % running_.size();
    const auto [id, task_name] = running_[which];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
    running_names_.erase(task_name);
    const std::uint64_t task = tasks_.at(task_name);
    table_.retire(task);
    tasks_.erase(task_name);
    names_.erase(task);
    dut->retire_write_i = 1;
    dut->retire_id_i = id;
    retired_ += 1;
    idle_ = 0;
  }

  Load load_;
  AddressTable table_;
  std::map<std::uint64_t, std::uint64_t> names_;  // of tasks, by number, that have not retired
  std::map<std::uint64_t, std::uint64_t> tasks_;  // by name
  std::vector<std::pair<std::uint32_t, std::uint64_t>> running_;
  std::map<std::uint64_t, std::uint32_t> running_names_;
  Uses uses_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> accesses_;  // address, direction packet
  std::vector<std::uint32_t> packets_;
  std::vector<std::uint32_t> fetched_;
  unsigned packet_ = 0;
  unsigned submitted_ = 0;
  unsigned retired_ = 0;
  unsigned idle_ = 0;
  bool paused_ = false;
  bool reads_ = false;
};

void run_seeds(Load load) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    load.seed = seed;
    CAPTURE(seed);
    Lockstep(load).run();
  }
}

}  // namespace

TEST_CASE("few addresses: long chains of versions") { run_seeds({.seed = 0, .addresses = 3}); }

TEST_CASE("mostly readers: long lists, and writers that wait for all of them") {
  // A task takes 48 cycles to come, so that others are running meanwhile for as long.
  run_seeds({.seed = 0, .addresses = 2, .write_percent = 15, .retire_percent = 3});
}

TEST_CASE("many dependences, addresses named twice, versions run out") {
  run_seeds({.seed = 0, .addresses = 24, .deps_max = 15});
}

TEST_CASE("all addresses in one set, so that it is full most of the time") {
  run_seeds({.seed = 0, .addresses = 64, .stride = 16, .deps_max = 15});
}

TEST_CASE("ranges of blocks that overlap, and exact addresses where blocks begin") {
  run_seeds({.seed = 0, .addresses = 12, .stride = 64, .deps_max = 15, .range_percent = 60});
  run_seeds({.seed = 0, .addresses = 5, .stride = 64, .deps_max = 4, .range_percent = 100});
}

TEST_CASE("independent tasks, slow retirement: the task memory is full") {
  run_seeds({.seed = 0, .addresses = 100000, .deps_max = 1, .retire_percent = 3});
}

TEST_CASE("everything as fast as the queues allow, and everything slow") {
  run_seeds({.seed = 0, .submit_percent = 100, .fetch_percent = 100, .retire_percent = 100});
  run_seeds({.seed = 0, .submit_percent = 10, .fetch_percent = 5, .retire_percent = 5});
}

TEST_CASE("a task that is not running cannot be retired") {
  myr::hw::Bench<Vtracker> bench(1);
  for (const std::uint32_t id : {0U, 7U, 8U, 0xFFFFFFFFU}) {
    bench.dut->retire_write_i = 1;
    bench.dut->retire_id_i = id;
    bench.settle();
    CHECK(bench.dut->error_o == 6);
    bench.tick();
    bench.dut->retire_write_i = 0;
    bench.settle();
    CHECK(bench.dut->error_o == 0);
  }
}
