// SPDX-License-Identifier: Apache-2.0
//
// TaskText: see task_text.hpp.

#include "translate/emit/task_text.hpp"

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

std::string TaskText::name(const std::string& what) const {
  return fmt::format("myrcc_{}_{}", what, index_);
}

std::string TaskText::site() const {
  const Position at = page_.position(site_);
  return fmt::format("static const myr_site {} = {{{}, {}, {}, {}}}; ", name("site"),
                     quoted(at.path), quoted(site_.enclosing->name), at.line, at.column);
}

std::string TaskText::statement() const {
  switch (site_.kind) {
    case Site::Kind::Wait:
      return "{ " + site() +
             (site_.pragma->has(Leaf::Barrier) ? barrier() : wait(site_.accesses.empty())) + "}";
    case Site::Kind::Call: {
      const std::string waits = site_.waits ? "{ " + wait(false) + "} " : "";
      return fmt::format("__extension__({{ {}{}{} }})", site(), waits,
                         is_c() ? c_call() : cxx_call());
    }
    case Site::Kind::Block:
    case Site::Kind::Construct:
    case Site::Kind::Function:
      break;
  }
  return site_.loop ? loop() : block();
}

std::string TaskText::block() const {
  const Data data = this->data();
  const std::string body = data.begin + first() + kNotEmpty + page_.at(site_.statement.begin) +
                           page_.renderer().render(site_.statement, &site_) + data.end;
  return "{ " + site() + task(data, body) + " }";
}

std::string TaskText::loop() const {
  const Loop& loop = *site_.loop;
  Data data = this->data();
  for (const char* name : {"myrcc_first", "myrcc_step", "myrcc_chunk"}) data.copied.push_back(name);
  const std::string body =
      data.begin + first() + iterations(loop, "myrcc_first", "myrcc_step", "myrcc_chunk") +
      page_.at(loop.body.begin) + page_.renderer().render(loop.body, &site_) + " } }" + data.end;
  return fmt::format(
      "{{ {}{}unsigned long long myrcc_i; for (myrcc_i = 0; myrcc_i < myrcc_chunks.tasks; "
      "++myrcc_i) {{ const myr_chunk myrcc_chunk = myr_chunk_of(myrcc_chunks, myrcc_i); {} }} {}}}",
      site(), loop_head(loop, page_.renderer(), page_.language()), task(data, body),
      loop.waits ? barrier() : "");
}

// What a task does before its statement.
std::string TaskText::first() const {
  if (!site_.on_ready) return "";
  return fmt::format("(void)({}); ", page_.renderer().expression(*site_.on_ready));
}

// Arguments are evaluated where the call stands.
std::string TaskText::c_call() const {
  const Call& call = site_.call;
  Data data;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    const std::string argument = name(fmt::format("a{}", i));
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
  return task(data, fmt::format("(void){}({});", callee, arguments));
}

// The arguments are converted by passing them to a closure with the parameters of the function.
std::string TaskText::cxx_call() const {
  const Call& call = site_.call;
  Data data;
  std::string callee = page_.renderer().render(call.callee, around_);
  // The compiler finds out by this declaration what a function of a template takes.
  const bool unknown =
      std::any_of(call.parameters.begin(), call.parameters.end(),
                  [](const Parameter& one) { return one.passing == Parameter::Passing::Unknown; });
  if (unknown) {
    data.before = fmt::format(
        "const auto myrcc_call = [&](auto&&... myrcc_x) -> decltype(static_cast<void>({}("
        "static_cast<decltype(myrcc_x)>(myrcc_x)...))) {{}}; (void)myrcc_call; ",
        callee);
  }
  if (call.through == Call::Through::Pointer) {
    data.before += fmt::format("auto {} = {}; ", name("callee"), callee);
    data.copied.push_back(callee = name("callee"));
  } else if (call.through == Call::Through::Object) {
    data.before += fmt::format("auto {} = {}({}); ", name("object"),
                               call.arrow ? "::myr::pragma::arrow" : "::std::addressof",
                               page_.renderer().render(call.object, around_));
    const std::string_view member = page_.source().text({call.object.end, call.callee.end});
    callee = fmt::format("{}->{}", name("object"),
                         member.substr(member.find_first_not_of(" \t\r\n.->")));
    data.copied.push_back(name("object"));
  }
  std::vector<std::string> parameters;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    const std::string argument = name(fmt::format("k{}", i));
    parameters.push_back(call.parameters[i].type + " " + call.parameters[i].name);
    arguments.push_back(argument + ".get()");
    data.before += kept(i);
    data.copied.push_back(argument);
  }
  return fmt::format("[&]({}) {{ {} }}({}{});", joined(parameters),
                     task(data, fmt::format("{}({});", callee, joined(arguments))),
                     page_.at(call.arguments.begin),
                     page_.renderer().render(call.arguments, around_));
}

// A declaration of what keeps the argument for the task.
std::string TaskText::kept(std::size_t index) const {
  using Passing = Parameter::Passing;
  const Parameter& parameter = site_.call.parameters[index];
  const auto type_of = [](const Parameter& one) {
    return one.type == "auto&&" ? fmt::format("decltype({})", one.name) : one.type + "&&";
  };
  std::string type = fmt::format("Value<{}>", type_of(parameter));
  switch (parameter.passing) {
    case Passing::Held:
      return hold(name(fmt::format("k{}", index)), parameter.name, parameter.lead);
    case Passing::Reference:
      type = fmt::format("Referred<::std::remove_reference_t<{}>>", type_of(parameter));
      break;
    case Passing::Unknown:
      type = fmt::format("Kept<{}, decltype(myrcc_call)", index);
      for (const Parameter& one : site_.call.parameters) type += ", " + type_of(one);
      type += ">";
      break;
    case Passing::Copy:
    case Passing::Move:
      break;
  }
  const bool refers = parameter.passing == Passing::Reference;
  return fmt::format("::myr::pragma::{} {}({}); ", type, name(fmt::format("k{}", index)),
                     refers
                         ? parameter.name
                         : fmt::format("static_cast<{}>({})", type_of(parameter), parameter.name));
}

std::string TaskText::function() const {
  const TaskFunction& function = *site_.function;
  Data data;
  std::vector<std::string> arguments;
  for (const TaskFunction::Parameter& parameter : function.parameters) {
    if (is_c()) {
      data.copied.push_back(parameter.name);
      continue;
    }
    const std::string kept = name(fmt::format("k{}", data.copied.size()));
    data.before += fmt::format(
        "::myr::pragma::Given<{0}, decltype({1})> {2}(static_cast<decltype({1})&&>({1})); ",
        parameter.in_place, parameter.name, kept);
    data.copied.push_back(kept);
    arguments.push_back(kept + ".get()");
  }
  return site() + task(data, fmt::format("(void){}{}({});", body_name(function.name),
                                         function.template_arguments,
                                         joined(is_c() ? data.copied : arguments)));
}

Around TaskText::construct() const {
  const std::string place = "&" + name("site");
  const std::string critical = "&myrcc_critical_" + site_.construct.critical.value_or("");
  ConstructCalls calls{.wait = barrier(),
                       .check = fmt::format("myr_check_team({}); ", place),
                       .enter = fmt::format("myr_critical_enter({}, {}); ", critical, place),
                       .leave = fmt::format(" myr_critical_leave({});", critical),
                       .step = "static myr_recording myrcc_recording; ",
                       .step_end = " }"};
  if (is_c()) {
    calls.step +=
        fmt::format("const int myrcc_step = myr_graph_begin_at(&myrcc_recording, {}); {{ ", place);
    calls.step_end += fmt::format(" if (myrcc_step) myr_step_end_at(myrcc_recording, {});", place);
  } else {
    calls.enter =
        fmt::format("const ::myr::pragma::Critical myrcc_critical({}, {}); ", critical, place);
    calls.leave = "";
    calls.step +=
        fmt::format("{{ const ::myr::pragma::Step myrcc_step(&myrcc_recording, {}); ", place);
  }
  Around text = around(site_.construct, calls, page_.renderer(), page_.language());
  text.head = "{ " + site() + text.head;
  text.tail += " }";
  return text;
}

std::string TaskText::barrier() const {
  return fmt::format("{}(&{}); ", is_c() ? "myr_barrier_at" : "::myr::pragma::barrier",
                     name("site"));
}

std::string TaskText::wait(bool waits_for_all) const {
  if (waits_for_all) {
    return fmt::format("{}(&{}); ", is_c() ? "myr_wait_all_at" : "::myr::pragma::wait_all",
                       name("site"));
  }
  const Around held = accesses();
  return fmt::format("{}myr_wait_at({}, {}, &{});{} ", held.head, list(), count(), name("site"),
                     held.tail);
}

bool TaskText::is_fixed() const {
  return std::all_of(site_.accesses.begin(), site_.accesses.end(),
                     [](const Access& access) { return access_type(access) == "myr_access"; });
}
std::string TaskText::list() const {
  if (site_.accesses.empty()) return "NULL";
  return name("accesses") + (!is_c() ? ".list()" : is_fixed() ? "" : ".first");
}
std::string TaskText::count() const {
  return site_.accesses.empty() || (is_c() && is_fixed()) ? fmt::format("{}", site_.accesses.size())
                                                          : name("accesses") + ".count";
}

Around TaskText::accesses() const {
  if (site_.accesses.empty()) return {};
  const std::string held = name("accesses");
  std::vector<std::string> values;
  for (const Access& access : site_.accesses) {
    values.push_back(access_value(access, site_.loop, page_.renderer(), page_.language()));
  }
  if (!is_c()) {
    return {fmt::format("const auto {} = ::myr::pragma::accesses({}); ", held, joined(values)), ""};
  }
  const bool fixed = is_fixed();
  Around text;
  text.head = fixed ? fmt::format("myr_access {}[{}]; ", held, values.size())
                    : fmt::format("myr_list {} = {{0, 0, 0, 0}}; ", held);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string type = access_type(site_.accesses[i]);
    const char* kind = type == "myr_box" ? "_box" : type == "myr_list" ? "_list" : "";
    text.head += fixed ? fmt::format("{}[{}] = {}; ", held, i, values[i])
                       : fmt::format("myr_list_add{}(&{}, {}); ", kind, held, values[i]);
  }
  if (!fixed) text.tail = fmt::format(" __builtin_free({}.first);", held);
  return text;
}

// What is handed over for the task.
std::string TaskText::next() const {
  const std::string next = name("next");
  std::string text = fmt::format("myr_next_task {} = myr_next({}, {}, &{}); ", next, list(),
                                 count(), name("site"));
  if (!is_c() && !site_.accesses.empty()) {
    text += fmt::format("if ({}.owners) {}.wishes |= MYR_NEXT_KEEP_HERE; ", name("accesses"), next);
  }
  if (Page::is_conditional(site_)) {
    text += fmt::format("myr_wish(&{}, {}); ", next, joined(page_.conditions(site_)));
  }
  return text + fmt::format("myr_check_team(&{}); myr_hand_over(&{}); ", name("site"), next);
}

std::string TaskText::task(const Data& data, const std::string& body) const {
  const Around held = accesses();
  std::vector<std::string> copied = data.copied;
  std::string before = next();
  std::string begin = "{ ";
  std::string end = " }";
  std::string behind = held.tail;
  if (!is_c()) {
    const std::string thrown = name("thrown");
    copied.push_back(name("fails"));
    before = fmt::format("::myr::pragma::Thrown {}; ", thrown) + before +
             fmt::format("auto* const {} = {}.at_once({}); ", copied.back(), thrown, name("next"));
    begin += "MYR_PRAGMA_TRY { ";
    end += fmt::format(" MYR_PRAGMA_CATCH({}) }}", copied.back());
    behind += fmt::format(" {}.rethrow();", thrown);
  }
  const std::string directive = "omp task" + clause("firstprivate", copied) +
                                clause("shared", data.shared) + clause("private", data.own) +
                                (data.shares_packs ? " default(shared)" : "");
  return fmt::format("{{ {}{}{}{{ _Pragma(\"{}\") {}{}{} }}{} }}", data.before, held.head, before,
                     directive, begin, body, end, behind);
}

TaskText::Data TaskText::data() const {
  Data data;
  for (const Variable& variable : site_.block.variables) add(variable, data);
  return data;
}

void TaskText::add(const Variable& variable, Data& data) const {
  switch (variable.sharing) {
    case Sharing::Copy:
      return add_copied(variable, data);
    case Sharing::Shared:
      return add_shared(variable, data);
    case Sharing::Held:
      data.before += hold("myrcc_held_" + variable.name, variable.name, variable.lead);
      return carry(variable, "myrcc_held_" + variable.name, "{}.get()", data);
    case Sharing::Private:
      return data.own.push_back(variable.name);
    case Sharing::Last:
      return add_last(variable, data);
    case Sharing::Reduced:
      return add_reduced(variable, data);
  }
}

// Has another variable copied, and gives what it leads to the name in the task.
void TaskText::carry(const Variable& variable, const std::string& carrier, const char* object,
                     Data& data) {
  data.copied.push_back(carrier);
  data.begin += fmt::format("MYR_PRAGMA_NAME({}, {}) ", variable.name,
                            fmt::format(fmt::runtime(object), carrier));
}

void TaskText::add_copied(const Variable& variable, Data& data) const {
  if (variable.pack) return;  // no clause can name it, and by itself it is copied
  if (!variable.binding) return data.copied.push_back(variable.name);
  const std::string carrier = "myrcc_held_" + variable.name;
  data.before +=
      fmt::format("::myr::pragma::Copied<::std::remove_reference_t<decltype({0})>> {1}({0}); ",
                  variable.name, carrier);
  carry(variable, carrier, "{}.get()", data);
}

void TaskText::add_shared(const Variable& variable, Data& data) const {
  if (variable.pack) {
    data.shares_packs = true;
  } else if (!variable.by_pointer) {
    data.shared.push_back(variable.name);
  } else {
    data.before += pointer_to(variable.name, page_.language());
    carry(variable, "myrcc_p_" + variable.name, "*{}", data);
  }
}

void TaskText::add_last(const Variable& variable, Data& data) const {
  const std::string& name = variable.name;
  data.before += pointer_to(name, page_.language());
  data.copied.push_back("myrcc_p_" + name);
  data.begin += type_of(name, page_.language()) + " " + name + "; ";
  const char* form =
      is_c() ? "__builtin_memcpy((void*)myrcc_p_{0}, &{0}, sizeof {0})" : "*myrcc_p_{0} = {0}";
  data.end += " if (myrcc_chunk.last) " + fmt::format(fmt::runtime(form), name) + ";";
}

// Whether a task around it has its own copy under the same name: then both add to the same
// variable.
bool TaskText::adds_to_outer(const Variable& variable) const {
  if (around_ == nullptr) return false;
  const std::vector<Variable>& outer = around_->block.variables;
  return std::any_of(outer.begin(), outer.end(), [&](const Variable& other) {
    return other.name == variable.name && other.declared == variable.declared &&
           other.sharing == Sharing::Reduced;
  });
}

void TaskText::add_reduced(const Variable& variable, Data& data) const {
  const std::string& name = variable.name;
  const std::string pointer = "myrcc_p_" + name;
  if (!adds_to_outer(variable)) data.before += pointer_to(name, page_.language());
  data.copied.push_back(pointer);
  data.begin += fmt::format("{} {} = {}; ", type_of(name, page_.language()), name,
                            identity(variable.reduction, name, page_.language()));
  data.end += fmt::format(
      " myr_critical_enter(&myr_reduction_lock, NULL); {} myr_critical_leave(&myr_reduction_lock);",
      combined(variable.reduction, "*" + pointer, name));
}

// A declaration of what a task keeps of an object. The access may count, with a variable that is
// declared nowhere else; a function leads from the object to the memory that it names.
std::string TaskText::hold(const std::string& kept, const std::string& object,
                           const Lead& lead) const {
  const Access& access = site_.accesses[lead.access];
  std::string counters;
  if (access.item.counter) {
    counters = fmt::format("auto {0} = myrcc_first; (void){0}; ", site_.loop->name);
  }
  for (const Iterator& iterator : access.item.iterators) {
    counters += first_of(iterator, page_.renderer());
  }
  std::string memory = "(" + page_.renderer().expression(access.item.base) + ")";
  if (access.kind == Access::Kind::Section && access.container) {
    memory = fmt::format("*{}.data()", memory);
  } else if (access.kind == Access::Kind::Section && access.item.shape.empty()) {
    memory += "[0]";
  } else if (access.kind != Access::Kind::Place) {
    memory = "*" + memory;
  }
  const std::string reach =
      fmt::format("[&](auto& {0}) -> decltype(({1})) {{ return {1}; }}", lead.name, memory);
  std::string held = fmt::format("::myr::pragma::hold({}, {})", object, reach);
  if (!counters.empty()) held = fmt::format("[&] {{ {}return {}; }}()", counters, held);
  return "_Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Wshadow\\\"\") " +
         fmt::format("auto {} = {}; _Pragma(\"GCC diagnostic pop\") ", kept, held);
}

}  // namespace myr::translate
