// SPDX-License-Identifier: Apache-2.0
//
// directive_of(): see directive.hpp.

#include "translate/pragma/directive.hpp"

#include <map>

namespace myr::translate {
namespace {

// Words that begin a directive, and those that may follow another one in a combined directive.
struct Word {
  PragmaKind kind;
  Leaf leaf;
  bool joins = false;
};

const std::map<std::string_view, Word>& words_of_tasks() {
  static const std::map<std::string_view, Word> words = {
      {"task", {PragmaKind::Task, Leaf::Task}},
      {"taskwait", {PragmaKind::Wait, Leaf::TaskWait}},
      {"barrier", {PragmaKind::Wait, Leaf::Barrier}},
      {"taskyield", {PragmaKind::Wait, Leaf::TaskYield}},
      {"taskloop", {PragmaKind::Loop, Leaf::TaskLoop, true}},
      {"taskgroup", {PragmaKind::Construct, Leaf::TaskGroup}},
      {"taskgraph", {PragmaKind::Construct, Leaf::TaskGraph}},
      {"parallel", {PragmaKind::Construct, Leaf::Parallel}},
      {"single", {PragmaKind::Construct, Leaf::Single, true}},
      {"master", {PragmaKind::Construct, Leaf::Master, true}},
      {"masked", {PragmaKind::Construct, Leaf::Master, true}},
      {"for", {PragmaKind::Construct, Leaf::For, true}},
      {"sections", {PragmaKind::Construct, Leaf::Sections, true}},
      {"section", {PragmaKind::Construct, Leaf::Section}},
      {"ordered", {PragmaKind::Construct, Leaf::Ordered}},
      {"critical", {PragmaKind::Construct, Leaf::Critical}},
      {"atomic", {PragmaKind::Construct, Leaf::Atomic}},
  };
  return words;
}

const std::map<std::string_view, std::string_view>& foreign_words() {
  constexpr std::string_view kDevice =
      "tasks run on this machine's processors only: move it out of this file";
  constexpr std::string_view kTeam =
      "one thread runs a region with tasks, and all threads its tasks: write taskloop, or tasks";
  constexpr std::string_view kFlag =
      "tasks must not wait for each other through variables: declare what each reads and writes in "
      "depend(), or write taskwait";
  constexpr std::string_view kCancel =
      "tasks cannot be cancelled: let later tasks check a variable and do nothing";
  static const std::map<std::string_view, std::string_view> words = {
      {"flush", kFlag},
      {"cancel", kCancel},
      {"cancellation", kCancel},
      {"threadprivate",
       "a task may run on any thread, so the copies would not belong to a team's threads: write "
       "reduction(), or use a variable that tasks change in atomic or critical"},
      {"depobj", "write the dependence itself, in depend() of each task"},
      {"scan", kTeam},
      {"scope", kTeam},
      {"loop", kTeam},
      {"teams", kDevice},
      {"distribute", kDevice},
      {"target", kDevice},
      {"dispatch", kDevice},
      {"interop", kDevice},
      {"metadirective", "write the directive itself"},
  };
  return words;
}

}  // namespace

std::optional<Directive> directive_of(const std::vector<std::string_view>& words) {
  if (words.empty()) return std::nullopt;
  const auto first = words_of_tasks().find(words[0]);
  if (first == words_of_tasks().end()) {
    if (!foreign_words().contains(words[0])) return std::nullopt;
    return Directive{PragmaKind::Foreign, {}, 1};
  }
  Directive found{first->second.kind, {first->second.leaf}, 1};
  const bool combines = first->second.joins || first->second.leaf == Leaf::Parallel;
  for (; combines && found.word_count < words.size(); ++found.word_count) {
    const std::string_view word = words[found.word_count];
    const auto next = words_of_tasks().find(word);
    if (word == "simd") {
      found.leaves.push_back(Leaf::Simd);
      continue;
    }
    if (next == words_of_tasks().end() || !next->second.joins) break;
    found.leaves.push_back(next->second.leaf);
    if (next->second.kind == PragmaKind::Loop) found.kind = PragmaKind::Loop;
  }
  return found;
}

std::string_view why_foreign(std::string_view word) {
  const auto found = foreign_words().find(word);
  return found == foreign_words().end() ? std::string_view() : found->second;
}

}  // namespace myr::translate
