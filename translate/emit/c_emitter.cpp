// SPDX-License-Identifier: Apache-2.0
//
// emit_c(): see emitter.hpp.

#include <fmt/format.h>

#include <algorithm>

#include "translate/emit/c_task.hpp"
#include "translate/emit/construct_text.hpp"
#include "translate/emit/emitter.hpp"
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

class CEmitter {
 public:
  CEmitter(const Source& source, const Reading& reading)
      : reading_(reading), page_(source, reading, Language::C) {}

  std::string run() {
    add_include();
    for (const Prototype& prototype : reading_.prototypes) {
      insert(prototype.before, [&prototype] { return "\n" + prototype.text; });
    }
    for (const Enclosing& enclosing : reading_.enclosings) add_around(enclosing);
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

  void add_around(const Enclosing& enclosing) {
    insert(enclosing.before, [this, &enclosing] {
      return kOurStyle + of_sites(enclosing, [](const CTask& task) { return task.before(); }) +
             kTheirStyle;
    });
    insert(enclosing.after, [this, &enclosing] {
      return of_sites(enclosing, [](const CTask& task) { return task.behind(); });
    });
  }

  template <class Text>
  std::string of_sites(const Enclosing& enclosing, Text text) {
    std::string all;
    for (std::size_t i = 0; i < reading_.sites.size(); ++i) {
      if (reading_.sites[i].enclosing == &enclosing) all += text(CTask(page_, i));
    }
    return all.empty() || all.starts_with('\n') ? all : "\n" + all;
  }

  void add_site(std::size_t index) {
    const Site& site = reading_.sites[index];
    if (site.kind == Site::Kind::Call) return add_call(index);
    if (site.kind == Site::Kind::Construct) return add_construct(index);
    if (site.loop) return add_loop(index);
    const Span span = site.kind == Site::Kind::Wait ? site.pragma->span : site.statement;
    page_.renderer().replace(
        span,
        [this, span, index](const Site* block) {
          const CTask task(page_, index);
          return fmt::format("{}({});", task.function(), joined(task.handed(block))) +
                 page_.lines(span);
        },
        &site);
  }

  void add_construct(std::size_t index) {
    const Site& site = reading_.sites[index];
    page_.replace_construct(site, [this, index, &site](const Site* block) {
      const CTask task(page_, index);
      const std::string critical = "&myrcc_critical_" + site.construct.critical.value_or("");
      return around(
          site.construct,
          {.wait = task.wait_call(),
           .check = fmt::format("myr_check_team({}); ", task.place()),
           .enter = fmt::format("myr_critical_enter({}, {}); ", critical, task.place()),
           .leave = fmt::format(" myr_critical_leave({});", critical),
           .step = fmt::format("static myr_recording myrcc_recording; const int myrcc_step "
                               "= myr_graph_begin_at(&myrcc_recording, {}); {{ ",
                               task.place()),
           .step_end = fmt::format(" }} if (myrcc_step) myr_step_end_at(myrcc_recording, {});",
                                   task.place())},
          page_.renderer(), block, Language::C);
    });
  }

  void add_loop(std::size_t index) {
    const Site& site = reading_.sites[index];
    page_.renderer().replace(
        site.statement,
        [this, index, &site](const Site* block) {
          const CTask task(page_, index);
          return fmt::format(
                     "{{ {}unsigned long long myrcc_i; for (myrcc_i = 0; myrcc_i < "
                     "myrcc_chunks.tasks; ++myrcc_i) {}({}); {} }}",
                     loop_head(*site.loop, page_.renderer(), block, Language::C), task.function(),
                     joined(task.handed(block)), site.loop->waits ? task.wait_call() : "") +
                 page_.lines(site.statement);
        },
        &site);
  }

  void add_call(std::size_t index) {
    const Site& site = reading_.sites[index];
    page_.replace_call(
        site,
        [this, index](const Site* block) {
          const CTask task(page_, index);
          return task.wait_before(block) + task.function() + "(";
        },
        [this, index, &site](const Site* block) {
          const std::string more = joined(CTask(page_, index).handed(block));
          return site.call.has_arguments && !more.empty() ? ", " + more : more;
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
