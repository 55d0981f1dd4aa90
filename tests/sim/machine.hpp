// SPDX-License-Identifier: Apache-2.0
//
// A whole tree machine in one thread: the product's schedulers and workers, channels between
// neighbours that keep messages in order but deliver them whenever chance wants, and transfers that
// end whenever chance wants. The same seed gives the same run.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fake_store.hpp"
#include "network.hpp"
#include "sched/host.hpp"
#include "sched/serial_worker.hpp"
#include "versions.hpp"

namespace myr::sim_test {

// What a task's body needs of the machine, and the other way round.
class Bodies {
 public:
  Bodies() = default;
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;
  virtual void begin(proto::AgentId worker, const proto::Work& work) = 0;
  virtual void go_on(proto::TaskId task) = 0;
  virtual void answer(const proto::RegionMade& answer) = 0;
  virtual void answer(const proto::Allocated& answer) = 0;

 protected:
  ~Bodies() = default;
};

// A worker, on a core of its own or with threads.
class SimulatedWorker {
 public:
  SimulatedWorker() = default;
  SimulatedWorker(const SimulatedWorker&) = delete;
  SimulatedWorker& operator=(const SimulatedWorker&) = delete;
  virtual ~SimulatedWorker() = default;
  virtual void receive(proto::Body& body) = 0;
  virtual void start_main() = 0;
  virtual void waits(proto::TaskId task) = 0;
  virtual void ended(proto::TaskId task) = 0;
  [[nodiscard]] virtual bool is_idle() const = 0;
  [[nodiscard]] virtual const char* broken_invariant() const = 0;
};

// Which they are: cores, which have what they fetch as soon as it comes; or processes of `mpi` with
// so many threads each, see Process.
struct WorkerKind {
  unsigned threads = 0;     // 0: cores
  bool overwrites = false;  // a process what it has given up
  [[nodiscard]] bool are_processes() const noexcept { return threads != 0; }
};

// What happened to pages, to see that tests come to it.
struct PageTrade {
  std::uint64_t granted = 0;
  std::uint64_t returned = 0;
  std::uint64_t demands = 0;
  std::uint64_t refusals = 0;  // of memory, to tasks
};

class Machine {
 public:
  Machine(const sched::Topology& topology, std::uint64_t seed, Bodies& bodies,
          bool moves_data = true, WorkerKind kind = {});
  ~Machine();

  // From a worker.
  void send(proto::AgentId from, proto::AgentId to, proto::Body body);
  // Happens at some time.
  void later(std::function<void()> event) { events_.push_back(std::move(event)); }
  // The same, but once in a while only after many others.
  void much_later(std::function<void()> event);
  void waits(proto::AgentId worker, proto::TaskId task);
  void ended(proto::AgentId worker, proto::TaskId task);

  // Until nothing can happen any more. False: it went on for too long.
  [[nodiscard]] bool run();
  [[nodiscard]] bool all_idle() const;
  // Each page has one holder, and all schedulers above know the way to it.
  [[nodiscard]] bool all_pages_found() const;
  // Some task got no memory: there will be some more.
  void add_memory();
  [[nodiscard]] const std::string& misuse() const noexcept { return misuse_; }
  void note_misuse(const std::string& text) { misuse_ = text; }

  // ---- for its workers
  [[nodiscard]] Bodies& bodies() noexcept { return bodies_; }
  void give_back(proto::AgentId worker, proto::GivenBack answer);

  [[nodiscard]] const sched::Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] Versions& versions() noexcept { return versions_; }
  [[nodiscard]] std::size_t below(std::size_t limit) { return random_() % limit; }
  [[nodiscard]] std::uint64_t message_count() const noexcept { return message_count_; }
  // Tasks that workers gave back.
  [[nodiscard]] std::uint64_t given_back() const noexcept { return given_back_; }
  [[nodiscard]] std::uint64_t transfer_count() const noexcept { return network_.transfer_count(); }
  [[nodiscard]] const PageTrade& trade() const noexcept { return trade_; }

 private:
  void after(std::size_t others, std::function<void()> event);
  struct AgentWire;
  struct SchedulerContext;
  struct Core;

  void count(const proto::Body& body);
  void deliver(proto::AgentId from, proto::AgentId at, proto::Message message);
  void serve(proto::AgentId at);
  void note_broken(proto::AgentId at, const char* invariant);

  const sched::Topology& topology_;
  std::mt19937_64 random_;
  Bodies& bodies_;
  Versions versions_;
  std::map<proto::AgentId, std::unique_ptr<SchedulerContext>> schedulers_;
  Network network_;
  std::map<proto::AgentId, std::unique_ptr<SimulatedWorker>> workers_;
  std::map<std::pair<proto::AgentId, proto::AgentId>, std::deque<proto::Message>> channels_;
  std::vector<std::function<void()>> events_;
  std::optional<sched::Incoming> arrived_;  // what a scheduler handles next
  std::uint64_t message_count_ = 0;
  std::uint64_t given_back_ = 0;
  PageTrade trade_;
  std::string misuse_;
};

}  // namespace myr::sim_test
