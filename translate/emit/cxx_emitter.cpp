// SPDX-License-Identifier: Apache-2.0
//
// emit_cxx(): see emitter.hpp.
//
//   work(a, n);     [&](double* a0, int a1) { ...task(SITE, ACCESSES)([a0 = move(a0), a1 = move(a1)]()
//                     mutable { work(a0, a1); }); }(a, n);
//   { block }       ...task(SITE, ACCESSES)([x, &y]() mutable { block });
//
// The outer closure of a call takes its arguments as the function would, with all conversions, when
// the task is spawned.

#include <fmt/format.h>

#include <algorithm>

#include "translate/emit/access_text.hpp"
#include "translate/emit/construct_text.hpp"
#include "translate/emit/emitter.hpp"
#include "translate/emit/function_text.hpp"
#include "translate/emit/page.hpp"

namespace myr::translate {
namespace {

using Sharing = Variable::Sharing;

class CxxEmitter {
 public:
  CxxEmitter(const Source& source, const Reading& reading)
      : source_(source), reading_(reading), page_(source, reading, Language::Cxx) {}

  std::string run() {
    std::size_t first = source_.text().size();
    for (const Enclosing& enclosing : reading_.enclosings)
      first = std::min(first, enclosing.before);
    if (!reading_.sites.empty()) {
      page_.renderer().replace({first, first}, [this, first](const Site*) {
        return page_.include_line("myr/pragma.hpp") + locks() + page_.at(first);
      });
    }
    for (const Site& site : reading_.sites) add_site(site);
    return page_.text();
  }

 private:
  void add_site(const Site& site) {
    Renderer& renderer = page_.renderer();
    switch (site.kind) {
      case Site::Kind::Wait:
        renderer.replace(site.pragma->span, [this, &site](const Site* block) {
          const char* what = site.pragma->has(Leaf::Barrier) ? "barrier"
                             : site.accesses.empty()         ? "wait_all"
                                                             : "wait";
          return fmt::format("::myr::pragma::{}({});", what, joined(accesses(site, block))) +
                 page_.lines(site.pragma->span);
        });
        break;
      case Site::Kind::Construct:
        page_.replace_construct(
            site, [this, &site](const Site* block) { return around_construct(site, block); });
        break;
      case Site::Kind::Block:
        renderer.replace(
            site.statement,
            [this, &site](const Site* block) {
              return site.loop ? loop(site, block) : closure_of(site, block);
            },
            &site);
        break;
      case Site::Kind::Function:
        add_function(site);
        break;
      case Site::Kind::Call:
        page_.replace_call(
            site, [this, &site](const Site* block) { return call(site, block) + "("; },
            [](const Site*) { return std::string(); });
        break;
    }
  }

  [[nodiscard]] std::string closure_of(const Site& site, const Site* block) const {
    const Span body = site.loop ? site.loop->body : site.statement;
    std::string text = page_.renderer().render(body, &site);
    if (site.loop) {
      text = iterations(*site.loop, "myrcc_first", "myrcc_step", "myrcc_chunk") + text + " } }";
    }
    return fmt::format("{}([{}]() mutable {{ {}{}{} }});", task(site, block), captures(site, block),
                       privates(site), text, ends(site));
  }

  [[nodiscard]] std::string loop(const Site& site, const Site* block) const {
    const std::string head = loop_head(*site.loop, page_.renderer(), block, Language::Cxx);
    const std::string each =
        "for (unsigned long long myrcc_i = 0; myrcc_i < myrcc_chunks.tasks; ++myrcc_i) { "
        "const myr_chunk myrcc_chunk = myr_chunk_of(myrcc_chunks, myrcc_i); ";
    const Span before{site.statement.begin, site.loop->body.begin};
    return fmt::format(
        "{{ {}{}{}{} }} {}}}", head, each, page_.lines(before), closure_of(site, block),
        site.loop->waits ? fmt::format("::myr::pragma::barrier({}); ", place(site)) : "");
  }

  [[nodiscard]] Around around_construct(const Site& site, const Site* block) const {
    const std::string where = place(site);
    return around(
        site.construct,
        {.wait = fmt::format("::myr::pragma::barrier({});", where),
         .check = fmt::format("myr_check_team({}); ", where),
         .enter =
             fmt::format("const ::myr::pragma::Critical myrcc_critical(&::myrcc_critical_{}, {}); ",
                         site.construct.critical.value_or(""), where),
         .leave = "",
         .step = fmt::format("{{ static myr_recording myrcc_recording; "
                             "const ::myr::pragma::Step myrcc_step(&myrcc_recording, {}); ",
                             where),
         .step_end = " }"},
        page_.renderer(), block, Language::Cxx);
  }

  [[nodiscard]] std::string locks() const {
    const std::string all = page_.locks();
    return all.empty() ? all : "extern \"C\" {\n" + all + "}\n";
  }

  [[nodiscard]] std::string place(const Site& site) const {
    return fmt::format("MYR_PRAGMA_SITE({}, {})", quoted(site.enclosing->name),
                       page_.position(site).column);
  }

  // The site, then its accesses.
  [[nodiscard]] std::vector<std::string> accesses(const Site& site, const Site* block) const {
    std::vector<std::string> all{place(site)};
    for (const Access& access : site.accesses) {
      const std::string value =
          access_value(access, site.loop, page_.renderer(), block, Language::Cxx);
      all.push_back(value);
    }
    return all;
  }

  [[nodiscard]] std::string task(const Site& site, const Site* block) const {
    std::string text = fmt::format("::myr::pragma::task({})", joined(accesses(site, block)));
    if (Page::is_conditional(site)) {
      text += fmt::format(".when({})", joined(page_.conditions(site, block)));
    }
    return text;
  }

  [[nodiscard]] std::string captures(const Site& site, const Site* block) const {
    std::vector<std::string> all;
    if (site.block.uses_this) all.emplace_back("this");
    for (const Variable& variable : site.block.variables) {
      if (variable.sharing == Sharing::Private) continue;
      all.push_back(variable.sharing == Sharing::Held
                        ? "myrcc_held_" + variable.name + " = " +
                              hold(site, variable.name, variable.lead, block)
                        : capture(variable, block));
    }
    if (site.loop) all.insert(all.end(), {"myrcc_first", "myrcc_step", "myrcc_chunk"});
    return joined(all);
  }

  // What the task keeps of an object. The access may count, with a variable that is declared nowhere else.
  [[nodiscard]] std::string hold(const Site& site, const std::string& name, const Lead& lead,
                                 const Site* block) const {
    const Item& item = site.accesses[lead.access].item;
    std::string counters;
    if (item.counter)
      counters = fmt::format("auto {0} = myrcc_first; (void){0}; ", site.loop->name);
    for (const Iterator& iterator : item.iterators) {
      counters += first_of(iterator, page_.renderer(), block);
    }
    const std::string held =
        fmt::format("::myr::pragma::hold({}, {})", name, reach(site, lead, block));
    return counters.empty() ? held : fmt::format("[&] {{ {}return {}; }}()", counters, held);
  }

  // A function from the object to the memory that the access names.
  [[nodiscard]] std::string reach(const Site& site, const Lead& lead, const Site* block) const {
    const Access& access = site.accesses[lead.access];
    const std::string name = lead.uses.empty() ? lead.name : "myrcc_object";
    std::string memory =
        "(" + page_.renderer().expression(access.item.base, block, lead.uses, name) + ")";
    if (access.kind == Access::Kind::Section && access.item.shape.empty()) {
      memory += "[0]";
    } else if (access.kind != Access::Kind::Place) {
      memory = fmt::format("*{}", memory);
    }
    return fmt::format("[&](auto& {0}) -> decltype(({1})) {{ return {1}; }}", name, memory);
  }

  static std::string capture(const Variable& variable, const Site* block) {
    const std::string& name = variable.name;
    if (variable.sharing == Sharing::Last || variable.sharing == Sharing::Reduced) {
      // A task adds to what the reduction around all of them is about, not to another task's own.
      const bool passed_on =
          block != nullptr && std::any_of(block->block.variables.begin(),
                                          block->block.variables.end(), [&](const Variable& outer) {
                                            return outer.name == name &&
                                                   outer.declared == variable.declared &&
                                                   outer.sharing == Sharing::Reduced &&
                                                   variable.sharing == Sharing::Reduced;
                                          });
      return passed_on ? "myrcc_p_" + name
                       : fmt::format("myrcc_p_{0} = ::std::addressof({0})", name);
    }
    if (variable.sharing == Sharing::Shared) {
      return "&" + name + (variable.pack ? "..." : "") + (variable.binding ? " = " + name : "");
    }
    // A structured binding can be captured by C++20 only, but for a variable made from it.
    if (variable.outside || variable.binding) return fmt::format("{0} = {0}", name);
    return name + (variable.pack ? "..." : "");
  }

  // What the block finds under its name though the task has it under another.
  static std::string privates(const Site& site) {
    std::string text;
    for (const Variable& variable : site.block.variables) {
      const std::string& name = variable.name;
      const std::string type = fmt::format("::std::decay_t<decltype(*myrcc_p_{})>", name);
      if (variable.sharing == Sharing::Held) {
        text += fmt::format("MYR_PRAGMA_NAME({0}, myrcc_held_{0}.get()) ", name);
      } else if (variable.sharing == Sharing::Private) {
        text += fmt::format("::std::decay_t<decltype({})> {}; ", name,
                            name_within(variable, Language::Cxx));
      } else if (variable.sharing == Sharing::Last) {
        text += fmt::format("{} {}; ", type, name);
      } else if (variable.sharing == Sharing::Reduced) {
        text += fmt::format("{} {} = {}; ", type, name,
                            identity(variable.reduction, name, Language::Cxx));
      }
    }
    return text;
  }

  // What a task does with its own variables at its end.
  static std::string ends(const Site& site) {
    std::string text;
    std::string combine;
    for (const Variable& variable : site.block.variables) {
      const std::string& name = variable.name;
      if (variable.sharing == Sharing::Last) {
        text += fmt::format(" if (myrcc_chunk.last) *myrcc_p_{0} = {0};", name);
      } else if (variable.sharing == Sharing::Reduced) {
        combine += " " + combined(variable.reduction, "*myrcc_p_" + name, name);
      }
    }
    if (combine.empty()) return text;
    return text + " const ::myr::pragma::Critical myrcc_lock(&myr_reduction_lock, nullptr);" +
           combine;
  }

  [[nodiscard]] std::string call(const Site& site, const Site* block) const {
    std::vector<std::string> parameters;
    std::vector<std::string> captures;
    std::vector<std::string> arguments;
    if (site.call.uses_this) captures.emplace_back("this");
    const std::string callee = this->callee(site, block, captures);
    std::vector<std::string> types;
    bool unknown = false;
    for (const Parameter& parameter : site.call.parameters) {
      parameters.push_back(parameter.type + " " + parameter.name);
      types.push_back(parameter.type == "auto&&" ? fmt::format("decltype({})", parameter.name)
                                                 : parameter.type + "&&");
      unknown = unknown || parameter.passing == Parameter::Passing::Unknown;
    }
    for (std::size_t i = 0; i < site.call.parameters.size(); ++i) {
      pass(site, i, block, joined(types), captures, arguments);
    }
    const std::string wait =
        site.waits ? fmt::format("::myr::pragma::wait({}), ", joined(accesses(site, block))) : "";
    return wait + fmt::format("[&]({}) {{ {}{}([{}]() mutable {{ {}({}); }}); }}",
                              joined(parameters), unknown ? probe(site, block) : "",
                              task(site, block), joined(captures), callee, joined(arguments));
  }

  // The user's code gets another name, and a function that makes the task stands under its own.
  void add_function(const Site& site) {
    const TaskFunction& function = *site.function;
    const FunctionText text(site, reading_.unit, Language::Cxx);
    const std::string line = here(site);
    page_.renderer().replace({function.before, function.before}, [=, this](const Site*) {
      const std::string before = text.before();
      return before.empty() ? before : line + before + page_.at(function.before);
    });
    const bool in_class = function.is_method && !function.is_definition;
    const Span span{in_class ? function.behind.begin : function.behind.end, function.behind.end};
    page_.renderer().replace(span, [=, this, &site](const Site*) {
      return line + text.behind(function_body(site)) + page_.at(site.function->behind.end);
    });
  }

  [[nodiscard]] std::string here(const Site& site) const {
    const Position at = page_.position(site);
    return fmt::format("\n#line {} {}\n", at.line, quoted(at.path));
  }

  [[nodiscard]] std::string function_body(const Site& site) const {
    const TaskFunction& function = *site.function;
    std::vector<std::string> captures;
    std::vector<std::string> arguments;
    if (function.uses_this) captures.emplace_back("this");
    for (const TaskFunction::Parameter& parameter : function.parameters) {
      const std::string kept = fmt::format("myrcc_k{}", arguments.size());
      captures.push_back(fmt::format(
          "{0} = ::myr::pragma::Given<{1}, decltype({2})>(static_cast<decltype({2})&&>({2}))", kept,
          parameter.in_place, parameter.name));
      arguments.push_back(kept + ".get()");
    }
    return fmt::format("{}([{}]() mutable {{ {}{}({}); }});", task(site, nullptr), joined(captures),
                       body_name(function.name), function.template_arguments, joined(arguments));
  }

  // A declaration by which the compiler finds out what a function of a template takes.
  [[nodiscard]] std::string probe(const Site& site, const Site* block) const {
    return fmt::format(
        "const auto myrcc_call = [&](auto&&... myrcc_x) -> decltype(static_cast<void>({}("
        "static_cast<decltype(myrcc_x)>(myrcc_x)...))) {{}}; (void)myrcc_call; ",
        page_.renderer().render(site.call.callee, block));
  }

  // How a parameter gets into the task, and out of it.
  void pass(const Site& site, std::size_t index, const Site* block, const std::string& types,
            std::vector<std::string>& captures, std::vector<std::string>& arguments) const {
    using Passing = Parameter::Passing;
    const Parameter& parameter = site.call.parameters[index];
    const std::string& name = parameter.name;
    const bool any = parameter.type == "auto&&";
    switch (parameter.passing) {
      case Passing::Reference:
        captures.push_back("&" + name);
        return arguments.push_back(name);
      case Passing::Held:
        captures.push_back(name + " = " + hold(site, name, parameter.lead, block));
        return arguments.push_back(name + ".get()");
      case Passing::Unknown:
        captures.push_back(fmt::format(
            "{0} = ::myr::pragma::Kept<{1}, decltype(myrcc_call), {2}>(static_cast<{3}>({0}))",
            name, index, types, any ? "decltype(" + name + ")" : parameter.type + "&&"));
        return arguments.push_back(name + ".get()");
      case Passing::Copy:
      case Passing::Move:
        captures.push_back(any ? fmt::format("{0} = ::std::forward<decltype({0})>({0})", name)
                               : fmt::format("{0} = ::std::move({0})", name));
        const bool moved = parameter.passing == Passing::Move;
        return arguments.push_back(moved ? "::std::move(" + name + ")" : name);
    }
  }

  // How the task names what it calls; what that takes is added to `captures`.
  [[nodiscard]] std::string callee(const Site& site, const Site* block,
                                   std::vector<std::string>& captures) const {
    const Call& call = site.call;
    const std::string text = page_.renderer().render(call.callee, block);
    if (call.through == Call::Through::Pointer) {
      captures.push_back("myrcc_callee = " + text);
      return "myrcc_callee";
    }
    if (call.through == Call::Through::Object) {
      const std::string object = page_.renderer().render(call.object, block);
      captures.push_back(fmt::format("myrcc_object = {}({})",
                                     call.arrow ? "::myr::pragma::arrow" : "::std::addressof",
                                     object));
      const std::string_view member = source_.text({call.object.end, call.callee.end});
      const std::size_t name = member.find_first_not_of(" \t\r\n.->");
      return "myrcc_object->" + std::string(member.substr(name));
    }
    return text;
  }

  const Source& source_;
  const Reading& reading_;
  Page page_;
};

}  // namespace

std::string emit_cxx(const Source& source, const Reading& reading) {
  return CxxEmitter(source, reading).run();
}

}  // namespace myr::translate
