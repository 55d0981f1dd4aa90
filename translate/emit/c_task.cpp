// SPDX-License-Identifier: Apache-2.0
//
// CTask: see c_task.hpp.

#include "translate/emit/c_task.hpp"

#include <fmt/format.h>

#include "translate/emit/access_text.hpp"

namespace myr::translate {
namespace {

using Sharing = Variable::Sharing;

std::string typed(const std::string& type, const std::string& name) {
  return fmt::format("__typeof__({}) {}", type, name);
}

bool by_address(const Variable& variable) {
  return variable.sharing == Sharing::Shared || variable.sharing == Sharing::CopyArray;
}

// The variable's name where the site stands.
std::string outer_name(const Variable& variable, const Site* block) {
  if (block != nullptr) {
    for (const Variable& outer : block->block.variables) {
      if (outer.name == variable.name) return name_within(outer, Language::C);
    }
  }
  return variable.name;
}

std::string field_of(const Variable& variable) {
  switch (variable.sharing) {
    case Sharing::Copy:
    case Sharing::CopyArray:
      return fmt::format("  {};\n", typed(variable.stored, variable.name));
    case Sharing::Shared:
      return fmt::format("  {};\n", typed(variable.type + "", "(*" + variable.name + ")"));
    case Sharing::Decayed: {
      std::string text = fmt::format("  const void* {};\n", variable.name);
      for (std::size_t i = 0; i < variable.dimensions; ++i) {
        text += fmt::format("  size_t {}_{};\n", variable.name, i);
      }
      return text;
    }
    case Sharing::Private:
      break;
  }
  return "";
}

// The declaration by which the block finds the variable under its own name.
std::string local_of(const Variable& variable) {
  const std::string& name = variable.name;
  switch (variable.sharing) {
    case Sharing::Copy:
      return fmt::format("  {} = myrcc_c->{};\n", typed(variable.type, name), name);
    case Sharing::Private:
      return fmt::format("  {};\n", typed(variable.type, name));
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
    all.push_back((by_address(variable) ? "&" : "") + name);
    std::string row = variable.array ? name + "[0]" : fmt::format("(*{})", name);
    for (std::size_t i = 0; i < variable.dimensions; ++i) {
      all.push_back(fmt::format("sizeof({0}) / sizeof({0}[0])", row));
      row += "[0]";
    }
  }
  if (site_.annotated) return all;
  for (const Access& access : site_.accesses) {
    all.push_back(access_value(access, renderer, block, Language::C));
  }
  const bool conditional = site_.kind != Site::Kind::Wait && page_.is_conditional(site_);
  for (std::string& condition : page_.conditions(site_, block)) {
    if (conditional) all.push_back(std::move(condition));
  }
  return all;
}

std::string CTask::before() const {
  if (site_.kind == Site::Kind::Wait) return wait_function();
  return fmt::format(
             "struct myrcc_{0} {{\n{1}}};\n"
             "static void myrcc_run_{0}(void*, const myr_access*);\n",
             index_, fields()) +
         spawn_function();
}

std::string CTask::behind() const {
  switch (site_.kind) {
    case Site::Kind::Call:
      return run_call();
    case Site::Kind::Block:
      return run_block();
    case Site::Kind::Wait:
      break;
  }
  return "";
}

std::string CTask::site_text() const {
  const Position at = page_.position(site_);
  return fmt::format("  static const myr_site myrcc_site = {{{}, {}, {}, {}}};\n", quoted(at.path),
                     quoted(site_.enclosing->name), at.line, at.column);
}

std::vector<std::string> CTask::access_parameters() const {
  std::vector<std::string> all;
  if (site_.annotated) return all;
  for (std::size_t i = 0; i < site_.accesses.size(); ++i) {
    all.push_back(fmt::format("{} myrcc_m{}", access_type(site_.accesses[i]), i));
  }
  if (site_.kind != Site::Kind::Wait && page_.is_conditional(site_)) {
    all.insert(all.end(), {"int myrcc_apart", "int myrcc_final"});
  }
  return all;
}

// The clauses of an annotated function speak about its parameters, so they are computed among those.
std::string CTask::access_locals() const {
  std::string text;
  if (!site_.annotated) return text;
  for (std::size_t i = 0; i < site_.accesses.size(); ++i) {
    text += fmt::format("  const {} myrcc_m{} = {};\n", access_type(site_.accesses[i]), i,
                        access_value(site_.accesses[i], page_.renderer(), nullptr, Language::C));
  }
  if (page_.is_conditional(site_)) {
    const std::vector<std::string> conditions = page_.conditions(site_, nullptr);
    text += fmt::format("  const int myrcc_apart = {}, myrcc_final = {};\n", conditions[0],
                        conditions[1]);
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
  const std::string head = fmt::format("static __inline__ void {}({}) {{\n{}", function(),
                                       joined(access_parameters(), "void"), site_text());
  if (site_.accesses.empty()) return head + "  myr_wait_all_at(&myrcc_site);\n}\n";
  return head + access_list() +
         "  myr_wait_at(myrcc_list, (size_t)(myrcc_next - myrcc_list), &myrcc_site);\n}\n";
}

std::string CTask::fields() const {
  std::string text;
  if (site_.call.through == Call::Through::Pointer) {
    text += fmt::format("  {};\n", typed(site_.call.pointer_type, "*callee"));
  }
  for (std::size_t i = 0; i < site_.call.parameters.size(); ++i) {
    text += fmt::format("  {};\n", typed(site_.call.parameters[i].type, fmt::format("a{}", i)));
  }
  for (const Variable& variable : site_.block.variables) text += field_of(variable);
  if (page_.has_final()) text += "  int myrcc_final;\n";
  return text.empty() ? "  char none;\n" : text;
}

void CTask::call_parameters(std::vector<std::string>& parameters, std::string& copies) const {
  const Call& call = site_.call;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    const Parameter& parameter = call.parameters[i];
    if (call.signature.empty()) parameters.push_back(typed(parameter.type, parameter.name));
    copies +=
        fmt::format("  __builtin_memcpy((void*)&myrcc_c->a{0}, &{1}, sizeof myrcc_c->a{0});\n", i,
                    parameter.name);
  }
  if (!call.signature.empty() && !call.parameters.empty()) parameters.push_back(call.signature);
  if (call.through == Call::Through::Pointer) {
    parameters.push_back(typed(call.pointer_type, "*myrcc_callee"));
    copies += "  myrcc_c->callee = myrcc_callee;\n";
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
  const std::vector<std::string> more = access_parameters();
  parameters.insert(parameters.end(), more.begin(), more.end());
  const std::string head =
      fmt::format("static __inline__ void {}({}) {{\n", function(), joined(parameters, "void")) +
      site_text() + access_locals();
  const std::string closure =
      fmt::format("struct myrcc_{0}* const myrcc_c = (struct myrcc_{0}*)", index_);
  if (page_.is_conditional(site_)) {
    return head + spawn_either() + "  " + closure + "myrcc_draft.closure;\n" +
           (copies.empty() ? "  (void)myrcc_c;\n" : copies) +
           (page_.has_final() ? "  myrcc_c->myrcc_final = myrcc_now_final;\n" : "") +
           fmt::format(
               "  if (myrcc_now) {{\n    myrcc_run_{0}(myrcc_c, NULL);\n    return;\n  }}\n"
               "  __builtin_memcpy(myrcc_draft.accesses, myrcc_list, myrcc_count * "
               "sizeof(myr_access));\n"
               "  myr_submit_at(myrcc_draft, myrcc_run_{0}, &myrcc_site);\n}}\n",
               index_);
  }
  return head + spawn_apart() + (copies.empty() ? "" : "  " + closure + "myrcc_draft.closure;\n") +
         copies +
         fmt::format("  myr_submit_at(myrcc_draft, myrcc_run_{}, &myrcc_site);\n}}\n", index_);
}

// The draft of a task, with its accesses.
std::string CTask::spawn_apart() const {
  std::string text =
      fmt::format("  const myr_draft myrcc_draft = myr_draft_new(sizeof(struct myrcc_{}), {});\n",
                  index_, access_count(site_.accesses));
  if (!site_.accesses.empty()) text += "  myr_access* myrcc_next = myrcc_draft.accesses;\n";
  return text + put_accesses(site_.accesses);
}

// The draft of a task, or something like it on the stack for one that runs at once.
std::string CTask::spawn_either() const {
  const std::string final = page_.has_final() ? "myrcc_final || myr_in_final" : "0";
  return access_list() +
         fmt::format(
             "  const int myrcc_now_final = {};\n"
             "  const int myrcc_now = !myrcc_apart || myrcc_now_final;\n"
             "  struct myrcc_{} myrcc_here;\n"
             "  myr_draft myrcc_draft = {{&myrcc_here, NULL, NULL}};\n"
             "  (void)myrcc_final;\n"
             "  if (myrcc_now) {{\n"
             "    myr_wait_at(myrcc_list, (size_t)(myrcc_next - myrcc_list), &myrcc_site);\n"
             "  }} else {{\n"
             "    myrcc_draft = myr_draft_new(sizeof(struct myrcc_{}), myrcc_count);\n"
             "  }}\n",
             final, index_, index_);
}

// The function that runs the task: `locals`, then `body`. `used`: they need what it took along.
std::string CTask::run_function(bool used, const std::string& locals,
                                const std::string& body) const {
  const bool closure = used || page_.has_final();
  std::string text = fmt::format(
      "\nstatic void myrcc_run_{}(void* myrcc_closure, const myr_access* myrcc_accesses) {{\n",
      index_);
  if (closure) {
    text += fmt::format("  struct myrcc_{0}* const myrcc_c = (struct myrcc_{0}*)myrcc_closure;\n",
                        index_);
  }
  if (page_.has_final()) text += "  const int myrcc_outer = myr_in_final;\n";
  text += locals + "  (void)myrcc_accesses;\n";
  if (!closure) text += "  (void)myrcc_closure;\n";
  if (page_.has_final()) text += "  myr_in_final = myrcc_c->myrcc_final;\n";
  return text + body + (page_.has_final() ? "\n  myr_in_final = myrcc_outer;\n}" : "\n}");
}

std::string CTask::run_call() const {
  const Call& call = site_.call;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    arguments.push_back(fmt::format("myrcc_c->a{}", i));
  }
  const bool pointer = call.through == Call::Through::Pointer;
  const std::string callee =
      pointer ? "myrcc_c->callee" : std::string(page_.source().text(call.callee));
  return run_function(pointer || !arguments.empty(), "",
                      fmt::format("  (void){}({});", callee, joined(arguments)));
}

std::string CTask::run_block() const {
  std::string locals;
  bool used = false;
  for (const Variable& variable : site_.block.variables) {
    used = used || variable.sharing != Sharing::Private;
    locals += local_of(variable);
  }
  return run_function(
      used, locals,
      page_.at(site_.statement.begin) + page_.renderer().render(site_.statement, &site_));
}

}  // namespace myr::translate
