// SPDX-License-Identifier: Apache-2.0
//
// openmp_directive(), ompss2_directive(): see directive.hpp.

#include "translate/pragma/directive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace myr::translate {
namespace {

// Words that begin a directive, and those that may follow another one in a combined directive.
struct Word {
  PragmaKind kind;
  Leaf leaf;
  bool joins = false;
};

using Table = std::map<std::string_view, Word>;

const Table& openmp_words() {
  static const Table words = {
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

const Table& ompss2_words() {
  static const Table words = {
      {"task", {PragmaKind::Task, Leaf::Task}},
      {"taskwait", {PragmaKind::Wait, Leaf::TaskWait}},
      {"taskyield", {PragmaKind::Wait, Leaf::TaskYield}},
      {"taskloop", {PragmaKind::Loop, Leaf::TaskLoop}},
      {"taskfor", {PragmaKind::Loop, Leaf::TaskLoop}},
      {"taskiter", {PragmaKind::Construct, Leaf::TaskIter}},
      {"critical", {PragmaKind::Construct, Leaf::Critical}},
      {"atomic", {PragmaKind::Construct, Leaf::Atomic}},
      {"release", {PragmaKind::Hint, Leaf::Release}},
      {"lint", {PragmaKind::Hint, Leaf::Lint}},
      {"assert", {PragmaKind::Hint, Leaf::Lint}},
      {"declare", {PragmaKind::Foreign, Leaf::Task}},
  };
  return words;
}

// Those that the compiler knows and tasks do not mind.
bool is_of_compiler(std::string_view word) {
  static const std::set<std::string_view> words = {
      "allocate", "allocators",     "assume",   "assumes",      "begin",       "declare",
      "end",      "error",          "fuse",     "groupprivate", "interchange", "nothing",
      "requires", "reverse",        "simd",     "split",        "stripe",      "tile",
      "unroll",   "workdistribute", "workshare"};
  return words.contains(word);
}

// How many letters must be changed, added, left out or exchanged with their neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({changed, row[j] + 1, next[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) next[j] = std::min(next[j], last[j - 2] + 1);
    }
    last.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

// The word of the table that was meant, if one is so near that it must be.
std::string_view nearest(const Table& table, std::string_view word) {
  const std::size_t most = word.size() < 5 ? 1 : 2;
  const auto far = [word](const Table::value_type& one) { return distance(one.first, word); };
  const auto found = std::min_element(
      table.begin(), table.end(), [&](const auto& a, const auto& b) { return far(a) < far(b); });
  return far(*found) <= most ? found->first : std::string_view();
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

bool begins_pragma(std::string_view word) {
  return word == "omp" || word == "oss" || word == "myrmics";
}

std::optional<Directive> openmp_directive(const std::vector<std::string_view>& words) {
  const Table& table = openmp_words();
  if (words.empty()) return std::nullopt;
  const auto first = table.find(words[0]);
  if (first == table.end()) {
    if (foreign_words().contains(words[0])) return Directive{PragmaKind::Foreign, {}, 1};
    if (is_of_compiler(words[0]) || nearest(table, words[0]).empty()) return std::nullopt;
    return Directive{PragmaKind::Unknown, {}, 1};
  }
  Directive found{first->second.kind, {first->second.leaf}, 1};
  const bool combines = first->second.joins || first->second.leaf == Leaf::Parallel;
  for (; combines && found.word_count < words.size(); ++found.word_count) {
    const std::string_view word = words[found.word_count];
    const auto next = table.find(word);
    if (word == "simd") {
      found.leaves.push_back(Leaf::Simd);
      continue;
    }
    if (next == table.end() || !next->second.joins) break;
    found.leaves.push_back(next->second.leaf);
    if (next->second.kind == PragmaKind::Loop) found.kind = PragmaKind::Loop;
  }
  return found;
}

Directive ompss2_directive(const std::vector<std::string_view>& words) {
  const auto first = words.empty() ? ompss2_words().end() : ompss2_words().find(words[0]);
  if (first == ompss2_words().end()) return {PragmaKind::Unknown, {}, words.empty() ? 0U : 1U};
  Directive found{first->second.kind, {first->second.leaf}, 1};
  const bool loops = found.leaves[0] == Leaf::Task || found.leaves[0] == Leaf::TaskLoop;
  if (loops && words.size() > 1 && words[1] == "for") {
    found = {PragmaKind::Loop, {Leaf::TaskLoop}, 2};
  }
  return found;
}

std::string_view why_foreign(std::string_view word) {
  if (word == "declare") return "let the tasks change the variable in critical";
  const auto found = foreign_words().find(word);
  return found == foreign_words().end() ? std::string_view() : found->second;
}

std::string about_unknown(Form form, std::string_view word) {
  const Table& table = form == Form::Omp ? openmp_words() : ompss2_words();
  const std::string_view meant = nearest(table, word);
  return fmt::format("there is no directive '{}'{}", word,
                     meant.empty() ? "" : fmt::format("; is '{}' meant?", meant));
}

}  // namespace myr::translate
