// SPDX-License-Identifier: Apache-2.0
//
// read(): the source is parsed as it is for an outline, then with probes (probe.hpp) in the place of
// the pragmas; the sites are found in the second tree.

#include "translate/parse/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/lex/scanner.hpp"
#include "translate/parse/block.hpp"
#include "translate/parse/call.hpp"
#include "translate/parse/probe.hpp"
#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

class Reader {
 public:
  Reader(const Source& source, const std::vector<std::string>& arguments, Diagnostics& diagnostics)
      : source_(source),
        diagnostics_(diagnostics),
        tokens_(scan(source, {0, source.text().size()})),
        unit_(arguments, source.path()),
        edits_(source) {}

  std::optional<Reading> run() {
    find_pragmas();
    if (diagnostics_.has_errors()) return std::nullopt;
    if (!unit_.parse(source_.text())) return failed_to_parse();
    outline_.emplace(unit_, source_, tokens_);
    reading_.prototypes = outline_->prototypes();
    edits_ = make_probes(source_, tokens_, reading_.pragmas, *outline_, diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    const std::string probed = edits_.apply();
    if (!unit_.parse(probed)) return failed_to_parse();
    report_errors();
    if (diagnostics_.has_errors()) return std::nullopt;
    find_annotations();
    find_sites();
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(reading_);
  }

 private:
  // A pragma before a function's declaration.
  struct Annotation {
    const Pragma* pragma = nullptr;
    std::vector<Access> accesses;
    std::vector<std::string> names;  // of the parameters
    std::string signature;
  };

  std::nullopt_t failed_to_parse() {
    diagnostics_.error({0, 0}, "Clang cannot read this file at all");
    return std::nullopt;
  }

  void find_pragmas() {
    for (const Token& token : tokens_) {
      if (token.kind != TokenKind::Directive) continue;
      if (auto pragma = parse_pragma(source_, token.span, diagnostics_)) {
        reading_.pragmas.push_back(std::move(*pragma));
      }
    }
  }

  void report_errors() {
    for (const clang::Message& message : unit_.errors()) {
      const std::size_t at = message.offset ? edits_.to_source(*message.offset) : 0;
      const std::size_t token = token_from(tokens_, at);
      const bool whole = token < tokens_.size() && tokens_[token].span.begin == at &&
                         tokens_[token].kind != TokenKind::Directive;
      diagnostics_.error(whole ? tokens_[token].span : Span{at, at + 1}, message.text);
    }
  }

  // The accesses of annotated functions, from their probes.
  void find_annotations() {
    std::map<std::string, std::size_t> probes;
    for (std::size_t i = 0; i < reading_.pragmas.size(); ++i) {
      probes[fmt::format("myrcc_probe_{}", i)] = i;
    }
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor) {
      const bool function = cursor.kind == CXCursor_FunctionDecl;
      const auto probe = function ? probes.find(clang::spelling(cursor)) : probes.end();
      if (probe == probes.end()) return !function;
      const Pragma& pragma = reading_.pragmas[probe->second];
      const Function* annotated = annotated_function(pragma, *outline_, tokens_);
      const Expressions expressions = find_expressions(cursor, pragma, edits_);
      const AccessContext context{.source = source_,
                                  .pragma = pragma,
                                  .expressions = expressions,
                                  .diagnostics = diagnostics_,
                                  .call = nullptr,
                                  .parameters = true};
      Annotation& annotation = annotations_[annotated->id];
      annotation = {&pragma, plain(bind_accesses(context)), {}, {}};
      for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
        annotation.names.push_back(
            clang::spelling(clang_Cursor_getArgument(cursor, static_cast<unsigned>(i))));
      }
      annotation.signature = one_line(source_, *annotated->parameters);
      return false;
    });
  }

  void find_sites() {
    for (const Pragma& pragma : reading_.pragmas) pragma_at_[pragma.span.begin] = &pragma;
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor parent) {
      const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
      if (top && !clang::offset(cursor)) return false;
      if (cursor.kind == CXCursor_FunctionDecl &&
          clang::spelling(cursor).starts_with("myrcc_probe_")) {
        return false;
      }
      visit(cursor, parent);
      return true;
    });
  }

  void visit(CXCursor cursor, CXCursor parent) {
    if (cursor.kind == CXCursor_WhileStmt) {
      const auto extent = clang::extent(cursor);
      const auto pragma =
          extent ? pragma_at_.find(edits_.to_source(extent->begin)) : pragma_at_.end();
      if (pragma == pragma_at_.end()) return;
      if (pragma->second->kind == PragmaKind::Wait) {
        wait_site(*pragma->second, cursor, parent);
      } else {
        task_site(*pragma->second, cursor);
      }
    } else if (cursor.kind == CXCursor_CallExpr && !clang::same(cursor, spawned_)) {
      annotated_call(cursor);
    } else if (cursor.kind == CXCursor_DeclRefExpr) {
      forbid_address(cursor);
    }
  }

  [[nodiscard]] const Enclosing* enclosing(std::size_t offset) {
    const Function* function = outline_->outermost(offset);
    if (function == nullptr) return nullptr;
    for (const Enclosing& known : reading_.enclosings) {
      if (known.before == function->before) return &known;
    }
    reading_.enclosings.push_back({function->name, function->before, function->extent.end});
    return &reading_.enclosings.back();
  }

  Site new_site(Site::Kind kind, const Pragma& pragma, std::size_t offset) {
    Site site;
    site.kind = kind;
    site.pragma = &pragma;
    site.enclosing = enclosing(offset);
    return site;
  }

  static std::vector<Access> plain(const std::vector<BoundAccess>& bound) {
    std::vector<Access> accesses;
    for (const BoundAccess& one : bound) accesses.push_back(one.access);
    return accesses;
  }

  void wait_site(const Pragma& pragma, CXCursor probe, CXCursor parent) {
    switch (clang_getCursorKind(parent)) {
      case CXCursor_CompoundStmt:
      case CXCursor_CaseStmt:
      case CXCursor_DefaultStmt:
      case CXCursor_LabelStmt:
        break;
      default:
        diagnostics_.error(pragma.name,
                           "without braces around it, the pragma would hide the statement that "
                           "follows it: write { and }");
        return;
    }
    const Expressions expressions = find_expressions(probe, pragma, edits_);
    const AccessContext context{source_, pragma, expressions, diagnostics_, nullptr, false};
    Site site = new_site(Site::Kind::Wait, pragma, pragma.span.begin);
    site.accesses = plain(bind_accesses(context));
    reading_.sites.push_back(std::move(site));
  }

  void task_site(const Pragma& pragma, CXCursor probe) {
    const CXCursor statement = clang::children(probe).back();
    const CXCursor call = call_of(statement);
    const bool is_call = !clang::is_null(call);
    if (!is_call && pragma.form == Form::Myrmics) {
      return diagnostics_.error(place(statement), "expected a call of a function, as its result is "
                                                  "not used: task(arguments);");
    }
    const Expressions expressions = find_expressions(probe, pragma, edits_);
    std::vector<Argument> arguments;
    if (is_call) arguments = arguments_of(call, source_, edits_);
    const AccessContext context{.source = source_,
                                .pragma = pragma,
                                .expressions = expressions,
                                .diagnostics = diagnostics_,
                                .call = &arguments,
                                .parameters = false};
    const std::vector<BoundAccess> accesses = bind_accesses(context);
    const bool at_once =
        is_call && (pragma.form == Form::Myrmics || !reads_accesses(call, accesses));
    const auto bound = at_once ? bind_call(call, source_, tokens_, edits_) : std::nullopt;
    if (bound) {
      spawned_ = call;
      callees_.push_back(bound->callee.begin);
      add_call(pragma, *bound, call, plain(accesses));
    } else {
      add_block(pragma, statement, expressions, accesses);
    }
  }

  [[nodiscard]] Span place(CXCursor cursor) const {
    const auto extent = clang::extent(cursor);
    return extent ? edits_.to_source(*extent) : Span{0, 0};
  }

  void add_call(const Pragma& pragma, const BoundCall& bound, CXCursor call,
                std::vector<Access> accesses) {
    Site site = new_site(Site::Kind::Call, pragma, bound.callee.begin);
    site.statement = place(call);
    site.accesses = std::move(accesses);
    site.callee = bound.callee;
    site.arguments = bound.arguments;
    site.has_arguments = bound.has_arguments;
    site.through_pointer = bound.through_pointer;
    site.callee_type = bound.callee_type;
    site.parameters = bound.parameters;
    reading_.sites.push_back(std::move(site));
  }

  void add_block(const Pragma& pragma, CXCursor statement, const Expressions& expressions,
                 const std::vector<BoundAccess>& accesses) {
    if (!clang::extent(statement)) {
      return diagnostics_.error(pragma.name, "the statement after the pragma is not understood");
    }
    Site site = new_site(Site::Kind::Block, pragma, pragma.span.begin);
    site.statement = place(statement);
    const std::size_t next = token_from(tokens_, site.statement.end);
    const bool braced = source_.text(site.statement).ends_with("}");
    const bool semicolon = next < tokens_.size() && source_.text(tokens_[next].span) == ";";
    if (semicolon && !braced) site.statement.end = tokens_[next].span.end;
    if (!semicolon && !braced) {
      return diagnostics_.error(site.statement, "expected a call or a block in braces");
    }
    site.accesses = plain(accesses);
    const BlockContext context{source_, edits_, pragma, expressions, accesses, diagnostics_};
    site.variables = bind_block(statement, context);
    reading_.sites.push_back(std::move(site));
  }

  [[nodiscard]] const Annotation* annotation(CXCursor function) const {
    if (clang::is_null(function)) return nullptr;
    const auto found = annotations_.find(clang::take(clang_getCursorUSR(function)));
    return found == annotations_.end() ? nullptr : &found->second;
  }

  void annotated_call(CXCursor call) {
    const Annotation* found = annotation(clang_getCursorReferenced(call));
    if (found == nullptr) return;
    const auto bound = bind_call(call, source_, tokens_, edits_);
    if (!bound || clang_getCursorType(call).kind != CXType_Void) {
      return diagnostics_.error(place(call), bound ? "the result of a task cannot be used: its "
                                                     "function must return void"
                                                   : "this call of a task cannot be translated");
    }
    callees_.push_back(bound->callee.begin);
    add_call(*found->pragma, *bound, call, found->accesses);
    Site& site = reading_.sites.back();
    site.annotated = true;
    bool all_named = true;
    for (std::size_t i = 0; i < found->names.size() && i < site.parameters.size(); ++i) {
      if (!found->names[i].empty()) site.parameters[i].name = found->names[i];
      all_named = all_named && !found->names[i].empty();
    }
    if (all_named) site.signature = found->signature;
  }

  void forbid_address(CXCursor cursor) {
    if (annotation(clang_getCursorReferenced(cursor)) == nullptr) return;
    const Span where = place(cursor);
    if (std::find(callees_.begin(), callees_.end(), where.begin) != callees_.end()) return;
    diagnostics_.error(where, "this function is a task: it can be called, but its address would "
                              "lose that");
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  clang::Unit unit_;
  Edits edits_;
  std::optional<Outline> outline_;
  Reading reading_;
  std::map<std::size_t, const Pragma*> pragma_at_;
  std::map<std::string, Annotation> annotations_;  // by the function's id
  std::vector<std::size_t> callees_;               // places where annotated functions are called
  CXCursor spawned_ = clang_getNullCursor();       // the call that its own pragma makes a task
};

}  // namespace

std::optional<Reading> read(const Source& source, const std::vector<std::string>& arguments,
                            Diagnostics& diagnostics) {
  return Reader(source, arguments, diagnostics).run();
}

}  // namespace myr::translate
