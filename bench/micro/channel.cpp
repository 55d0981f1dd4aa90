// SPDX-License-Identifier: Apache-2.0
//
// What it costs to send a message through the wires of a tree machine on threads.
//
//   send_receive_B   one thread sends B messages, shows them, and receives them: the work alone
//   stream_B         one thread sends, B messages at a time, another one receives
//   hand_over        two threads hand a message to and fro; the one that waits spins for a while
//   wake_up          the same, but the one that waits sleeps at once
//
// For each message on its way from one end to the other: nanoseconds, and messages a second.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/command_line.hpp"
#include "harness/core_clock.hpp"
#include "transport/threads/wires.hpp"

namespace {

using myr::bench::now_ns;
using myr::transport::threads::AgentId;
using myr::transport::threads::BasicWires;
using myr::transport::threads::Edge;
using myr::transport::threads::Port;
using myr::transport::threads::TreeWire;
using myr::transport::threads::Wires;
namespace proto = myr::proto;

const std::vector<Edge> kBothWays{{0, 1}, {1, 0}};
// Messages of a run. It takes a few milliseconds, so that many runs escape interruptions.
constexpr unsigned kStream = 1U << 15;
constexpr unsigned kHandOvers = 4'000;
constexpr unsigned kWakeUps = 500;

void send(Port& port, AgentId to, unsigned number) {
  port.send(to, {.to = to, .body = proto::BodyEnded{.task = number}});
}

void receive(Port& port) {
  while (!port.receive().has_value()) port.wait();
}

double ns_each(std::int64_t start_ns, unsigned messages) {
  return static_cast<double>(now_ns() - start_ns) / messages;
}

double time_work(unsigned batch) {
  Wires wires(2, kBothWays);
  const std::int64_t start_ns = now_ns();
  for (unsigned sent = 0; sent < kStream; sent += batch) {
    for (unsigned i = 0; i < batch; ++i) send(wires.port(0), 1, i);
    wires.port(0).flush();
    for (unsigned i = 0; i < batch; ++i) receive(wires.port(1));
  }
  return ns_each(start_ns, kStream);
}

double time_stream(unsigned batch) {
  Wires wires(2, kBothWays);
  std::jthread receiver([&] {
    for (unsigned i = 0; i < kStream; ++i) receive(wires.port(1));
  });
  Port& port = wires.port(0);
  const std::int64_t start_ns = now_ns();
  for (unsigned sent = 0; sent < kStream; sent += batch) {
    for (unsigned i = 0; i < batch; ++i) send(port, 1, i);
    port.flush();
    while (port.is_backed_up()) port.wait();
  }
  receiver.join();
  return ns_each(start_ns, kStream);
}

double time_to_and_fro(BasicWires<TreeWire>& wires, unsigned messages) {
  std::jthread echo([&] {
    for (unsigned i = 0; i < messages; i += 2) {
      receive(wires.port(1));
      send(wires.port(1), 0, i);
    }
    wires.port(1).flush();
  });
  const std::int64_t start_ns = now_ns();
  for (unsigned i = 0; i < messages; i += 2) {
    send(wires.port(0), 1, i);
    receive(wires.port(0));
  }
  return ns_each(start_ns, messages);
}

double time_hand_over() {
  Wires wires(2, kBothWays);
  return time_to_and_fro(wires, kHandOvers);
}

double time_wake_up() {
  BasicWires<TreeWire> wires(2, kBothWays, 0);
  return time_to_and_fro(wires, kWakeUps);
}

template <class Measure>
void report(const std::string& name, unsigned runs, std::FILE* json, Measure measure) {
  std::vector<double> ns;
  for (unsigned run = 0; run < runs; ++run) ns.push_back(measure());
  std::sort(ns.begin(), ns.end());
  const double median = ns[ns.size() / 2];
  fmt::print("{:<18}{:>10.1f} ({:.1f}..{:.1f}){:>14.2f}\n", name, median, ns.front(), ns.back(),
             1e3 / median);
  std::fflush(stdout);
  if (json == nullptr) return;
  fmt::print(json,
             "{{\"bench\": \"channel_{}\", \"runtime\": \"myrmidon\", \"ns_per_message\": {:.1f}, "
             "\"messages_per_s\": {:.0f}, \"runs\": [{:.1f}]}}\n",
             name, median, 1e9 / median, fmt::join(ns, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  unsigned runs = 31;
  kernels::CommandLine line("Measures the wires of tree machines on threads.");
  line.add_count("--runs", &runs, "runs of each case", 1000);
  line.add_json("file for one JSON object a measurement");
  line.parse(argc, argv);
  std::FILE* json = line.json();

  fmt::print("ns a message: median (fastest..slowest) of {} runs; million messages a second\n",
             runs);
  for (const unsigned batch : {1U, 32U}) {
    report(fmt::format("send_receive_{}", batch), runs, json, [&] { return time_work(batch); });
  }
  for (const unsigned batch : {1U, 32U}) {
    report(fmt::format("stream_{}", batch), runs, json, [&] { return time_stream(batch); });
  }
  report("hand_over", runs, json, time_hand_over);
  report("wake_up", runs, json, time_wake_up);
  return 0;
}
