// SPDX-License-Identifier: Apache-2.0
//
// CTask: see c_task.hpp.

#include "translate/emit/c_task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "translate/emit/access_text.hpp"
#include "translate/emit/construct_text.hpp"

namespace myr::translate {
namespace {

using Sharing = Variable::Sharing;

// gcc makes no task of an empty statement.
const std::string kNotEmpty = "__asm__ volatile(\"\"); ";

std::string clause(const char* name, const std::vector<std::string>& variables) {
  return variables.empty() ? "" : fmt::format(" {}({})", name, joined(variables));
}

}  // namespace

std::string CTask::name(const char* what) const { return fmt::format("myrcc_{}_{}", what, index_); }

std::string CTask::site() const {
  const Position at = page_.position(site_);
  return fmt::format("static const myr_site {} = {{{}, {}, {}, {}}}; ", name("site"),
                     quoted(at.path), quoted(site_.enclosing->name), at.line, at.column);
}

std::string CTask::statement() const {
  switch (site_.kind) {
    case Site::Kind::Wait:
      return "{ " + site() +
             (site_.pragma->has(Leaf::Barrier) ? barrier() : wait(site_.accesses.empty())) + "}";
    case Site::Kind::Call:
      return call();
    case Site::Kind::Block:
    case Site::Kind::Construct:
    case Site::Kind::Function:
      break;
  }
  return site_.loop ? loop() : block();
}

std::string CTask::block() const {
  const Data data = this->data();
  const std::string body = "{ " + data.begin + kNotEmpty + page_.at(site_.statement.begin) +
                           page_.renderer().render(site_.statement, &site_) + data.end + " }";
  return "{ " + site() + task(data, body) + " }";
}

std::string CTask::loop() const {
  const Loop& loop = *site_.loop;
  Data data = this->data();
  for (const char* name : {"myrcc_first", "myrcc_step", "myrcc_chunk"}) data.copied.push_back(name);
  const std::string body = "{ " + data.begin +
                           iterations(loop, "myrcc_first", "myrcc_step", "myrcc_chunk") +
                           page_.at(loop.body.begin) + page_.renderer().render(loop.body, &site_) +
                           " } }" + data.end + " }";
  return fmt::format(
      "{{ {}{}unsigned long long myrcc_i; for (myrcc_i = 0; myrcc_i < myrcc_chunks.tasks; "
      "++myrcc_i) {{ const myr_chunk myrcc_chunk = myr_chunk_of(myrcc_chunks, myrcc_i); {} }} {}}}",
      site(), loop_head(loop, page_.renderer(), around_, Language::C), task(data, body),
      loop.waits ? barrier() : "");
}

// Arguments are evaluated where the call stands.
std::string CTask::call() const {
  const Call& call = site_.call;
  Data data;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    const std::string argument = fmt::format("myrcc_a{}_{}", i, index_);
    data.before +=
        fmt::format("__typeof__({}) {} ={}{}; ", call.parameters[i].type, argument,
                    page_.at(call.given[i].begin), page_.renderer().render(call.given[i], around_));
    data.copied.push_back(argument);
  }
  const std::string arguments = joined(data.copied);
  std::string callee = page_.renderer().render(call.callee, around_);
  if (call.through == Call::Through::Pointer) {
    data.before +=
        fmt::format("__typeof__({}) *{} = {}; ", call.pointer_type, name("callee"), callee);
    callee = name("callee");
    data.copied.push_back(callee);
  }
  const std::string waits = site_.waits ? "{ " + wait(false) + "} " : "";
  return fmt::format("__extension__({{ {}{}{} }})", site(), waits,
                     task(data, fmt::format("(void){}({});", callee, arguments)));
}

std::string CTask::function() const {
  const TaskFunction& function = *site_.function;
  Data data;
  for (const TaskFunction::Parameter& parameter : function.parameters) {
    data.copied.push_back(parameter.name);
  }
  return site() +
         task(data, fmt::format("(void){}({});", body_name(function.name), joined(data.copied)));
}

Around CTask::construct() const {
  const std::string place = "&" + name("site");
  const std::string critical = "&myrcc_critical_" + site_.construct.critical.value_or("");
  Around text = around(
      site_.construct,
      {.wait = barrier(),
       .check = fmt::format("myr_check_team({}); ", place),
       .enter = fmt::format("myr_critical_enter({}, {}); ", critical, place),
       .leave = fmt::format(" myr_critical_leave({});", critical),
       .step = fmt::format("static myr_recording myrcc_recording; const int myrcc_step "
                           "= myr_graph_begin_at(&myrcc_recording, {}); {{ ",
                           place),
       .step_end = fmt::format(" }} if (myrcc_step) myr_step_end_at(myrcc_recording, {});", place)},
      page_.renderer(), around_, Language::C);
  text.head = "{ " + site() + text.head;
  text.tail += " }";
  return text;
}

std::string CTask::barrier() const { return fmt::format("myr_barrier_at(&{}); ", name("site")); }

std::string CTask::wait(bool waits_for_all) const {
  if (waits_for_all) return fmt::format("myr_wait_all_at(&{}); ", name("site"));
  const Around held = accesses();
  return fmt::format("{}myr_wait_at({}, {}, &{});{} ", held.head, list(), count(), name("site"),
                     held.tail);
}

bool CTask::is_fixed() const {
  return std::all_of(site_.accesses.begin(), site_.accesses.end(),
                     [](const Access& access) { return access_type(access) == "myr_access"; });
}
std::string CTask::list() const {
  if (site_.accesses.empty()) return "NULL";
  return name("accesses") + (is_fixed() ? "" : ".first");
}
std::string CTask::count() const {
  return is_fixed() ? fmt::format("{}", site_.accesses.size()) : name("accesses") + ".count";
}

Around CTask::accesses() const {
  if (site_.accesses.empty()) return {};
  const std::string held = name("accesses");
  const bool fixed = is_fixed();
  Around text;
  text.head = fixed ? fmt::format("myr_access {}[{}]; ", held, site_.accesses.size())
                    : fmt::format("myr_list {} = {{0, 0, 0, 0}}; ", held);
  for (std::size_t i = 0; i < site_.accesses.size(); ++i) {
    const Access& access = site_.accesses[i];
    const std::string type = access_type(access);
    const char* kind = type == "myr_box" ? "_box" : type == "myr_list" ? "_list" : "";
    const std::string value =
        access_value(access, site_.loop, page_.renderer(), around_, Language::C);
    text.head += fixed ? fmt::format("{}[{}] = {}; ", held, i, value)
                       : fmt::format("myr_list_add{}(&{}, {}); ", kind, held, value);
  }
  if (!fixed) text.tail = fmt::format(" __builtin_free({}.first);", held);
  return text;
}

std::string CTask::task(const Data& data, const std::string& body) const {
  const Around held = accesses();
  std::string wish;
  if (Page::is_conditional(site_)) {
    std::vector<std::string> conditions = page_.conditions(site_, around_);
    if (conditions.size() == 2) conditions.emplace_back("0");
    wish = fmt::format("myr_wish(&{}, {}); ", name("next"), joined(conditions));
  }
  const std::string next = fmt::format(
      "myr_next_task {0} = myr_next({1}, {2}, &{3}); {4}myr_check_team(&{3}); "
      "myr_hand_over(&{0}); ",
      name("next"), list(), count(), name("site"), wish);
  const std::string directive = "omp task" + clause("firstprivate", data.copied) +
                                clause("shared", data.shared) + clause("private", data.own);
  return fmt::format("{{ {}{}{{ {}_Pragma(\"{}\") {} }}{} }}", data.before, held.head, next,
                     directive, body, held.tail);
}

CTask::Data CTask::data() const {
  Data data;
  for (const Variable& variable : site_.block.variables) add(variable, data);
  return data;
}

void CTask::add(const Variable& variable, Data& data) const {
  const std::string& name = variable.name;
  switch (variable.sharing) {
    case Sharing::Copy:
      return data.copied.push_back(name);
    case Sharing::Shared:
    case Sharing::Held:
      return data.shared.push_back(name);
    case Sharing::Private:
      return data.own.push_back(name);
    case Sharing::Last:
      data.before += fmt::format("__typeof__({0})* const myrcc_p_{0} = &{0}; ", name);
      data.copied.push_back("myrcc_p_" + name);
      data.begin += fmt::format("__typeof__(*myrcc_p_{0}) {0}; ", name);
      data.end += fmt::format(
          " if (myrcc_chunk.last) __builtin_memcpy((void*)myrcc_p_{0}, &{0}, sizeof {0});", name);
      return;
    case Sharing::Reduced:
      return add_reduced(variable, data);
  }
}

// Whether a task around it has its own copy under the same name: then both add to the same variable.
bool CTask::adds_to_outer(const Variable& variable) const {
  if (around_ == nullptr) return false;
  const std::vector<Variable>& outer = around_->block.variables;
  return std::any_of(outer.begin(), outer.end(), [&](const Variable& other) {
    return other.name == variable.name && other.declared == variable.declared &&
           other.sharing == Sharing::Reduced;
  });
}

void CTask::add_reduced(const Variable& variable, Data& data) const {
  const std::string& name = variable.name;
  const std::string pointer = "myrcc_p_" + name;
  if (!adds_to_outer(variable)) {
    data.before += fmt::format("__typeof__({0})* const {1} = &{0}; ", name, pointer);
  }
  data.copied.push_back(pointer);
  data.begin += fmt::format("__typeof__(*{}) {} = {}; ", pointer, name,
                            identity(variable.reduction, name, Language::C));
  data.end += fmt::format(
      " myr_critical_enter(&myr_reduction_lock, NULL); {} myr_critical_leave(&myr_reduction_lock);",
      combined(variable.reduction, "*" + pointer, name));
}

}  // namespace myr::translate
