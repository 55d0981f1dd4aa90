// SPDX-License-Identifier: Apache-2.0
//
// read(): the source is parsed as it is for an outline, then with probes (probe.hpp) in the place
// of the pragmas; the sites are found in the second tree.

#include "translate/parse/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "translate/lex/scanner.hpp"
#include "translate/parse/counters.hpp"
#include "translate/parse/expand.hpp"
#include "translate/parse/find_pragmas.hpp"
#include "translate/parse/functions.hpp"
#include "translate/parse/nest.hpp"
#include "translate/parse/probe.hpp"
#include "translate/parse/statements.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

class Reader {
 public:
  Reader(const Source& source, const ReadOptions& options, Diagnostics& diagnostics)
      : source_(source),
        diagnostics_(diagnostics),
        tokens_(scan(source, {0, source.text().size()})),
        options_(options),
        unit_(options.arguments, source.path()),
        edits_(source) {}

  // The source with pragmas that macros make written out, if run() found such.
  [[nodiscard]] std::optional<Source> take_expanded() { return std::move(expanded_); }

  std::optional<Reading> run(ReadFailure& failure) {
    failure = ReadFailure::Code;
    if (!unit_.parse(source_.text())) return failed_to_parse();
    failure = ReadFailure::Pragmas;
    expanded_ = expand_pragmas(source_, tokens_, unit_, diagnostics_);
    if (expanded_ || diagnostics_.has_errors()) return std::nullopt;
    skipped_ = unit_.skipped();
    outline_.emplace(unit_, source_, tokens_);
    reading_.prototypes = outline_->prototypes();
    reading_.unit = unit_name();
    find_macros(options_.arguments);
    failure = ReadFailure::Pragmas;
    find_pragmas(source_, tokens_, unit_, options_, reading_, diagnostics_);
    find_counters(source_, tokens_, reading_.pragmas);
    check_standard(options_.arguments);
    if (diagnostics_.has_errors()) return std::nullopt;
    edits_ = make_probes(source_, tokens_, reading_.pragmas, *outline_, diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    const std::string probed = edits_.apply();
    failure = ReadFailure::Code;
    if (!unit_.parse(probed)) return failed_to_parse();
    report_errors();
    if (diagnostics_.has_errors()) return std::nullopt;
    failure = ReadFailure::Pragmas;
    find_sites();
    find_main();
    if (diagnostics_.has_errors()) return std::nullopt;
    failure = ReadFailure::None;
    return std::move(reading_);
  }

 private:
  // What is made of pragmas needs C++14.
  void check_standard(const std::vector<std::string>& arguments) {
    const bool old = std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
      return word == "-D__cplusplus=199711L" || word == "-D__cplusplus=201103L";
    });
    const auto ours = std::find_if(reading_.pragmas.begin(), reading_.pragmas.end(),
                                   [](const Pragma& pragma) { return !pragma.left; });
    if (!old || ours == reading_.pragmas.end()) return;
    diagnostics_.error(ours->name, "tasks need C++14 or newer: compile with -std=c++14");
  }

  // Macros with names like those of variables: the headers that we add have such, too.
  void find_macros(const std::vector<std::string>& arguments) {
    std::set<std::string> names;
    for (const CXCursor cursor : clang::children(unit_.root())) {
      if (cursor.kind != CXCursor_MacroDefinition) continue;
      const CXSourceLocation location = clang_getCursorLocation(cursor);
      CXFile file = nullptr;
      clang_getFileLocation(location, &file, nullptr, nullptr, nullptr);
      const bool users = file != nullptr && clang_Location_isInSystemHeader(location) == 0;
      if (users) names.insert(clang::spelling(cursor));
    }
    for (const std::string& word : arguments) {
      if (word.starts_with("-D")) names.insert(word.substr(2, word.find_first_of("=(") - 2));
    }
    for (const std::string& name : names) {
      const bool lower =
          std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
      if (!name.starts_with('_') && !name.starts_with("myr_") && (lower || name.size() <= 2)) {
        if (!name.empty()) reading_.macros.push_back(name);
      }
    }
  }

  // Two translations with the same name are the same.
  [[nodiscard]] std::string unit_name() const {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&hash](std::string_view text) {
      for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
      hash = (hash ^ 0xff) * 0x100000001b3;
    };
    add(source_.path());
    add(source_.text());
    for (const std::string& argument : options_.arguments) add(argument);
    return fmt::format("{:016x}", hash);
  }

  std::nullopt_t failed_to_parse() {
    diagnostics_.error({0, 0}, "Clang cannot read this file at all");
    return std::nullopt;
  }

  void report_errors() {
    for (const clang::Message& message : unit_.errors()) {
      const std::size_t at = message.offset ? edits_.to_source(*message.offset) : 0;
      diagnostics_.error(word_at(at), message.text);
    }
  }

  // The token that begins at `at`, also in a directive; or that byte.
  [[nodiscard]] Span word_at(std::size_t at) const {
    for (const Token& token : tokens_) {
      if (token.span.begin == at && token.kind != TokenKind::Directive) return token.span;
      if (token.kind != TokenKind::Directive || !token.span.contains(at)) continue;
      for (const Token& inner : scan(source_, {token.span.begin + 1, token.span.end}, false)) {
        if (inner.span.begin == at) return inner.span;
      }
    }
    return {at, at + 1};
  }

  void find_sites() {
    const Tree tree{options_.language, options_,  source_, tokens_,  unit_,
                    skipped_,          *outline_, edits_,  reading_, diagnostics_};
    std::map<std::size_t, Pragma*> pragma_at;
    for (Pragma& pragma : reading_.pragmas) pragma_at[pragma.span.begin] = &pragma;
    Nest nest(unit_.root(), pragma_at, edits_);
    nest.leave_others(options_.openmp);
    Functions functions(tree);
    Statements statements(tree, nest);
    const auto visit = [&](CXCursor cursor, CXCursor parent) {
      if (cursor.kind == CXCursor_WhileStmt) {
        const auto extent = clang::extent(cursor);
        const auto pragma =
            extent ? pragma_at.find(edits_.to_source(extent->begin)) : pragma_at.end();
        if (pragma != pragma_at.end()) statements.add(*pragma->second, cursor, parent);
      } else if (cursor.kind == CXCursor_CallExpr) {
        functions.check_call(cursor);
      } else if (cursor.kind == CXCursor_DeclRefExpr) {
        functions.note_use(cursor);
        statements.note_routine(cursor);
      }
    };
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor parent) {
      const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
      if (top && !clang::offset(cursor)) {
        functions.read_header(cursor);
        return false;
      }
      if (is_function(cursor)) {
        if (functions.is_probe(cursor)) return false;
        functions.note_definition(cursor);
      }
      visit(cursor, parent);
      return true;
    });
    functions.add_sites();
    functions.check_macros_on_the_way();
  }

  void find_main() {
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor) {
      const bool found = cursor.kind == CXCursor_FunctionDecl && !options_.main_function.empty() &&
                         clang_isCursorDefinition(cursor) != 0 && clang::offset(cursor) &&
                         clang::spelling(cursor) == options_.main_function;
      if (found) bind_main(cursor);
      return false;
    });
  }

  void bind_main(CXCursor cursor) {
    MainFunction main{
        options_.main_function, {}, clang_getCursorResultType(cursor).kind != CXType_Void};
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
      const CXCursor parameter = clang_Cursor_getArgument(cursor, static_cast<unsigned>(i));
      if (!is_integer(clang_getCursorType(parameter))) {
        diagnostics_.error(edits_.to_source(clang::extent(parameter).value_or(Span{})),
                           "the parameters of a main function must be integers");
      }
      main.parameters.push_back(clang::spelling(parameter));
    }
    reading_.main = std::move(main);
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  const ReadOptions& options_;
  clang::Unit unit_;
  Edits edits_;
  std::optional<Source> expanded_;
  std::vector<Span> skipped_;
  std::optional<Outline> outline_;
  Reading reading_;
};

}  // namespace

std::optional<Reading> read(const Source& source, const ReadOptions& options,
                            Diagnostics& diagnostics, ReadFailure& failure,
                            std::optional<Source>& expanded) {
  Reader reader(source, options, diagnostics);
  auto reading = reader.run(failure);
  expanded = reader.take_expanded();
  return reading;
}

}  // namespace myr::translate
