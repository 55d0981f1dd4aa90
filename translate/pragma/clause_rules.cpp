// SPDX-License-Identifier: Apache-2.0
//
// clause_rules(): see clause_rules.hpp.

#include "translate/pragma/clause_rules.hpp"

#include <utility>

namespace myr::translate {
namespace {

using Kind = Clause::Kind;
using Takes = ClauseRule::Takes;

constexpr std::string_view kOneThread =
    "a region with tasks is run by one thread, number 0: write an if statement";
constexpr std::string_view kTeamsCopy =
    "a region with tasks is run by one thread, which has no copy of its own: pass the value in "
    "firstprivate()";

void add(ClauseRules& rules, std::string_view name, Kind kind, Takes takes) {
  rules[name] = {.kind = kind, .takes = takes};
}
void refuse(ClauseRules& rules, std::string_view name, std::string_view why) {
  rules[name] = {.takes = Takes::Refused, .why = why};
}
void add_access(ClauseRules& rules, std::string_view name, Mode mode, bool weak = false) {
  rules[name] = {.kind = Kind::Access, .takes = Takes::Items, .mode = mode, .weak = weak};
}

ClauseRules myrmics_task() {
  ClauseRules rules;
  add_access(rules, "in", Mode::In);
  add_access(rules, "out", Mode::Out);
  add_access(rules, "inout", Mode::InOut);
  add(rules, "safe", Kind::Safe, Takes::Items);
  add(rules, "notransfer", Kind::NoTransfer, Takes::Items);
  return rules;
}

ClauseRules wait() {
  ClauseRules rules;
  add_access(rules, "on", Mode::InOut);
  add_access(rules, "in", Mode::In);
  add_access(rules, "out", Mode::Out);
  add_access(rules, "inout", Mode::InOut);
  return rules;
}

ClauseRules omp_wait() {
  ClauseRules rules = wait();
  add(rules, "depend", Kind::Access, Takes::Dependence);
  add(rules, "noflush", Kind::Ignored, Takes::Nothing);
  refuse(rules, "nowait",
         "write a task with these dependences before an empty statement: #pragma omp task "
         "depend(...) and then ;");
  return rules;
}

void add_data_clauses(ClauseRules& rules) {
  add(rules, "firstprivate", Kind::FirstPrivate, Takes::Items);
  add(rules, "private", Kind::Private, Takes::Items);
  add(rules, "shared", Kind::Shared, Takes::Items);
  add(rules, "default", Kind::Ignored, Takes::Default);
  add(rules, "allocate", Kind::Ignored, Takes::Anything);
}

// The accesses of a task.
ClauseRules accesses() {
  ClauseRules rules;
  for (const std::string_view name : {"in", "input"}) add_access(rules, name, Mode::In);
  for (const std::string_view name : {"out", "output"}) add_access(rules, name, Mode::Out);
  add_access(rules, "inout", Mode::InOut);
  add_access(rules, "commutative", Mode::Commutative);
  add_access(rules, "concurrent", Mode::Concurrent);
  add_access(rules, "weakin", Mode::In, true);
  add_access(rules, "weakout", Mode::Out, true);
  for (const std::string_view name : {"weakinout", "weakconcurrent", "weakcommutative"}) {
    add_access(rules, name, Mode::InOut, true);
  }
  return rules;
}

// OmpSs-2's release: a task gives up the accesses that it names before it ends.
ClauseRules release() {
  ClauseRules rules = accesses();
  add(rules, "depend", Kind::Access, Takes::Dependence);
  return rules;
}

// What a task and a taskloop have in common.
ClauseRules tasks() {
  ClauseRules rules = accesses();
  add_data_clauses(rules);
  add(rules, "priority", Kind::Priority, Takes::Expression);
  add(rules, "final", Kind::Final, Takes::Expression);
  add(rules, "if", Kind::If, Takes::Condition);
  add(rules, "untied", Kind::Ignored, Takes::Nothing);
  add(rules, "mergeable", Kind::Ignored, Takes::Nothing);
  add(rules, "label", Kind::Ignored, Takes::Expression);
  add(rules, "cost", Kind::Ignored, Takes::Expression);
  for (const std::string_view name : {"copy_deps", "no_copy_deps", "affinity"}) {
    add(rules, name, Kind::Ignored, Takes::Anything);
  }
  add(rules, "in_reduction", Kind::InReduction, Takes::Reduction);
  return rules;
}

ClauseRules omp_task() {
  ClauseRules rules = tasks();
  add(rules, "depend", Kind::Access, Takes::Dependence);
  refuse(rules, "detach",
         "a task ends when its statement does: wait for the event there, or make the rest a task "
         "of its own");
  refuse(rules, "reduction",
         "write in_reduction() within a taskgroup with task_reduction(), or inout()");
  for (const std::string_view name : {"wait", "onready", "weakreduction"}) {
    refuse(rules, name, "it is a clause of OmpSs-2: write #pragma oss task");
  }
  refuse(rules, "for", "write #pragma omp taskloop");
  return rules;
}

// Adds the clauses that tasks and loops of OmpSs-2 also have, and removes those that they do not
// have.
void add_ompss2(ClauseRules& rules) {
  add(rules, "depend", Kind::Access, Takes::Dependence);
  add(rules, "reduction", Kind::InReduction, Takes::Reduction);
  rules["weakreduction"] = {.kind = Kind::Access, .takes = Takes::Reduction, .weak = true};
  // To wait for a task is to wait for what it has spawned, too.
  for (const std::string_view name : {"wait", "weakwait"}) {
    add(rules, name, Kind::Ignored, Takes::Nothing);
  }
  add(rules, "onready", Kind::OnReady, Takes::Expression);
  add(rules, "immediate", Kind::Ignored, Takes::Expression);
  add(rules, "device", Kind::Ignored, Takes::Device);
  for (const std::string_view name : {"verified", "lint"}) {
    add(rules, name, Kind::Ignored, Takes::Anything);
  }
  for (const std::string_view name : {"in_reduction", "copy_deps", "no_copy_deps", "affinity"}) {
    rules.erase(name);
  }
}

ClauseRules ompss2_task() {
  ClauseRules rules = tasks();
  add_ompss2(rules);
  return rules;
}

ClauseRules task_loop(const Pragma& pragma) {
  ClauseRules rules = tasks();
  add(rules, "lastprivate", Kind::LastPrivate, Takes::Items);
  add(rules, "reduction", Kind::InReduction, Takes::Reduction);
  add(rules, "grainsize", Kind::GrainSize, Takes::Strict);
  add(rules, "chunksize", Kind::GrainSize, Takes::Strict);
  add(rules, "num_tasks", Kind::NumTasks, Takes::Strict);
  add(rules, "nogroup", Kind::NoGroup, Takes::Nothing);
  add(rules, "collapse", Kind::Ignored, Takes::Anything);
  for (const std::string_view name : {"safelen", "simdlen", "aligned", "nontemporal", "order"}) {
    if (pragma.has(Leaf::Simd)) add(rules, name, Kind::Ignored, Takes::Anything);
  }
  for (const std::string_view name : {"num_threads", "proc_bind"}) {
    if (pragma.leaves.size() > 1) add(rules, name, Kind::Ignored, Takes::Anything);
  }
  if (pragma.has(Leaf::Master)) refuse(rules, "filter", kOneThread);
  refuse(rules, "depend", "OpenMP has no depend() for a taskloop; write in(), out() or inout()");
  refuse(rules, "linear", "compute the variable from the loop's own");
  if (pragma.form == Form::OmpSs2) add_ompss2(rules);
  return rules;
}

void add_of_leaf(ClauseRules& rules, Leaf leaf) {
  const auto ignore = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) add(rules, name, Kind::Ignored, Takes::Anything);
  };
  switch (leaf) {
    case Leaf::Parallel:
      ignore({"if", "num_threads", "proc_bind"});
      add_data_clauses(rules);
      add(rules, "reduction", Kind::Reduction, Takes::Reduction);
      refuse(rules, "copyin", kTeamsCopy);
      break;
    case Leaf::For:
    case Leaf::Sections:
      ignore({"schedule", "collapse", "ordered", "order"});
      add_data_clauses(rules);
      add(rules, "lastprivate", Kind::LastPrivate, Takes::Items);
      add(rules, "reduction", Kind::Reduction, Takes::Reduction);
      add(rules, "nowait", Kind::NoWait, Takes::Nothing);
      refuse(rules, "linear", "compute the variable from the loop's own");
      break;
    case Leaf::Single:
      add_data_clauses(rules);
      ignore({"copyprivate"});
      add(rules, "nowait", Kind::NoWait, Takes::Nothing);
      break;
    case Leaf::Master:
      refuse(rules, "filter", kOneThread);
      break;
    case Leaf::TaskGroup:
      add(rules, "task_reduction", Kind::Around, Takes::Reduction);
      ignore({"allocate"});
      break;
    case Leaf::TaskIter:
      ignore({"unroll", "update", "label", "cost", "priority"});
      break;
    case Leaf::TaskGraph:
      // What differs is found anyway.
      ignore({"if", "graph_id", "graph_reset"});
      add(rules, "nogroup", Kind::NoGroup, Takes::Nothing);
      break;
    case Leaf::Critical:
      ignore({"hint"});
      break;
    case Leaf::Atomic:
      ignore({"read", "write", "update", "capture", "compare", "fail", "weak", "seq_cst", "acq_rel",
              "acquire", "release", "relaxed", "hint"});
      break;
    case Leaf::Ordered:
      ignore({"threads", "simd"});
      refuse(rules, "depend", "write tasks with depend()");
      refuse(rules, "doacross", "write tasks with depend()");
      break;
    case Leaf::Simd:
      ignore({"safelen", "simdlen", "aligned", "nontemporal", "order"});
      break;
    default:
      break;
  }
}

}  // namespace

const ClauseRules& clause_rules(const Pragma& pragma) {
  static const ClauseRules none;
  static const ClauseRules of_myrmics_task = myrmics_task();
  static const ClauseRules of_task = omp_task();
  static const ClauseRules of_wait = wait();
  static const ClauseRules of_omp_wait = omp_wait();
  static const ClauseRules of_ompss2_task = ompss2_task();
  static const ClauseRules of_release = release();
  static std::map<std::pair<Form, std::vector<Leaf>>, ClauseRules> of_leaves;
  if (pragma.form == Form::Myrmics) {
    return pragma.kind == PragmaKind::Wait ? of_wait : of_myrmics_task;
  }
  if (pragma.kind == PragmaKind::Task) {
    return pragma.form == Form::OmpSs2 ? of_ompss2_task : of_task;
  }
  if (pragma.has(Leaf::Release)) return of_release;
  if (pragma.kind == PragmaKind::Wait) {
    return pragma.has(Leaf::TaskWait) ? of_omp_wait : none;
  }
  const auto [rules, fresh] = of_leaves.try_emplace({pragma.form, pragma.leaves});
  if (fresh) {
    if (pragma.kind == PragmaKind::Loop) rules->second = task_loop(pragma);
    if (pragma.kind == PragmaKind::Construct) {
      for (const Leaf leaf : pragma.leaves) add_of_leaf(rules->second, leaf);
    }
  }
  return rules->second;
}

std::string known_clauses(const Pragma& pragma) {
  std::string all;
  for (const auto& [name, rule] : clause_rules(pragma)) {
    if (rule.takes == Takes::Refused) continue;
    all += all.empty() ? "" : ", ";
    all += name;
  }
  return all.empty() ? "none" : all;
}

}  // namespace myr::translate
