// SPDX-License-Identifier: Apache-2.0
//
// Benches of the blocks on a packet's way: from cores to the tracker, through the tracker's first
// and last stage, and back to the cores.
#include <Vcountdown.h>
#include <Vdependence_memory.h>
#include <Vpacket_decoder.h>
#include <Vpacket_encoder.h>
#include <Vready_sender.h>
#include <Vsubmission_handler.h>
#include <Vzero_padder.h>
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "bench.hpp"

using namespace myr::hw;

namespace {

constexpr unsigned kPackets = 48;
constexpr unsigned kTriples = 16;

// The packets of tasks, three a triple, with the number of triples of each task.
struct Triple {
  std::uint32_t packets[3];
  bool last;
};

template <typename AnyBench>
std::vector<Triple> random_task(AnyBench& bench) {
  std::vector<Triple> task(1 + bench.number() % kTriples);
  for (Triple& triple : task) {
    triple = {{bench.number(), bench.number(), bench.number()}, false};
  }
  task.back().last = true;
  return task;
}

// What the tracker must see of a task.
void append_padded(std::deque<std::uint32_t>& packets, const std::vector<Triple>& task) {
  for (const Triple& triple : task) {
    packets.insert(packets.end(), std::begin(triple.packets), std::end(triple.packets));
  }
  packets.insert(packets.end(), kPackets - 3 * task.size(), 0);
}

}  // namespace

TEST_CASE("the padder sends 48 packets a task, those it was given first") {
  Bench<Vzero_padder> bench(1);
  Source<Triple> source;
  std::deque<std::uint32_t> expected;
  for (unsigned i = 0; i < 100; ++i) {
    const std::vector<Triple> task = random_task(bench);
    source.waiting.insert(source.waiting.end(), task.begin(), task.end());
    append_padded(expected, task);
  }
  for (unsigned i = 0; !expected.empty(); ++i) {
    REQUIRE(i < 100000);
    bench.dut->in_valid_i = source.offer(bench, 70);
    const Triple triple = source.front();
    bench.dut->in_last_i = triple.last;
    for (unsigned word = 0; word < 3; ++word) {
      bench.dut->in_triple_i[2 - word] = triple.packets[word];
    }
    bench.dut->out_ready_i = bench.chance(80);
    bench.settle();
    if (bench.dut->out_valid_o && bench.dut->out_ready_i) {
      REQUIRE(bench.dut->out_packet_o == expected.front());
      expected.pop_front();
    }
    source.taken(bench.dut->in_ready_o);
    bench.tick();
  }
}

TEST_CASE("cores that submit at once: whole tasks, in the order of their requests") {
  Bench<Vsubmission_handler> bench(2);
  constexpr unsigned kCores = 2;
  constexpr unsigned kTasks = 60;
  struct Core {
    std::vector<Triple> task;
    std::size_t sent = 0;
    bool granted = false;
  };
  std::vector<Core> cores(kCores);
  std::deque<std::uint32_t> expected;
  unsigned granted = 0;
  unsigned refused = 0;
  for (unsigned i = 0; granted < kTasks || !expected.empty(); ++i) {
    REQUIRE(i < 100000);
    bench.dut->request_valid_i = 0;
    bench.dut->triple_valid_i = 0;
    for (unsigned core = 0; core < kCores; ++core) {
      Core& it = cores[core];
      if (!it.granted && granted < kTasks && bench.chance(50)) {
        if (it.task.empty()) it.task = random_task(bench);
        bench.dut->request_valid_i |= 1U << core;
      }
      // Lasts for a 5-bit number of each core.
      bench.dut->request_triples_i &= ~(31U << 5 * core);
      bench.dut->request_triples_i |= static_cast<unsigned>(it.task.size()) << 5 * core;
      if (it.granted && bench.chance(60)) {
        bench.dut->triple_valid_i |= 1U << core;
        const Triple& triple = it.task[it.sent];
        for (unsigned word = 0; word < 3; ++word) {
          put(bench.dut->triple_i, 96 * core + 32 * (2 - word), 32, triple.packets[word]);
        }
        if (triple.last) {
          bench.dut->triple_last_i |= 1U << core;
        } else {
          bench.dut->triple_last_i &= ~(1U << core);
        }
      }
    }
    bench.settle();
    bench.dut->tracker_full_i = bench.chance(30);
    bench.settle();
    if (bench.dut->tracker_write_o) {
      REQUIRE_FALSE(bench.dut->tracker_full_i);
      REQUIRE_FALSE(expected.empty());
      REQUIRE(bench.dut->tracker_packet_o == expected.front());
      expected.pop_front();
    }
    const unsigned grants = bench.dut->request_valid_i & bench.dut->request_ready_o;
    refused += bench.dut->request_valid_i != grants ? 1 : 0;
    for (unsigned core = 0; core < kCores; ++core) {
      Core& it = cores[core];
      if ((bench.dut->triple_valid_i >> core & 1) != 0) {
        REQUIRE((bench.dut->triple_ready_o >> core & 1) != 0);  // a grant means room
        it.sent += 1;
        if (it.sent == it.task.size()) it = Core{};
      } else if ((grants >> core & 1) != 0) {
        it.granted = true;
        granted += 1;
        append_padded(expected, it.task);
      }
    }
    bench.tick();
  }
  CHECK(refused > 0);
}

TEST_CASE("the encoder joins three packets") {
  Bench<Vpacket_encoder> bench(3);
  Source<std::uint32_t> source;
  std::deque<std::uint32_t> expected;
  for (unsigned i = 0; i < 300; ++i) {
    source.waiting.push_back(bench.number());
    expected.push_back(source.waiting.back());
  }
  for (unsigned i = 0; !expected.empty(); ++i) {
    REQUIRE(i < 10000);
    bench.dut->in_valid_i = source.offer(bench, 70);
    bench.dut->in_packet_i = source.front();
    bench.dut->out_ready_i = bench.chance(60);
    bench.settle();
    if (bench.dut->out_valid_o && bench.dut->out_ready_i) {
      for (unsigned word = 0; word < 3; ++word) {
        REQUIRE(bench.dut->out_task_o[2 - word] == expected.front());
        expected.pop_front();
      }
    }
    source.taken(bench.dut->in_ready_o);
    bench.tick();
  }
}

TEST_CASE("the decoder makes a step of each head and dependence, none of padding") {
  Bench<Vpacket_decoder> bench(4);
  struct Step {
    bool head;
    std::uint64_t name;
    unsigned deps;
    bool writes;
  };
  Source<std::uint32_t> source;
  std::deque<Step> expected;
  for (unsigned i = 0; i < 60; ++i) {
    const unsigned deps = bench.number() % 16;
    std::vector<std::uint32_t> packets(kPackets, 0);
    for (unsigned step = 0; step <= deps; ++step) {
      const std::uint64_t name = bench.name();
      const bool writes = bench.chance(50);
      packets[3 * step] = static_cast<std::uint32_t>(name >> 32);
      packets[3 * step + 1] = static_cast<std::uint32_t>(name);
      packets[3 * step + 2] = step == 0 ? deps : writes ? 2 : 1;
      expected.push_back({step == 0, name, deps, writes});
    }
    source.waiting.insert(source.waiting.end(), packets.begin(), packets.end());
  }
  for (unsigned i = 0; !source.waiting.empty(); ++i) {
    REQUIRE(i < 100000);
    bench.dut->in_valid_i = source.offer(bench, 80);
    bench.dut->in_packet_i = source.front();
    bench.dut->step_ready_i = bench.chance(50);
    bench.settle();
    REQUIRE(bench.dut->error_o == 0);
    if (bench.dut->step_valid_o && bench.dut->step_ready_i) {
      REQUIRE_FALSE(expected.empty());
      const Step step = expected.front();
      expected.pop_front();
      REQUIRE(bench.dut->step_is_head_o == step.head);
      REQUIRE(bench.dut->step_name_o == step.name);
      if (step.head) REQUIRE(bench.dut->step_deps_o == step.deps);
      if (!step.head) REQUIRE(bench.dut->step_writes_o == step.writes);
    }
    source.taken(bench.dut->in_ready_o);
    bench.tick();
  }
  CHECK(expected.empty());
}

TEST_CASE("the decoder tells of heads with too many dependences and of packets in the padding") {
  Bench<Vpacket_decoder> bench(5);
  bench.dut->step_ready_i = 1;
  bench.dut->in_valid_i = 1;
  for (unsigned packet = 0; packet < kPackets; ++packet) {
    bench.dut->in_packet_i = packet == 2 ? 16 : packet == 40 ? 7 : 0;
    bench.settle();
    CHECK(bench.dut->error_o == (packet == 2 || packet == 40 ? 5 : 0));
    bench.tick();
  }
}

TEST_CASE("the dependence memory finds each address and its youngest version, and says when full") {
  Bench<Vdependence_memory> bench(6);
  std::map<std::uint64_t, std::pair<unsigned, unsigned>> table;  // entry and version by address
  std::set<unsigned> used;
  bool was_full = false;
  for (unsigned i = 0; i < 6000; ++i) {
    const std::uint64_t address = 0x100 + 8 * std::uint64_t{bench.number() % 48};
    bench.dut->address_i = address;
    bench.dut->insert_i = bench.dut->replace_i = bench.dut->remove_i = 0;
    bench.settle();
    const auto found = table.find(address);
    REQUIRE(bench.dut->hit_o == (found != table.end()));
    const unsigned entry = bench.dut->entry_o;
    const unsigned version = bench.number() % 16;
    if (found == table.end()) {
      was_full = was_full || !bench.dut->room_o;
      if (bench.dut->room_o && bench.chance(60)) {
        REQUIRE(used.insert(entry).second);
        bench.dut->insert_i = 1;
        bench.dut->change_address_i = address;
        table[address] = {entry, version};
      }
    } else {
      REQUIRE(entry == found->second.first);
      REQUIRE(bench.dut->version_o == found->second.second);
      const bool remove = bench.chance(40);
      bench.dut->remove_i = remove;
      bench.dut->replace_i = !remove;
      if (remove) {
        used.erase(entry);
        table.erase(found);
      } else {
        found->second.second = version;
      }
    }
    bench.dut->change_entry_i = entry;
    bench.dut->change_version_i = version;
    bench.settle();
    bench.tick();
  }
  CHECK(was_full);
}

TEST_CASE("a task is ready with its last dependence, or at once if it has none") {
  Bench<Vcountdown> bench(7);
  constexpr unsigned kTasks = 8;
  std::vector<unsigned> left(kTasks, 0);
  std::vector<bool> live(kTasks, false);
  int free_task = -1;
  for (unsigned i = 0; i < 5000; ++i) {
    const unsigned task = bench.number() % kTasks;
    const unsigned other = bench.number() % kTasks;
    const unsigned deps = bench.number() % 4;
    const bool make = !live[task] && bench.chance(40);
    // The engine counts for no task in the cycle after a new one.
    const bool count = free_task < 0 && live[other] && left[other] != 0 && bench.chance(60);
    bench.dut->new_valid_i = make;
    bench.dut->new_task_i = task;
    bench.dut->new_deps_i = deps;
    bench.dut->met_valid_i = count;
    bench.dut->met_task_i = other;
    bench.settle();
    const bool last = count && left[other] == 1;
    REQUIRE(bench.dut->ready_valid_o == (last || free_task >= 0));
    if (last) REQUIRE(bench.dut->ready_task_o == other);
    if (free_task >= 0) REQUIRE(static_cast<int>(bench.dut->ready_task_o) == free_task);
    if (free_task >= 0) live[static_cast<unsigned>(free_task)] = false;
    if (count) left[other] -= 1;
    if (last) live[other] = false;
    free_task = make && deps == 0 ? static_cast<int>(task) : -1;
    if (make) live[task] = true, left[task] = deps;
    bench.tick();
  }
}

TEST_CASE("the sender names ready tasks in their order, and knows which of them run") {
  Bench<Vready_sender> bench(8);
  constexpr unsigned kTasks = 8;
  std::vector<std::uint64_t> names(kTasks);
  std::vector<unsigned> running;
  std::set<unsigned> free_tasks{0, 1, 2, 3, 4, 5, 6, 7};
  std::deque<unsigned> named;
  std::deque<std::uint32_t> expected;
  std::deque<unsigned> order;
  bool reads = false;
  unsigned packets = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    auto& dut = *bench.dut;
    if (reads) {
      REQUIRE(dut.packet_o == expected.front());
      expected.pop_front();
      packets += 1;
    }
    dut.new_valid_i = !free_tasks.empty() && bench.chance(30);
    dut.ready_valid_i = !named.empty() && bench.chance(30);
    if (dut.ready_valid_i) {
      const unsigned task = named.front();
      named.pop_front();
      dut.ready_task_i = task;
      order.push_back(task);
      expected.insert(expected.end(), {task, static_cast<std::uint32_t>(names[task] >> 32),
                                       static_cast<std::uint32_t>(names[task])});
    }
    if (dut.new_valid_i) {
      const unsigned task = *free_tasks.begin();
      free_tasks.erase(task);
      names[task] = bench.name();
      dut.new_task_i = task;
      dut.new_name_i = names[task];
      named.push_back(task);
    }
    const unsigned asked = bench.number() % 16;
    dut.retire_id_i = asked;
    dut.retired_i = 0;
    dut.read_i = 0;
    bench.settle();
    const auto found = std::find(running.begin(), running.end(), asked);
    REQUIRE(dut.retire_known_o == (found != running.end()));
    dut.retired_i = found != running.end() && bench.chance(50);
    reads = !dut.empty_o && bench.chance(60);
    dut.read_i = reads;
    bench.settle();
    if (dut.retired_i) {
      running.erase(found);
      free_tasks.insert(asked);
    }
    if (reads && (packets + 1) % 3 == 0) {
      running.push_back(order.front());
      order.pop_front();
    }
    bench.tick();
  }
  CHECK(packets > 1000);
}
