// SPDX-License-Identifier: Apache-2.0
//
// emit_c(): see emitter.hpp.

#include <fmt/format.h>

#include <algorithm>

#include "translate/emit/c_task.hpp"
#include "translate/emit/construct_text.hpp"
#include "translate/emit/emitter.hpp"
#include "translate/emit/function_text.hpp"
#include "translate/emit/page.hpp"

namespace myr::translate {
namespace {

// Old standards, and those who like them, would complain about code that is not theirs.
const std::string kOurStyle =
    "\n#pragma GCC diagnostic push\n"
    "#pragma GCC diagnostic ignored \"-Wpedantic\"\n"
    "#pragma GCC diagnostic ignored \"-Wdeclaration-after-statement\"\n"
    "#pragma GCC diagnostic ignored \"-Wshadow\"\n"
    "#pragma GCC diagnostic ignored \"-Wvla\"";
const std::string kTheirStyle = "#pragma GCC diagnostic pop";

std::string in_our_style(const std::string& lines) {
  return lines.empty() ? "" : kOurStyle + "\n" + lines + "\n" + kTheirStyle;
}

class CEmitter {
 public:
  CEmitter(const Source& source, const Reading& reading)
      : reading_(reading), page_(source, reading, Language::C) {}

  std::string run() {
    add_include();
    for (const Prototype& prototype : reading_.prototypes) {
      insert(prototype.before, [&prototype] { return "\n" + prototype.text; });
    }
    for (std::size_t i = 0; i < reading_.sites.size(); ++i) add_site(i);
    return page_.text();
  }

 private:
  // Adds text that is not the user's, and says so; what follows is where it was.
  template <class Text>
  void insert(std::size_t offset, Text text) {
    page_.renderer().replace({offset, offset}, [this, offset, text](const Site*) {
      const std::string added = text();
      return added.empty() ? added : "\n#line 1 \"<myrcc>\"" + added + page_.at(offset);
    });
  }

  // Before all that needs it, and as late as that allows: the user's own headers may depend on
  // macros that stand before them.
  void add_include() {
    if (reading_.enclosings.empty()) return;
    const auto first = std::min_element(
        reading_.enclosings.begin(), reading_.enclosings.end(),
        [](const Enclosing& a, const Enclosing& b) { return a.before < b.before; });
    insert(first->before, [this] { return page_.include_line("myr/pragma.h") + page_.locks(); });
  }

  void add_site(std::size_t index) {
    const Site& site = reading_.sites[index];
    if (site.function) return add_function(index);
    if (site.kind == Site::Kind::Construct) {
      return page_.replace_construct(site, [this, index](const Site* block) {
        return CTask(page_, index, block).construct();
      });
    }
    const Span span = site.kind == Site::Kind::Wait ? site.pragma->span : site.statement;
    page_.renderer().replace(
        span,
        [this, span, index](const Site* block) {
          return CTask(page_, index, block).statement() + page_.at(span.end);
        },
        &site);
  }

  void add_function(std::size_t index) {
    const Site& site = reading_.sites[index];
    const FunctionText text(site, reading_.unit, Language::C);
    insert(site.function->before, [text] { return in_our_style(text.before()); });
    insert(site.function->behind.end, [this, index, text] {
      return in_our_style(text.behind(CTask(page_, index, nullptr).function()));
    });
  }

  const Reading& reading_;
  Page page_;
};

}  // namespace

std::string emit_c(const Source& source, const Reading& reading) {
  return CEmitter(source, reading).run();
}

}  // namespace myr::translate
