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

#include "translate/emit/access_text.hpp"
#include "translate/emit/emitter.hpp"
#include "translate/emit/page.hpp"

namespace myr::translate {
namespace {

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
        return page_.include_line("myr/pragma.hpp") + page_.at(first);
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
          const char* what = site.accesses.empty() ? "wait_all" : "wait";
          return fmt::format("::myr::pragma::{}({});", what, joined(accesses(site, block))) +
                 page_.lines(site.pragma->span);
        });
        break;
      case Site::Kind::Block:
        renderer.replace(site.statement, [this, &site](const Site* block) {
          return fmt::format("{}([{}]() mutable {{ {}{} }});", task(site, block), captures(site),
                             privates(site), page_.renderer().render(site.statement, &site));
        });
        break;
      case Site::Kind::Call:
        page_.replace_call(
            site, [this, &site](const Site* block) { return call(site, block) + "("; },
            [](const Site*) { return std::string(); });
        break;
    }
  }

  // The site, then its accesses.
  [[nodiscard]] std::vector<std::string> accesses(const Site& site, const Site* block) const {
    std::vector<std::string> all{fmt::format(
        "MYR_PRAGMA_SITE({}, {})", quoted(site.enclosing->name), page_.position(site).column)};
    for (const Access& access : site.accesses) {
      const std::string value = access_value(access, page_.renderer(), block, Language::Cxx);
      all.push_back(value);
    }
    return all;
  }

  [[nodiscard]] std::string task(const Site& site, const Site* block) const {
    std::string text = fmt::format("::myr::pragma::task({})", joined(accesses(site, block)));
    if (page_.is_conditional(site)) {
      text += fmt::format(".when({})", joined(page_.conditions(site, block)));
    }
    return text;
  }

  static std::string captures(const Site& site) {
    std::vector<std::string> all;
    if (site.block.uses_this) all.emplace_back("this");
    for (const Variable& variable : site.block.variables) {
      const bool shared = variable.sharing == Variable::Sharing::Shared;
      if (variable.sharing == Variable::Sharing::Private) continue;
      all.push_back((shared ? "&" : "") + variable.name + (variable.pack ? "..." : ""));
    }
    return joined(all);
  }

  static std::string privates(const Site& site) {
    std::string text;
    for (const Variable& variable : site.block.variables) {
      if (variable.sharing != Variable::Sharing::Private) continue;
      text += fmt::format("::std::decay_t<decltype({})> {}; ", variable.name,
                          name_within(variable, Language::Cxx));
    }
    return text;
  }

  [[nodiscard]] std::string call(const Site& site, const Site* block) const {
    std::vector<std::string> parameters;
    std::vector<std::string> captures;
    std::vector<std::string> arguments;
    if (site.call.uses_this) captures.emplace_back("this");
    const std::string callee = this->callee(site, block, captures);
    for (const Parameter& parameter : site.call.parameters) {
      using Passing = Parameter::Passing;
      const std::string& name = parameter.name;
      parameters.push_back(parameter.type + " " + name);
      captures.push_back(parameter.passing == Passing::Reference
                             ? "&" + name
                             : fmt::format("{0} = ::std::move({0})", name));
      if (parameter.passing != Passing::Reference && parameter.type == "auto&&") {
        captures.back() = fmt::format("{0} = ::std::forward<decltype({0})>({0})", name);
      }
      arguments.push_back(parameter.passing == Passing::Move ? "::std::move(" + name + ")" : name);
    }
    return fmt::format("[&]({}) {{ {}([{}]() mutable {{ {}({}); }}); }}", joined(parameters),
                       task(site, site.annotated ? &site : block), joined(captures), callee,
                       joined(arguments));
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
      captures.push_back(
          fmt::format("myrcc_object = {}({})", call.arrow ? "" : "::std::addressof", object));
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
