// SPDX-License-Identifier: Apache-2.0
//
// Page: see page.hpp.

#include "translate/emit/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "translate/lex/scanner.hpp"

namespace myr::translate {

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

std::string joined(const std::vector<std::string>& parts, std::string_view none) {
  return parts.empty() ? std::string(none) : fmt::format("{}", fmt::join(parts, ", "));
}

Page::Page(const Source& source, const Reading& reading, Language language)
    : source_(source), reading_(reading), renderer_(source, language) {
  for (const Span span : reading.inactive) {
    renderer_.replace(span, [this, span](const Site*) {
      return "#error myrcc and the compiler disagree whether this pragma is active" + lines(span);
    });
  }
  has_final_ = std::any_of(reading.sites.begin(), reading.sites.end(),
                           [](const Site& site) { return site.final.has_value(); });
}

std::string Page::text() {
  for (const Pragma& pragma : reading_.pragmas) {
    if (pragma.kind == PragmaKind::Wait || used_.contains(&pragma)) continue;
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

void Page::replace_call(const Site& site, const Renderer::Text& head, const Renderer::Text& tail) {
  const Call& call = site.call;
  const Span begin{call.callee.begin, call.arguments.begin};
  const Span between{site.pragma->span.end, begin.begin};
  const std::string blank(begin.end - begin.begin, ' ');
  const bool follows = !site.annotated && begin.begin >= between.begin && lines(begin).empty() &&
                       scan(source_, between).empty();
  if (follows) {
    used_.insert(site.pragma);
    renderer_.replace(site.pragma->span, [this, &site, head](const Site* block) {
      return head(block) + lines(site.pragma->span);
    });
    renderer_.replace(begin, [blank](const Site*) { return blank; });
  } else {
    renderer_.replace(begin, head);
  }
  renderer_.replace({call.arguments.end, call.arguments.end}, tail);
}

std::string Page::lines(Span span) const {
  const std::string_view text = source_.text(span);
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

std::string Page::at(std::size_t offset) const {
  const Position position = source_.position(offset);
  return fmt::format("\n#line {} {}\n{}", position.line, quoted(position.path),
                     std::string(position.column - 1, ' '));
}

Position Page::position(const Site& site) const {
  const bool call = site.annotated || site.kind == Site::Kind::Call;
  return source_.position(call ? site.statement.begin : site.pragma->span.begin);
}

std::string Page::include_line(const char* header) const {
  return fmt::format("\n{}#include <{}>\n", has_final_ ? "#define MYR_PRAGMA_FINAL 1\n" : "",
                     header);
}

std::vector<std::string> Page::conditions(const Site& site, const Site* block) const {
  const auto value = [&](const std::optional<Span>& clause, const char* none) {
    return clause ? "!!(" + renderer_.expression(*clause, block) + ")" : std::string(none);
  };
  return {value(site.apart, "1"), value(site.final, "0")};
}

}  // namespace myr::translate
