// SPDX-License-Identifier: Apache-2.0
//
// Page: see page.hpp.

#include "translate/emit/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace myr::translate {

std::string joined(const std::vector<std::string>& parts, std::string_view none) {
  return parts.empty() ? std::string(none) : fmt::format("{}", fmt::join(parts, ", "));
}

Page::Page(const Source& source, const Reading& reading, Language language)
    : source_(source), reading_(reading), language_(language), renderer_(source) {
  for (const Renamed& renamed : reading.renamed) renderer_.rename(renamed);
  for (const Disguised& function : reading.disguised) disguise(function);
  for (const Span span : reading.inactive) {
    renderer_.replace(span, [this, span](const Site*) {
      return "#error myrcc and the compiler disagree whether this pragma is active" + lines(span);
    });
  }
  for (const Span span : reading.unheard) {
    renderer_.replace(span, [this, span](const Site*) { return lines(span); });
  }
  for (const Span span : reading.left_out) {
    renderer_.replace(span, [](const Site*) {
      return "#error this part is left out by Clang, which reads the source for myrcc: ask in #if "
             "for nothing that the compiler and Clang answer in different ways";
    });
  }
}

void Page::disguise(const Disguised& function) {
  std::string define;
  std::string end;
  for (const std::string name : {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"}) {
    const bool pretty = name == "__PRETTY_FUNCTION__";
    define += fmt::format("\n#pragma push_macro(\"{0}\")\n#undef {0}\n#define {0} {1}", name,
                          quoted(pretty ? function.pretty : function.name));
    end += fmt::format("\n#pragma pop_macro(\"{}\")", name);
  }
  for (const auto& [offset, text] :
       {std::pair(function.span.begin, define), std::pair(function.span.end, end)}) {
    renderer_.replace({offset, offset},
                      [this, offset, text](const Site*) { return text + at(offset); });
  }
}

std::string Page::text() {
  for (const Pragma& pragma : reading_.pragmas) {
    if (pragma.left) continue;
    if (pragma.has(Leaf::TaskYield)) {
      renderer_.replace(pragma.span,
                        [this, &pragma](const Site*) { return ";" + lines(pragma.span); });
    }
    const bool rewritten = pragma.kind == PragmaKind::Wait ||
                           (pragma.kind == PragmaKind::Construct && !pragma.has(Leaf::TaskIter));
    if (rewritten) continue;
    renderer_.replace(pragma.span, [this, &pragma](const Site*) { return lines(pragma.span); });
  }
  renderer_.sort();
  return fmt::format("#line 1 {}\n", quoted(source_.path())) +
         renderer_.render({0, source_.text().size()}, nullptr) + main_text();
}

// A main() that hands its arguments on as numbers.
std::string Page::main_text() const {
  if (!reading_.main) return "";
  const MainFunction& main = *reading_.main;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < main.parameters.size(); ++i) {
    arguments.push_back(fmt::format("myr_main_argument(argc, argv, {}, myrcc_names)", i + 1));
  }
  return fmt::format(
      "\n#include <myr/main.h>\n"
      "int main(int argc, char** argv) {{\n"
      "  const char* const myrcc_names[] = {{{}{}NULL}};\n"
      "  myr_main_check(argc, argv, {}, myrcc_names);\n"
      "  {}{}({});\n{}}}\n",
      main.parameters.empty() ? "" : fmt::format("\"{}\"", fmt::join(main.parameters, "\", \"")),
      main.parameters.empty() ? "" : ", ", main.parameters.size(),
      main.returns_value ? "return (int)" : "", main.name, joined(arguments),
      main.returns_value ? "" : "  return 0;\n");
}

void Page::replace_construct(const Site& site, const AroundText& text) {
  const Construct& construct = site.construct;
  if (construct.atomic) {
    for (const Span use : construct.atomic_uses) {
      renderer_.replace(use, [](const Site*) { return "myrcc_new"; });
    }
    if (construct.atomic_value) {
      renderer_.replace(*construct.atomic_value, [](const Site*) { return "myrcc_value"; });
    }
  }
  if (construct.in_loop) return replace_in_loop(site, text);
  const Span pragma = site.pragma->span;
  renderer_.replace({pragma.begin, site.statement.end},
                    [this, &site, pragma, text](const Site* block) {
                      const Around code = text(block);
                      return code.head + lines(pragma) +
                             renderer_.render({pragma.end, site.statement.end}, block) + code.tail;
                    });
}

// The head of the loop stays between the pragma and the statement. This may be a task that ends
// where it does.
void Page::replace_in_loop(const Site& site, const AroundText& text) {
  const std::size_t begin = site.statement.begin;
  const std::size_t end = site.statement.end;
  renderer_.replace({begin, begin}, [text](const Site* block) { return text(block).head; });
  renderer_.replace({end, end}, [&site, text](const Site* block) {
    const bool is_inside = block != nullptr && site.statement.contains(block->statement);
    return is_inside ? std::string() : text(block).tail;
  });
}

std::string Page::lines(Span span) const {
  const std::string_view text = source_.text(span);
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

Position Page::position(const Site& site) const {
  const bool itself = site.kind == Site::Kind::Function || site.kind == Site::Kind::Call;
  return source_.position(itself ? site.statement.begin : site.pragma->span.begin);
}

std::string Page::include_line(const char* header) const {
  std::string hidden;
  std::string shown;
  for (const std::string& name : reading_.macros) {
    hidden += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
    shown += fmt::format("#pragma pop_macro(\"{0}\")\n", name);
  }
  return fmt::format("\n{}#include <{}>\n{}", hidden, header, shown);
}

std::string Page::locks() const {
  std::set<std::string> names;
  for (const Site& site : reading_.sites) {
    if (site.construct.critical) names.insert(*site.construct.critical);
  }
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("MYR_API __attribute__((weak)) myr_critical myrcc_critical_{};\n", name);
  }
  return text.empty() || language_ == Language::C ? text : "extern \"C\" {\n" + text + "}\n";
}

std::vector<std::string> Page::conditions(const Site& site) const {
  const auto value = [&](const std::optional<Span>& clause, const char* none) {
    return clause ? "!!(" + renderer_.expression(*clause) + ")" : std::string(none);
  };
  return {value(site.apart, "1"), value(site.final, "0"),
          site.priority ? "(" + renderer_.expression(*site.priority) + ")" : "0"};
}

}  // namespace myr::translate
