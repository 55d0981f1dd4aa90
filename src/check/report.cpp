// SPDX-License-Identifier: Apache-2.0
#include "check/report.hpp"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "base/json_text.hpp"
#include "base/misuse.hpp"
#include "check/names.hpp"
#include "check/sentences.hpp"
#include "check/symbols.hpp"

namespace myr::check {

namespace {

std::string where(const Finding& finding, const Circumstances& around, const Variable& variable) {
  if (!variable.name.empty()) return describe(variable, finding.touch.bytes);
  if (around.is_on_stack) return "of a local variable of a function around it";
  const Footprints::Block& block = around.block;
  if (block.bytes == 0) return base::format("at {:#x}", finding.first_wrong);
  return describe(block, finding.first_wrong);
}

// What to write in in(...) to declare the memory.
std::string access(const Finding& finding, const Circumstances& around, const Variable& variable) {
  if (!variable.name.empty()) return variable.access;
  const Footprints::Block& block = around.block;
  if (around.is_on_stack || block.bytes == 0) return "...";
  const auto block_around = [&](std::uint64_t address) {
    const Footprints::Block found = around.block_around(address);
    return Bytes{found.first, found.first + found.bytes};
  };
  const Wanted wanted{block.first, block.first + block.bytes, block.site != nullptr, block_around};
  const std::string found = symbols_of_program().access_through_any(wanted, finding.touch.place);
  return found.empty() ? "..." : found;
}

}  // namespace

// Never destroyed: the last destructors of the program are watched, too.
const Symbols& symbols_of_program() {
  static const Symbols& symbols = *new Symbols;
  return symbols;
}

std::string describe(const Variable& variable, std::uint64_t bytes) {
  if (variable.bytes <= bytes) return "of the variable " + variable.name;
  return base::format("at byte {} of the variable {}", variable.offset, variable.name);
}

std::string describe(const Footprints::Block& block, std::uint64_t address) {
  return base::format("at byte {} of the {} bytes allocated at {}", address - block.first,
                      block.bytes,
                      block.site != nullptr ? base::describe(block.site)
                                            : symbols_of_program().line_of(*block.places));
}

// A line of its own, in the place of one that told of progress.
void Reports::print(const std::string& text) {
  std::fputs((std::exchange(shows_progress_, false) ? "\r\033[K" : ""), stderr);
  std::fputs(("myr check: " + text + "\n").c_str(), stderr);
}

void Reports::show_progress(std::size_t task_count) {
  constexpr std::size_t kTasks = 256;
  if (!is_terminal_ || task_count % kTasks != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_at_ < std::chrono::seconds(1)) return;
  shown_at_ = now;
  shows_progress_ = true;
  std::fputs(base::format("\rmyr check: {} tasks so far\033[K", task_count).c_str(), stderr);
}

void Reports::start() {
  if (std::exchange(has_started_, true)) return;
  is_terminal_ = isatty(STDERR_FILENO) != 0;
  shown_at_ = std::chrono::steady_clock::now();
  const char* const name = std::getenv("MYR_CHECK_SUPPRESSIONS");
  if (name == nullptr || *name == 0) return;
  std::ifstream file(name);
  if (!file) {
    print(base::format("cannot read {}", name));
    std::_Exit(2);
  }
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') suppressions_.push_back("*" + line + "*");
  }
}

bool Reports::is_suppressed(const std::string& sentence) const {
  return std::any_of(suppressions_.begin(), suppressions_.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), sentence.c_str(), 0) == 0;
  });
}

namespace {
// A shared object counts its users, whatever their order, but may also be asked how many there are.
bool counts_users(const Footprints::Places& places) {
  const Symbols& symbols = symbols_of_program();
  const std::string line = symbols.first_line_of(places);
  if (line.find("/ext/atomicity.h:") != line.npos) return true;
  return line.find("/bits/shared_ptr_base.h:") != line.npos &&
         symbols.function_of(places) == "_M_release";
}
}  // namespace

void Reports::doubt(Doubt doubt, const Footprints::Places& places) {
  if (certificate_.has(doubt) || !doubted_.emplace(places.front(), doubt).second) return;
  const Symbols& symbols = symbols_of_program();
  if (symbols.is_of_runtime(places)) return;
  if (doubt == Doubt::Atomics && counts_users(places)) return;
  certificate_.doubt(doubt, symbols.line_of(places));
}

void Reports::doubt_call(const std::string& function, const Footprints::Places& places) {
  const Symbols& symbols = symbols_of_program();
  if (!symbols.is_of_runtime(places)) {
    certificate_.note_call(demangled(function.c_str()), symbols.line_of(places));
  }
}

void Reports::add(const Finding& finding, const Circumstances& circumstances) {
  if (!seen_.emplace(finding.touch.place, finding.mistake).second) return;
  const Symbols& symbols = symbols_of_program();
  std::string line = finding.touch.place == nullptr ? base::describe(finding.task)
                                                    : symbols.line_of(circumstances.places);
  const bool is_alone = finding.mistake == Mistake::Alone || finding.mistake == Mistake::ReadsAlone;
  const bool may_be_runtimes = is_alone || finding.mistake == Mistake::InUse ||
                               finding.mistake == Mistake::PassedOn ||
                               finding.mistake == Mistake::Unwritten || finding.touch.is_atomic;
  if (may_be_runtimes && symbols.is_of_runtime(circumstances.places)) return;
  if (is_alone) {
    certificate_.note_undeclared();
    if (finding.mistake == Mistake::Alone) alone_.insert(std::move(line));
    return;
  }
  const Variable variable = symbols.variable_at(finding.first_wrong);
  const Footprints::Block& block = circumstances.block;
  Report report{.finding = finding,
                .line = line,
                .where = where(finding, circumstances, variable),
                .name = access(finding, circumstances, variable),
                .key = base::format("{} {} {} {}", static_cast<int>(finding.mistake), line,
                                    variable.name, block.first),
                .freed = block.freed};
  const bool is_last = last_.key == report.key && finding.touch.writes;
  if (!is_last) {
    if (!keys_.insert(report.key).second) return;
    say_last();
  }
  last_ = std::move(report);
}

void Reports::note_unwritten(const myr_site* task) {
  certificate_.note_undeclared();
  unwritten_.insert(task == &kNowhere ? "a loop's parts" : base::describe(task));
}

void Reports::add(const Wasted::Found& found) {
  const Wasted::Declared& declared = found.declared;
  const Use& use = declared.use;
  const Variable variable =
      use.is_region() ? Variable() : symbols_of_program().variable_at(use.begin);
  const bool has_name = declared.is_same_memory && !variable.name.empty();
  const std::string tasks = count_of(declared.task_count, "task");
  std::string text = declared.site == &kNowhere
                         ? base::format("access {} of a loop's parts", declared.number + 1)
                         : base::format("access {} of the tasks spawned at {}", declared.number + 1,
                                        base::describe(declared.site));
  if (has_name) text += ", the variable " + variable.name + ",";
  switch (found.kind) {
    case Wasted::Kind::Unused:
      text += " is used by none of " + tasks;
      break;
    case Wasted::Kind::OnlyRead:
      text += base::format(" is only read by {}: in({}) would do", tasks,
                           has_name ? variable.name : "...");
      break;
    case Wasted::Kind::InParts:
      text += base::format(" is the same for {}, each of which uses another part of it", tasks);
      break;
  }
  text += declared.wait_count == 0 ? "; no task waits because of it alone"
                                   : base::format("; they wait {} because of it alone",
                                                  count_of(declared.wait_count, "time"));
  wasted_.push_back(std::move(text));
}

void Reports::say_last() {
  const Report report = std::exchange(last_, {});
  const Finding& finding = report.finding;
  if (!finding) return;
  const Said said{.kind = kind_of(finding.mistake),
                  .place = report.line,
                  .task = task_at(finding.task),
                  .other = finding.other == nullptr ? "" : task_at(finding.other),
                  .other_place = "",
                  .writes = finding.touch.writes,
                  .bytes = finding.touch.bytes,
                  .memory = report.where,
                  .clause = clause(finding, report.name),
                  .text = check::say(finding, report.where, report.name, report.freed)};
  if (say(said, mistakes_)) lines_.insert(report.line);
}

namespace {
std::string json_or_null(const std::string& text) {
  return text.empty() ? "null" : base::json_string(text);
}

std::string as_json(const Said& said) {
  using base::json_string;
  return base::format(
      R"({{"kind":{},"place":{},"task":{},"other":{},"other_place":{},"writes":{},"bytes":{},)"
      R"("memory":{},"clause":{},"text":{}}})",
      json_string(said.kind), json_string(said.place), json_string(said.task),
      json_or_null(said.other), json_or_null(said.other_place), said.writes, said.bytes,
      json_string(said.memory), json_string(said.clause), json_string(said.text));
}
}  // namespace

bool Reports::say(const Said& said, Count& count) {
  constexpr std::size_t kSaidMost = 50;
  const std::string sentence = said.place + ": " + said.text;
  if (is_suppressed(sentence)) {
    count.suppressed += 1;
    return false;
  }
  if (++count.told > kSaidMost) return true;
  print(sentence);
  said_.push_back(as_json(said));
  return true;
}

namespace {
std::string first_of(const std::set<std::string>& places) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::size_t i = 0;
  for (const std::string& place : places) {
    if (i++ == kMost) return text + " ...";
    text += " " + place;
  }
  return text;
}
}  // namespace

std::string Reports::summary(std::size_t task_count) const {
  std::string text =
      base::format("{} in {}", count_of(mistakes_.told, "mistake"), count_of(task_count, "task"));
  if (mistakes_.suppressed != 0) text += base::format(", {} suppressed", mistakes_.suppressed);
  if (mistakes_.told + mistakes_.suppressed == 0) text += certificate_.text();
  if (!alone_.empty()) {
    text += base::format("; at {} tasks write what they have not declared, which is lost over MPI:",
                         count_of(alone_.size(), "place")) +
            first_of(alone_);
  }
  if (!unwritten_.empty()) {
    text +=
        "; tasks leave unwritten some of what they have declared as out, which is lost over "
        "MPI:" +
        first_of(unwritten_);
  }
  return text;
}

void Reports::write_json(std::size_t task_count) {
  const char* const name = std::getenv("MYR_CHECK_JSON");
  if (name == nullptr || *name == 0) return;
  const auto list = [](const auto& elements, auto as_json) {
    std::string text;
    for (const std::string& element : elements)
      text += (text.empty() ? "" : ",") + as_json(element);
    return "[" + text + "]";
  };
  const std::string document = base::format(
      R"({{"mistakes":{},"count":{},"suppressed":{},"tasks":{},"undeclared_writes":{},)"
      R"("unwritten":{},"wasted":{},)"
      R"("doubts":{},"summary":{}}})",
      list(said_, [](const std::string& object) { return object; }), count(),
      mistakes_.suppressed + races_.suppressed, task_count, list(alone_, base::json_string),
      list(unwritten_, base::json_string), list(wasted_, base::json_string),
      list(certificate_.doubts(), base::json_string), base::json_string(summary_));
  std::ofstream file(name);
  file << document << "\n";
  if (!file.flush()) print(base::format("cannot write {}", name));
}

void Reports::say_summary(const std::string& text) {
  print(text);
  summary_ += (summary_.empty() ? "" : "; ") + text;
}

void Reports::sum_up_races() {
  std::string text = count_of(races_.told, "race");
  if (races_.suppressed != 0) text += base::format(", {} suppressed", races_.suppressed);
  say_summary(text);
}

void Reports::sum_up(std::size_t task_count) {
  say_last();
  std::erase_if(alone_, [&](const std::string& line) { return lines_.contains(line); });
  for (const std::string& text : wasted_) print("wasted: " + text);
  say_summary(summary(task_count));
}

}  // namespace myr::check
