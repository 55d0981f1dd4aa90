// SPDX-License-Identifier: Apache-2.0
//
// TaskTable: the tasks whose home is one scheduler: from the spawn of their children over the
// grants of their accesses to their end (paper 1, section V).
//
// What a task spawns is handled in order, one at a time: the ways of all its accesses are found,
// its home is chosen, the home adopts it, and its accesses enter. Only then comes the next spawn,
// or the end. So nothing that a task does overtakes its earlier spawns, though its worker does not
// wait for answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/ring.hpp"
#include "base/stable_map.hpp"
#include "proto/ids.hpp"
#include "proto/messages.hpp"
#include "sched/access_index.hpp"
#include "sched/kept_tasks.hpp"
#include "sched/link.hpp"
#include "sched/placer.hpp"
#include "sched/region_table.hpp"
#include "sched/sibling_ranges.hpp"
#include "sched/step_keeper.hpp"
#include "sched/step_portions.hpp"

namespace myr::sched {

using proto::TaskId;

class TaskTable {
 public:
  // `moves_data`: workers share no memory, so what a task waits for must come to its worker.
  TaskTable(Link& link, deps::QueueTree& queues, RegionTable& regions, Placer& placer,
            StepKeeper& steps, StepPortions& portions, bool moves_data) noexcept;

  // The first task, which nobody spawned and which holds the root region. It runs on `worker`.
  void adopt_main(TaskId task, AgentId worker);

  void handle(proto::Spawn& message);
  void handle(proto::WaitAll& message);
  void handle(proto::BodyEnded& message);
  void handle(proto::LocalsGone& message);
  void handle(proto::Resolve& message);
  void handle(proto::Adopt& message);
  void handle(proto::NextPart& message);
  void handle(proto::PartOver& message);
  void handle(proto::Granted& message);
  void handle(proto::Placed& message);
  void handle(proto::Completed& message);
  void handle(proto::SiblingsDone& message);
  void handle(proto::Place& message);

  // The task, whose home is here, was granted an access to a node here. False: it is no light part,
  // so what the node holds has to be told.
  [[nodiscard]] bool grant_part(TaskId task);

  // Places tasks that have been kept, as far as there is room.
  void place_kept();
  [[nodiscard]] std::size_t kept_count() const noexcept { return kept_.size(); }
  // A kept task whose home is no deeper than that, for workers elsewhere; none: there is none.
  [[nodiscard]] std::optional<proto::Work> give_kept(unsigned home_depth) {
    return kept_.pop_for(home_depth);
  }
  // Places the task on a child, if one has room, else later.
  void place(proto::Work work);
  // Places a task that had been placed below and not begun: on an idle child, if there is one.
  void place_again(proto::Work work);

  [[nodiscard]] std::size_t task_count() const noexcept { return records_.size(); }
  // nullptr, or what does not hold between two events. Cost: O(all that is here).
  [[nodiscard]] const char* broken_invariant() const;

 private:
  // A part of a loop whose home has all that it writes. As long as it does not spawn or wait, no
  // more need be known of it: its accesses follow from the loop's windows.
  static constexpr std::size_t kLightAccessesMax = 16;  // of which each is compared with the others
  struct LightPart {
    proto::SerialTime time;
    std::uint32_t missing = 0;  // accesses not granted
    AgentId worker = proto::kNoAgent;
  };
  struct Parts {
    TaskId first;                        // the others have the numbers behind it
    proto::SerialClock clock;            // of the loop
    bool are_light = false;              // may they be?
    std::uint32_t access_count = 0;      // of a part in the middle
    std::vector<proto::Path> ways = {};  // of the windows' regions, from what the loop holds
    std::vector<LightPart> light = {};
    std::map<std::pair<TaskId, NodeId>, Pieces> brought = {};  // by other owners, for some of them
  };
  struct Record {
    proto::TaskPtr task;
    AccessIndex index = {};   // of its accesses
    std::size_t missing = 0;  // accesses not granted, and one for siblings
    Pieces pieces;
    AgentId worker = proto::kNoAgent;
    base::Ring<proto::TaskPtr> spawns;  // the first is being resolved
    std::size_t unresolved = 0;         // accesses of that one, whose owners have been asked
    std::size_t children = 0;           // spawned and not complete
    SiblingRanges ranges;               // of children
    std::optional<proto::SerialTime> waits_for_all_at;
    bool fetches_all = false;  // at the end of a wait for all
    bool has_body_ended = false;
    std::unique_ptr<Parts> parts;  // of a loop
    proto::FailurePtr failure;     // for its next wait for all or, if there is none, its parent
  };

  Record& record(TaskId task);
  [[nodiscard]] static const char* broken_invariant(const Record& record,
                                                    std::size_t children_here);
  // The access of the task to the node; nullptr: it has none.
  [[nodiscard]] static proto::Access* find_access(const Record& record, NodeId node);
  // ---- spawns: task_table_spawns.cpp
  void note_step(Record& parent, const proto::Task& spawn);
  void advance(Record& parent);
  [[nodiscard]] bool resolve_first(Record& parent);
  [[nodiscard]] bool resolve_here(const Record& parent, proto::Access& access);
  void ask_owners(Record& parent, const std::vector<std::uint32_t>& unknown);
  [[nodiscard]] bool launch_first(Record& parent);
  AgentId give_home(proto::Task& task);
  static void note_written(proto::Task& task);
  [[nodiscard]] bool check(const Record& parent, proto::Access& access, std::uint64_t program);
  static void merge(proto::Accesses& accesses);
  [[nodiscard]] AgentId choose_home(const proto::Task& task) const;
  void take_ways(const Record& parent, proto::Task& task);
  void add_entering(AgentId owner, TaskId parent, const deps::Use& use, const proto::Path& path);
  void send_entering();
  [[nodiscard]] AgentId owner_of_first(const Record& parent, const proto::Access& access) const;

  // ---- loops: task_table_loops.cpp
  void begin_loop(Record& loop);
  [[nodiscard]] bool find_way(const Record& loop, const proto::Window& window, proto::Path& way);
  void put_off_part(const Record& loop, std::uint64_t begin);
  [[nodiscard]] proto::TaskPtr make_part(const Record& loop, proto::Iterations iterations) const;
  [[nodiscard]] bool find_ways(const Record& loop, proto::Task& part);
  void launch_part(Record& loop, proto::TaskPtr part);
  struct FoundPart {
    Record* loop;  // nullptr: it is no light part
    std::size_t number;
    [[nodiscard]] LightPart& state() const { return loop->parts->light[number]; }
  };
  [[nodiscard]] FoundPart find_part(TaskId task);
  [[nodiscard]] bool are_distinct(const proto::Loop& loop, proto::Iterations iterations);
  void launch_light(Record& loop, proto::Iterations iterations, std::size_t access_count);
  void enter_light(const Record& loop, TaskId part, const proto::Window& window, deps::Ways&& ways);
  void begin_part(const FoundPart& part, TaskId task);
  void place_part(const FoundPart& part, AgentId worker);
  Record& make_record(const FoundPart& part, TaskId task);

  void adopt(proto::TaskPtr task);
  static void make_stand_in(Record& early);
  [[nodiscard]] bool is_told_later(const proto::Task& task, const proto::Access& access) const;
  void ask_for_parts(Record& granted);
  void add_pieces(Record& record, const proto::Access& access, std::span<Piece> pieces);
  void count_granted(Record& granted, std::size_t count);
  void when_granted(Record& record);
  void send_down(AgentId child, proto::Work work);
  void tell_placed(TaskId task, AgentId worker);
  void end_wait(Record& record);
  void end_wait_for_all(Record& record);
  void relocate(const Record& writer, AgentId worker);
  void run_free(Record& record);
  void end_body(Record& record);
  void leave(const Record& ended, bool parts);
  void child_completed(Record& parent, TaskId child);
  void complete_if_over(Record& over);

  Link& link_;
  deps::QueueTree& queues_;
  RegionTable& regions_;
  Placer& placer_;
  StepKeeper& steps_;
  StepPortions& portions_;
  bool moves_data_;
  base::StableMap<Record> records_;
  KeptTasks kept_;                   // until a worker has room for them
  std::map<TaskId, TaskId> loops_;   // with light parts: by the first of these
  std::vector<std::uint64_t> used_;  // by the part that is looked at
  // For the spawn that is being launched: the region around the node that was looked at last, or
  // none if the parent holds the node or it is elsewhere; the way to it from what the parent holds;
  // how often that was another region than before, and how often not.
  struct WaysFound {
    std::optional<NodeId> region = {};
    proto::Path last = {};
    std::uint32_t regions = 0;
    std::uint32_t more = 0;

    // Is it another region?
    bool count(NodeId around) {
      const bool is_new = std::exchange(region, around) != around;
      (is_new ? regions : more) += 1;
      return is_new;
    }
  };
  WaysFound ways_;
  // What is to enter, and where.
  std::vector<std::pair<AgentId, proto::Enter>> entering_;
  std::uint64_t next_serial_;  // main has 0
};

}  // namespace myr::sched
