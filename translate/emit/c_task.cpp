// SPDX-License-Identifier: Apache-2.0
//
// CTask: see c_task.hpp.

#include "translate/emit/c_task.hpp"

#include <fmt/format.h>

#include "translate/emit/access_text.hpp"
#include "translate/emit/construct_text.hpp"

namespace myr::translate {
namespace {

using Sharing = Variable::Sharing;

std::string typed(const std::string& type, const std::string& name) {
  return fmt::format("__typeof__({}) {}", type, name);
}

bool by_address(const Variable& variable) {
  return variable.sharing == Sharing::Shared || variable.sharing == Sharing::CopyArray ||
         variable.sharing == Sharing::Last || variable.sharing == Sharing::Reduced;
}

// What a block around the site calls the variable; nullptr: it does not know it.
const Variable* outer_variable(const Variable& variable, const Site* block) {
  if (block == nullptr) return nullptr;
  for (const Variable& outer : block->block.variables) {
    if (outer.name == variable.name && outer.declared == variable.declared) return &outer;
  }
  return nullptr;
}

// The variable's name where the site stands.
std::string outer_name(const Variable& variable, const Site* block) {
  const Variable* outer = outer_variable(variable, block);
  return outer == nullptr ? variable.name : name_within(*outer, Language::C);
}

// What the site hands over for the variable. A task adds to what the reduction around all of them
// is about, not to another task's own.
std::string handed_for(const Variable& variable, const Site* block) {
  const Variable* outer = outer_variable(variable, block);
  const bool passed_on = outer != nullptr && outer->sharing == Sharing::Reduced &&
                         variable.sharing == Sharing::Reduced;
  if (passed_on) return "myrcc_c->" + variable.name;
  return (by_address(variable) ? "&" : "") + outer_name(variable, block);
}

std::string field_of(const Variable& variable) {
  switch (variable.sharing) {
    case Sharing::Copy:
    case Sharing::CopyArray:
      return fmt::format("  {};\n", typed(variable.stored, variable.name));
    case Sharing::Shared:
    case Sharing::Last:
    case Sharing::Reduced:
      return fmt::format("  {};\n", typed(variable.type, "(*" + variable.name + ")"));
    case Sharing::Decayed: {
      std::string text = fmt::format("  const void* {};\n", variable.name);
      for (std::size_t i = 0; i < variable.dimensions; ++i) {
        text += fmt::format("  size_t {}_{};\n", variable.name, i);
      }
      return text;
    }
    case Sharing::Private:
    case Sharing::Held:
      break;
  }
  return "";
}

// The declaration by which the block finds the variable under its own name.
std::string local_of(const Variable& variable) {
  const std::string& name = variable.name;
  switch (variable.sharing) {
    case Sharing::Copy:
      // Not by its type's name, which a variable may have as well.
      return fmt::format("  __typeof__(myrcc_c->{0}) {0} = myrcc_c->{0};\n", name);
    case Sharing::Private:
    case Sharing::Held:
    case Sharing::Last:
      return fmt::format("  {};\n", typed(variable.type, name));
    case Sharing::Reduced:
      return fmt::format("  {} = {};\n", typed(variable.type, name),
                         identity(variable.reduction, name, Language::C));
    case Sharing::Decayed: {
      std::string bounds;
      for (std::size_t i = 0; i < variable.dimensions; ++i) {
        bounds += fmt::format("[myrcc_c->{}_{}]", name, i);
      }
      return fmt::format("  {0} (*{1}){2} = ({0} (*){2})myrcc_c->{1};\n",
                         typed(variable.stored, ""), name, bounds);
    }
    case Sharing::CopyArray:
    case Sharing::Shared:
      break;
  }
  return "";
}

// What the task does with its own variable at its end.
std::string end_of(const Variable& variable) {
  const std::string& name = variable.name;
  if (variable.sharing == Sharing::Reduced) {
    return fmt::format("  {}\n", combined(variable.reduction, "*myrcc_c->" + name, name));
  }
  if (variable.sharing != Sharing::Last) return "";
  return fmt::format(
      "  if (myrcc_c->myrcc_chunk.last) __builtin_memcpy((void*)myrcc_c->{0}, &{0}, sizeof {0});\n",
      name);
}

}  // namespace

std::string CTask::function() const {
  const std::string_view callee = page_.source().text(site_.call.callee);
  const bool named = site_.kind == Site::Kind::Call && site_.call.through == Call::Through::Name &&
                     callee.find_first_of(" ()") == std::string_view::npos;
  const char* kind = site_.kind == Site::Kind::Wait ? "wait" : "spawn";
  return fmt::format("myrcc_{}_{}{}{}", kind, index_, named ? "_" : "", named ? callee : "");
}

std::vector<std::string> CTask::handed(const Site* block) const {
  std::vector<std::string> all;
  const Renderer& renderer = page_.renderer();
  if (site_.call.through == Call::Through::Pointer) {
    all.push_back("(" + renderer.render(site_.call.callee, block) + ")");
  }
  for (const Variable& variable : site_.block.variables) {
    if (variable.sharing == Sharing::Private) continue;
    const std::string name = outer_name(variable, block);
    all.push_back(handed_for(variable, block));
    std::string row = variable.array ? name + "[0]" : fmt::format("(*{})", name);
    for (std::size_t i = 0; i < variable.dimensions; ++i) {
      all.push_back(fmt::format("sizeof({0}) / sizeof({0}[0])", row));
      row += "[0]";
    }
  }
  if (site_.annotated) return all;
  for (const Access& access : site_.accesses) {
    all.push_back(access_value(access, site_.loop, renderer, block, Language::C));
  }
  for (std::string& condition : page_.conditions(site_, block)) {
    if (Page::is_conditional(site_)) all.push_back(std::move(condition));
  }
  if (site_.loop) {
    all.insert(all.end(), {"myrcc_first", "myrcc_step", "myr_chunk_of(myrcc_chunks, myrcc_i)"});
  }
  return all;
}

std::string CTask::wait_before(const Site* block) const {
  if (!site_.waits) return "";
  std::vector<std::string> all;
  for (const Access& access : site_.accesses) {
    all.push_back(access_value(access, site_.loop, page_.renderer(), block, Language::C));
  }
  return fmt::format("myrcc_wait_{}({}), ", index_, joined(all));
}

std::string CTask::wait_call() const { return fmt::format("myrcc_wait_{}();", index_); }
std::string CTask::place() const { return fmt::format("&myrcc_site_{}", index_); }

std::string CTask::before() const {
  if (site_.kind == Site::Kind::Wait) return wait_function();
  if (site_.kind == Site::Kind::Construct) return construct_functions();
  return (site_.waits ? wait_function() : "") +
         fmt::format(
             "{2}struct myrcc_{0} {{\n{1}}};\n"
             "static void myrcc_run_{0}(void*, const myr_access*);\n",
             index_, fields(), site_.loop && site_.loop->waits ? construct_functions() : "") +
         spawn_function();
}

// Where the construct is, and the barrier at its end.
std::string CTask::construct_functions() const {
  const Position at = page_.position(site_);
  std::string text = fmt::format(
      "static const myr_site myrcc_site_{} __attribute__((unused)) = {{{}, {}, {}, {}}};\n", index_,
      quoted(at.path), quoted(site_.enclosing->name), at.line, at.column);
  if (site_.construct.waits || site_.loop) {
    text += fmt::format(
        "static __inline__ void myrcc_wait_{0}(void) {{ myr_barrier_at(&myrcc_site_{0}); }}\n",
        index_);
  }
  return text;
}

std::string CTask::behind() const {
  switch (site_.kind) {
    case Site::Kind::Call:
      return run_call();
    case Site::Kind::Block:
      return run_block();
    case Site::Kind::Wait:
    case Site::Kind::Construct:
      break;
  }
  return "";
}

std::string CTask::site_text() const {
  const Position at = page_.position(site_);
  return fmt::format("  static const myr_site myrcc_site = {{{}, {}, {}, {}}};\n", quoted(at.path),
                     quoted(site_.enclosing->name), at.line, at.column);
}

std::vector<std::string> CTask::access_parameters(bool conditions) const {
  std::vector<std::string> all;
  if (site_.annotated) return all;
  for (std::size_t i = 0; i < site_.accesses.size(); ++i) {
    all.push_back(fmt::format("{} myrcc_m{}", access_type(site_.accesses[i]), i));
  }
  if (conditions && Page::is_conditional(site_)) {
    all.insert(all.end(), {"int myrcc_apart", "int myrcc_final"});
    if (site_.priority) all.emplace_back("int myrcc_priority");
  }
  if (site_.loop) {
    all.insert(all.end(), {typed(site_.loop->stored, "myrcc_first"), "long long myrcc_step",
                           "myr_chunk myrcc_chunk"});
  }
  return all;
}

// The clauses of an annotated function speak about its parameters, so they are computed among those.
std::string CTask::access_locals() const {
  std::string text;
  if (!site_.annotated) return text;
  for (std::size_t i = 0; i < site_.accesses.size(); ++i) {
    text += fmt::format(
        "  const {} myrcc_m{} = {};\n", access_type(site_.accesses[i]), i,
        access_value(site_.accesses[i], site_.loop, page_.renderer(), nullptr, Language::C));
  }
  if (Page::is_conditional(site_)) {
    const std::vector<std::string> conditions = page_.conditions(site_, nullptr);
    text += fmt::format("  const int myrcc_apart = {}, myrcc_final = {};\n", conditions[0],
                        conditions[1]);
    if (site_.priority) text += fmt::format("  const int myrcc_priority = {};\n", conditions[2]);
  }
  return text;
}

// Statements that make `myrcc_list` of `myrcc_count` accesses.
std::string CTask::access_list() const {
  return fmt::format(
      "  const size_t myrcc_count = {};\n"
      "  myr_access myrcc_list[myrcc_count + 1];\n"
      "  myr_access* myrcc_next = myrcc_list;\n{}",
      access_count(site_.accesses), put_accesses(site_.accesses));
}

std::string CTask::wait_function() const {
  const std::string head = fmt::format("static __inline__ void myrcc_wait_{}({}) {{\n{}", index_,
                                       joined(access_parameters(false), "void"), site_text());
  if (site_.pragma->has(Leaf::Barrier)) return head + "  myr_barrier_at(&myrcc_site);\n}\n";
  if (site_.accesses.empty()) return head + "  myr_wait_all_at(&myrcc_site);\n}\n";
  return head + access_list() +
         "  myr_wait_at(myrcc_list, (size_t)(myrcc_next - myrcc_list), &myrcc_site);\n}\n";
}

std::string CTask::fields() const {
  std::string text;
  if (site_.call.through == Call::Through::Pointer) {
    text += fmt::format("  {};\n", typed(site_.call.pointer_type, "*myrcc_callee"));
  }
  for (std::size_t i = 0; i < site_.call.parameters.size(); ++i) {
    text +=
        fmt::format("  {};\n", typed(site_.call.parameters[i].type, fmt::format("myrcc_a{}", i)));
  }
  for (const Variable& variable : site_.block.variables) text += field_of(variable);
  if (site_.loop) {
    text += fmt::format("  {};\n  long long myrcc_step;\n  myr_chunk myrcc_chunk;\n",
                        typed(site_.loop->stored, "myrcc_first"));
  }
  return text.empty() ? "  char myrcc_none;\n" : text;
}

void CTask::call_parameters(std::vector<std::string>& parameters, std::string& copies) const {
  const Call& call = site_.call;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    const Parameter& parameter = call.parameters[i];
    if (call.signature.empty()) parameters.push_back(typed(parameter.type, parameter.name));
    copies += fmt::format(
        "  __builtin_memcpy((void*)&myrcc_c->myrcc_a{0}, &{1}, sizeof myrcc_c->myrcc_a{0});\n", i,
        parameter.name);
  }
  if (!call.signature.empty() && !call.parameters.empty()) parameters.push_back(call.signature);
  if (call.through == Call::Through::Pointer) {
    parameters.push_back(typed(call.pointer_type, "*myrcc_callee"));
    copies += "  myrcc_c->myrcc_callee = myrcc_callee;\n";
  }
}

void CTask::block_parameters(std::vector<std::string>& parameters, std::string& copies) const {
  for (const Variable& variable : site_.block.variables) {
    const std::string& name = variable.name;
    const std::string parameter = "myrcc_v_" + name;
    switch (variable.sharing) {
      case Sharing::Copy:
        parameters.push_back(typed(variable.stored, parameter));
        copies +=
            fmt::format("  __builtin_memcpy((void*)&myrcc_c->{0}, &{1}, sizeof myrcc_c->{0});\n",
                        name, parameter);
        break;
      case Sharing::CopyArray:
        parameters.push_back(fmt::format("const void* {}", parameter));
        copies +=
            fmt::format("  __builtin_memcpy((void*)&myrcc_c->{0}, {1}, sizeof myrcc_c->{0});\n",
                        name, parameter);
        break;
      case Sharing::Shared:
      case Sharing::Last:
      case Sharing::Reduced:
        parameters.push_back(typed(variable.type, "(*" + parameter + ")"));
        copies += fmt::format("  myrcc_c->{} = {};\n", name, parameter);
        break;
      case Sharing::Decayed:
        parameters.push_back(fmt::format("const void* {}", parameter));
        copies += fmt::format("  myrcc_c->{} = {};\n", name, parameter);
        for (std::size_t i = 0; i < variable.dimensions; ++i) {
          parameters.push_back(fmt::format("size_t {}_{}", parameter, i));
          copies += fmt::format("  myrcc_c->{0}_{2} = {1}_{2};\n", name, parameter, i);
        }
        break;
      case Sharing::Private:
      case Sharing::Held:
        break;
    }
  }
}

std::string CTask::spawn_function() const {
  std::vector<std::string> parameters;
  std::string copies;
  if (site_.kind == Site::Kind::Call) {
    call_parameters(parameters, copies);
  } else {
    block_parameters(parameters, copies);
  }
  const std::vector<std::string> more = access_parameters(true);
  parameters.insert(parameters.end(), more.begin(), more.end());
  const std::string head =
      fmt::format("static __inline__ void {}({}) {{\n", function(), joined(parameters, "void")) +
      site_text() + access_locals();
  if (site_.loop) {
    copies +=
        "  myrcc_c->myrcc_first = myrcc_first;\n  myrcc_c->myrcc_step = myrcc_step;\n"
        "  myrcc_c->myrcc_chunk = myrcc_chunk;\n";
  }
  const std::string closure = copies.empty()
                                  ? ""
                                  : fmt::format(
                                        "  struct myrcc_{0}* const myrcc_c = (struct myrcc_{0}*)"
                                        "myr_draft_closure(myrcc_draft);\n",
                                        index_);
  return head + "  myr_check_team(&myrcc_site);\n" + spawn_at_once(copies) + spawn_apart() +
         closure + copies +
         fmt::format("  myr_submit_at(myrcc_draft, myrcc_run_{}, &myrcc_site);\n}}\n", index_);
}

// The draft of a task, with its accesses.
std::string CTask::spawn_apart() const {
  std::string text = fmt::format(
      "  const myr_draft myrcc_draft = myr_draft_new_at(sizeof(struct myrcc_{}), {}, "
      "&myrcc_site);\n",
      index_, access_count(site_.accesses));
  if (!site_.accesses.empty())
    text += "  myr_access* myrcc_next = myr_draft_accesses(myrcc_draft);\n";
  if (site_.priority) text += "  myr_draft_priority(myrcc_draft, myrcc_priority);\n";
  return text + put_accesses(site_.accesses);
}

// A task that runs at once, from a copy on the stack.
std::string CTask::spawn_at_once(const std::string& copies) const {
  const bool conditional = Page::is_conditional(site_);
  const std::string wait =
      site_.accesses.empty()
          ? ""
          : access_list() +
                "  myr_wait_at(myrcc_list, (size_t)(myrcc_next - myrcc_list), &myrcc_site);\n";
  return fmt::format(
      "  if (__builtin_expect({0}myr_final_depth != 0, 0)) {{\n"
      "  const unsigned myrcc_outer = myr_final_depth;\n"
      "  struct myrcc_{1} myrcc_here;\n"
      "  struct myrcc_{1}* const myrcc_c = &myrcc_here;\n"
      "{2}{3}"
      "  myr_final_depth += {4};\n"
      "  myrcc_run_{1}(myrcc_c, NULL);\n"
      "  myr_final_depth = myrcc_outer;\n"
      "  return;\n  }}\n",
      conditional ? "!myrcc_apart || myrcc_final || " : "", index_, wait, copies,
      conditional ? "myrcc_final != 0" : "0");
}

// The function that runs the task: `locals`, then `body`. `used`: they need what it took along.
std::string CTask::run_function(bool used, const std::string& locals,
                                const std::string& body) const {
  std::string text = fmt::format(
      "\nstatic void myrcc_run_{}(void* myrcc_closure, const myr_access* myrcc_accesses) {{\n",
      index_);
  if (used) {
    text += fmt::format("  struct myrcc_{0}* const myrcc_c = (struct myrcc_{0}*)myrcc_closure;\n",
                        index_);
  }
  text += locals + "  if (myrcc_accesses == MYR_CANCELLED) return;\n";
  if (!used) text += "  (void)myrcc_closure;\n";
  return text + body + "\n}";
}

std::string CTask::run_call() const {
  const Call& call = site_.call;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    arguments.push_back(fmt::format("myrcc_c->myrcc_a{}", i));
  }
  const bool pointer = call.through == Call::Through::Pointer;
  const std::string callee =
      pointer ? "myrcc_c->myrcc_callee" : std::string(page_.source().text(call.callee));
  return run_function(pointer || !arguments.empty(), call.declaration,
                      fmt::format("  (void){}({});", callee, joined(arguments)));
}

std::string CTask::run_block() const {
  std::string locals = site_.block.declarations;
  std::string ends;
  bool used = site_.loop.has_value();
  bool reduces = false;
  for (const Variable& variable : site_.block.variables) {
    used = used || variable.sharing != Sharing::Private;
    reduces = reduces || variable.sharing == Sharing::Reduced;
    locals += local_of(variable);
    ends += end_of(variable);
  }
  if (reduces) {
    ends = "\n  myr_critical_enter(&myr_reduction_lock, NULL);\n" + ends +
           "  myr_critical_leave(&myr_reduction_lock);";
  }
  const Span body = site_.loop ? site_.loop->body : site_.statement;
  std::string text = page_.at(body.begin) + page_.renderer().render(body, &site_);
  if (site_.loop) {
    text = "  " +
           iterations(*site_.loop, "myrcc_c->myrcc_first", "myrcc_c->myrcc_step",
                      "myrcc_c->myrcc_chunk") +
           text + "\n  } }";
  }
  return run_function(used, locals, text + (ends.empty() ? "" : "\n") + ends);
}

}  // namespace myr::translate
