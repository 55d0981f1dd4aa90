// SPDX-License-Identifier: Apache-2.0
//
// emit(): see emitter.hpp.

#include "translate/emit/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "translate/emit/function_text.hpp"
#include "translate/emit/page.hpp"
#include "translate/emit/task_text.hpp"

namespace myr::translate {
namespace {

// Old standards, and users who ask for them, would get warnings about code that is not their own.
const std::string kOurStyle =
    "\n#pragma GCC diagnostic push\n"
    "#pragma GCC diagnostic ignored \"-Wpedantic\"\n"
    "#pragma GCC diagnostic ignored \"-Wdeclaration-after-statement\"\n"
    "#pragma GCC diagnostic ignored \"-Wshadow\"\n"
    "#pragma GCC diagnostic ignored \"-Wvla\"";
const std::string kTheirStyle = "#pragma GCC diagnostic pop";

class Emitter {
 public:
  Emitter(const Source& source, const Reading& reading, Language language)
      : reading_(reading), page_(source, reading, language) {}

  std::string run() {
    add_include();
    for (const Prototype& prototype : reading_.prototypes) {
      insert(prototype.before, [&prototype] { return "\n" + prototype.text; });
    }
    for (std::size_t i = 0; i < reading_.sites.size(); ++i) add_site(i);
    return page_.text();
  }

 private:
  [[nodiscard]] bool is_c() const { return page_.language() == Language::C; }

  // Adds text that is not the user's, and says so; what follows is where it was.
  template <class Text>
  void insert(std::size_t offset, Text text) {
    page_.renderer().replace({offset, offset}, [this, offset, text](const Site*) {
      const std::string added = text();
      return added.empty() ? added : "\n#line 1 \"<myrcc>\"" + added + page_.at(offset);
    });
  }

  // Adds the include before all code that needs it, and as late as that allows: the user's own
  // headers may depend on macros that stand before them.
  void add_include() {
    if (reading_.enclosings.empty()) return;
    const auto first = std::min_element(
        reading_.enclosings.begin(), reading_.enclosings.end(),
        [](const Enclosing& a, const Enclosing& b) { return a.before < b.before; });
    insert(first->before, [this] {
      return page_.include_line(is_c() ? "myr/pragma.h" : "myr/pragma.hpp") + page_.locks();
    });
  }

  void add_site(std::size_t index) {
    const Site& site = reading_.sites[index];
    if (site.function) return add_function(index);
    if (site.kind == Site::Kind::Construct) {
      return page_.replace_construct(site, [this, index](const Site* around) {
        return TaskText(page_, index, around).construct();
      });
    }
    const Span span = site.kind == Site::Kind::Wait ? site.pragma->span : site.statement;
    page_.renderer().replace(
        span,
        [this, span, index](const Site* around) {
          return TaskText(page_, index, around).statement() + page_.at(span.end);
        },
        &site);
  }

  void add_function(std::size_t index) {
    const TaskFunction& function = *reading_.sites[index].function;
    const FunctionText text(reading_.sites[index], reading_.unit, page_.language());
    add_around(index, {function.before, function.before}, [text] { return text.before(); });
    const bool in_class = function.is_method && !function.is_definition;
    add_around(
        index, {in_class ? function.behind.begin : function.behind.end, function.behind.end},
        [this, index, text] { return text.behind(TaskText(page_, index, nullptr).function()); });
  }

  // In C++, the compiler's warnings about such code are about the user's code, such as what is
  // copied.
  template <class Text>
  void add_around(std::size_t index, Span span, Text text) {
    page_.renderer().replace(span, [=, this](const Site*) {
      const std::string added = text();
      if (added.empty()) return added;
      const Position at = page_.position(reading_.sites[index]);
      return (is_c() ? "\n#line 1 \"<myrcc>\"" + kOurStyle + "\n" + added + "\n" + kTheirStyle
                     : fmt::format("\n#line {} {}\n{}", at.line, quoted(at.path), added)) +
             page_.at(span.end);
    });
  }

  const Reading& reading_;
  Page page_;
};

}  // namespace

std::string emit(const Source& source, const Reading& reading, Language language) {
  return Emitter(source, reading, language).run();
}

}  // namespace myr::translate
