// SPDX-License-Identifier: Apache-2.0
//
// read(): the source is parsed as it is for an outline, then with probes (probe.hpp) in the place of
// the pragmas; the sites are found in the second tree.

#include "translate/parse/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "translate/lex/scanner.hpp"
#include "translate/parse/block.hpp"
#include "translate/parse/call.hpp"
#include "translate/parse/construct.hpp"
#include "translate/parse/counters.hpp"
#include "translate/parse/directives.hpp"
#include "translate/parse/expand.hpp"
#include "translate/parse/find_pragmas.hpp"
#include "translate/parse/nest.hpp"
#include "translate/parse/plain.hpp"
#include "translate/parse/probe.hpp"
#include "translate/parse/reads.hpp"

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
        edits_(source),
        main_function_(options.main_function),
        openmp_(options.openmp),
        calls_{options.language, source_, tokens_, edits_, diagnostics_} {}

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
    find_annotations();
    find_sites();
    if (calls_.language == Language::C) find_moved_macros();
    find_main();
    if (diagnostics_.has_errors()) return std::nullopt;
    failure = ReadFailure::None;
    return std::move(reading_);
  }

 private:
  // A pragma before a function's declaration.
  struct Annotation {
    const Pragma* pragma = nullptr;
    std::vector<BoundAccess> accesses;
    std::vector<CXCursor> parameters;
    std::vector<std::vector<Span>> uses;  // of the parameters, in the clauses
    std::string signature;
  };

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
      annotation = {
          &pragma, bind_accesses(context), {}, {}, one_line(source_, *annotated->parameters)};
      for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
        const CXCursor parameter = clang_Cursor_getArgument(cursor, static_cast<unsigned>(i));
        annotation.parameters.push_back(parameter);
        annotation.uses.push_back(uses_of(parameter, cursor));
      }
      return false;
    });
  }

  // Where a function names one of its parameters.
  [[nodiscard]] std::vector<Span> uses_of(CXCursor parameter, CXCursor function) const {
    std::vector<Span> uses;
    clang::walk(function, [&](CXCursor cursor, CXCursor) {
      const bool use = cursor.kind == CXCursor_DeclRefExpr &&
                       clang::same(clang_getCursorReferenced(cursor), parameter);
      const bool known = use && std::find(uses.begin(), uses.end(), place(cursor)) != uses.end();
      if (use && !known) uses.push_back(place(cursor));  // probes name some parts twice
      return true;
    });
    return uses;
  }

  void find_sites() {
    for (Pragma& pragma : reading_.pragmas) pragma_at_[pragma.span.begin] = &pragma;
    nest_.emplace(unit_.root(), pragma_at_, edits_);
    nest_->leave_others(openmp_);
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
      pragma_site(*pragma->second, cursor, parent);
    } else if (cursor.kind == CXCursor_CallExpr && !clang::same(cursor, spawned_)) {
      annotated_call(cursor);
    } else if (cursor.kind == CXCursor_DeclRefExpr) {
      forbid_address(cursor);
      note_routine(cursor);
    } else if (cursor.kind == CXCursor_OverloadedDeclRef) {
      forbid_overload(cursor);
    }
  }

  // OpenMP's routines that tell of a team's threads tell of the workers; where each thread of a team
  // would ask for its own part, nothing would be right.
  void note_routine(CXCursor cursor) {
    static const std::map<std::string_view, std::string_view> routines = {
        {"omp_get_thread_num", "(int)myr_worker_index"},
        {"omp_get_num_threads", "(int)myr_worker_count"},
        {"omp_get_max_threads", "(int)myr_worker_count"},
        {"omp_in_final", "myr_in_final"},
    };
    const std::string name = clang::spelling(cursor);
    const auto routine = routines.find(name);
    const bool lock = name.starts_with("omp_") && name.ends_with("_nest_lock");
    if ((routine == routines.end() && !lock) || !nest_->has_tasks()) return;
    const Span where = place(cursor);
    const Nest::Doer doer = nest_->doer_of(clang::offset(cursor).value_or(0));
    if (doer == Nest::Doer::Compiler) return;
    if (lock) {
      return diagnostics_.error(
          where, fmt::format("'{}' knows only the tasks of your compiler's OpenMP, not these: use "
                             "critical, or a lock of your own",
                             name));
    }
    if (doer == Nest::Doer::One && source_.text(where) == name) {
      return reading_.routines.push_back({where, std::string(routine->second)});
    }
    diagnostics_.error(
        where,
        fmt::format(
            "'{}' counts the threads of a team, but one thread runs a region with tasks: call it "
            "inside a task or single, or call myr_worker_index() and myr_worker_count()",
            name));
  }

  void pragma_site(const Pragma& pragma, CXCursor probe, CXCursor parent) {
    if (pragma.left) return;
    switch (pragma.kind) {
      case PragmaKind::Wait:
        return wait_site(pragma, probe, parent);
      case PragmaKind::Task:
        return task_site(pragma, probe);
      case PragmaKind::Loop:
        return loop_site(pragma);
      case PragmaKind::Construct:
        return construct_site(pragma);
      case PragmaKind::Hint:
      case PragmaKind::Foreign:
        return;
    }
  }

  [[nodiscard]] const Enclosing* enclosing(std::size_t offset) {
    const Function* function = outline_->outermost(offset);
    if (function == nullptr) return nullptr;
    const bool c = calls_.language == Language::C;
    const std::size_t before = c ? function->before : outline_->top_begin(offset);
    for (const Enclosing& known : reading_.enclosings) {
      if (known.before == before && known.after == function->extent.end) return &known;
    }
    reading_.enclosings.push_back({function->name, before, function->extent.end});
    return &reading_.enclosings.back();
  }

  // Adds a site in the function around `offset`.
  Site& add_site(Site::Kind kind, const Pragma& pragma, std::size_t offset) {
    Site& site = reading_.sites.emplace_back();
    site.kind = kind;
    site.pragma = &pragma;
    site.enclosing = enclosing(offset);
    if (site.enclosing == nullptr) {
      diagnostics_.error({offset, offset + 1}, "a task can only be spawned inside a function");
    }
    for (const Clause& clause : pragma.clauses) {
      if (clause.kind == Clause::Kind::If) site.apart = clause.value;
      if (clause.kind == Clause::Kind::Final) site.final = clause.value;
      if (clause.kind == Clause::Kind::Priority) site.priority = clause.value;
    }
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
        diagnostics_.error(
            pragma.name,
            "without braces, the pragma would hide the statement that follows it: write { and }");
        return;
    }
    if (pragma.has(Leaf::TaskYield)) return;
    forbid_in_critical(pragma);
    const Expressions expressions = find_expressions(probe, pragma, edits_);
    const AccessContext context{source_, pragma, expressions, diagnostics_, nullptr, false};
    Site& site = add_site(Site::Kind::Wait, pragma, pragma.span.begin);
    site.accesses = plain(bind_accesses(context));
  }

  void task_site(const Pragma& pragma, CXCursor probe) {
    forbid_in_critical(pragma);
    const CXCursor statement = clang::children(probe).back();
    const CXCursor call = call_of(statement);
    const bool is_call = !clang::is_null(call);
    if (!is_call && pragma.form == Form::Myrmics) {
      return diagnostics_.error(
          place(statement),
          "expected a call of a function whose result is not used: task(arguments);");
    }
    const Expressions expressions = find_expressions(probe, pragma, edits_);
    std::vector<Argument> arguments;
    if (is_call) arguments = arguments_of(call, calls_);
    const AccessContext context{.source = source_,
                                .pragma = pragma,
                                .expressions = expressions,
                                .diagnostics = diagnostics_,
                                .call = &arguments,
                                .parameters = false};
    const std::vector<BoundAccess> accesses = bind_accesses(context);
    const Reads reads = is_call ? reads_accesses(call, accesses) : Reads::No;
    // What the arguments change, the caller must see, so it evaluates them in any case.
    const bool waits =
        reads == Reads::Maybe ||
        (reads == Reads::Yes && (arguments_change(call) || pragma.form == Form::Myrmics));
    const bool at_once = is_call && !says_what_is_shared(pragma) && (reads == Reads::No || waits) &&
                         (pragma.form == Form::Myrmics || is_plain(pragma, call));
    const auto bound = at_once ? bind_call(call, accesses, calls_) : std::nullopt;
    // A macro can make several arguments, which nothing can be told of.
    const bool counted = calls_.language == Language::Cxx ||
                         (bound && bound->given.size() == bound->parameters.size());
    if (bound && counted) {
      spawned_ = call;
      callees_.push_back(bound->callee.begin);
      add_call(pragma, *bound, call, accesses).waits = waits;
      if (waits) warn_of_wait(call, reads);
    } else {
      add_block(pragma, statement, expressions, accesses);
    }
  }

  void warn_of_wait(CXCursor call, Reads reads) {
    diagnostics_.warning(
        place(call),
        fmt::format("the arguments {} what the task declares, so the program waits for "
                    "that here: compute them before, or {}",
                    reads == Reads::Maybe ? "may read" : "read",
                    "put the call and its arguments in braces"));
  }

  // Whether it has clauses for blocks, so that even a call has to be one.
  static bool says_what_is_shared(const Pragma& pragma) {
    using Kind = Clause::Kind;
    return std::any_of(pragma.clauses.begin(), pragma.clauses.end(), [](const Clause& clause) {
      return clause.kind == Kind::Shared || clause.kind == Kind::Private ||
             clause.kind == Kind::DefaultShared || clause.kind == Kind::DefaultNone ||
             clause.kind == Kind::InReduction;
    });
  }

  // Whether the task may get the values of the arguments. Where the rules of OpenMP hold, a dependence
  // may stand for other memory than it names, which the task reads in its turn.
  [[nodiscard]] bool is_plain(const Pragma& pragma, CXCursor call) const {
    const bool region = nest_->region_of(pragma) != nullptr;
    const bool depends = std::any_of(pragma.clauses.begin(), pragma.clauses.end(),
                                     [](const Clause& clause) { return clause.depend; });
    if (region && calls_.language == Language::Cxx) return false;
    if (!region && !depends) return true;
    return has_plain_arguments(call, [&](CXCursor variable, bool address) {
      return !region || (!address && !nest_->is_shared(pragma, variable));
    });
  }

  [[nodiscard]] Span place(CXCursor cursor) const {
    const auto extent = clang::extent(cursor);
    return extent ? edits_.to_source(*extent) : Span{0, 0};
  }

  Site& add_call(const Pragma& pragma, const Call& bound, CXCursor call,
                 const std::vector<BoundAccess>& accesses) {
    Site& site = add_site(Site::Kind::Call, pragma, bound.callee.begin);
    site.statement = place(call);
    site.accesses = plain(accesses);
    site.call = bound;
    return site;
  }

  void add_block(const Pragma& pragma, CXCursor statement, const Expressions& expressions,
                 const std::vector<BoundAccess>& accesses) {
    Site* site = add_statement(Site::Kind::Block, pragma, statement);
    if (site == nullptr) return;
    site->accesses = plain(accesses);
    site->block = bind_block(statement, block_context(pragma, expressions, accesses));
  }

  [[nodiscard]] BlockContext block_context(const Pragma& pragma, const Expressions& expressions,
                                           const std::vector<BoundAccess>& accesses) {
    return {calls_.language, source_, edits_, pragma, expressions, accesses, diagnostics_, *nest_};
  }

  // Whether the last part of the statement is an expression; its last brace is no block's, as in
  // `x = S{1};`.
  static bool ends_with_value(CXCursor statement) {
    while (clang_isStatement(statement.kind) != 0 && statement.kind != CXCursor_CompoundStmt) {
      const std::vector<CXCursor> parts = clang::children(statement);
      if (parts.empty()) return false;
      statement = parts.back();
    }
    return clang_isExpression(statement.kind) != 0;
  }

  // Adds a site for the statement behind the pragma; nullptr after an error.
  Site* add_statement(Site::Kind kind, const Pragma& pragma, CXCursor statement) {
    if (!clang::extent(statement)) {
      diagnostics_.error(pragma.name, "the statement after the pragma cannot be translated");
      return nullptr;
    }
    const Span place_of = whole_statement(pragma, place(statement));
    Site& site = add_site(kind, pragma, pragma.span.begin);
    site.statement = place_of;
    const std::size_t next = token_from(tokens_, site.statement.end);
    const std::string_view text = source_.text(site.statement);
    const bool braced = text.ends_with(";") || (text.ends_with("}") && !ends_with_value(statement));
    const bool semicolon = next < tokens_.size() && source_.text(tokens_[next].span) == ";";
    if (semicolon && !braced) site.statement.end = tokens_[next].span.end;
    if (!semicolon && !braced) {
      diagnostics_.error(site.statement, "expected a call or a block in braces");
      return nullptr;
    }
    check_directives(source_, tokens_, {pragma.span.end, site.statement}, diagnostics_);
    check_alone(statement, site.statement);
    return &site;
  }

  void construct_site(const Pragma& pragma) {
    const Placed& placed = nest_->of(pragma);
    Site* site = add_statement(Site::Kind::Construct, pragma, placed.statement);
    if (site == nullptr) return;
    site->construct =
        bind_construct(placed, block_context(pragma, placed.expressions, site_without_accesses_));
  }

  void loop_site(const Pragma& pragma) {
    forbid_in_critical(pragma);
    const Placed& placed = nest_->of(pragma);
    const AccessContext context{source_, pragma, placed.expressions, diagnostics_, nullptr, false};
    const std::vector<BoundAccess> accesses = bind_accesses(context);
    const BlockContext block = block_context(pragma, placed.expressions, accesses);
    const auto loop = bind_loop(placed, block);
    Site* site = loop ? add_statement(Site::Kind::Block, pragma, placed.statement) : nullptr;
    if (site == nullptr) return;
    site->accesses = plain(accesses);
    site->loop = loop;
    site->loop->body.end = site->statement.end;
    site->block = bind_block(clang::children(placed.statement).back(), block,
                             loop_variable(placed.statement));
  }

  // Who waits in a critical region keeps it from those that the wait is for.
  void forbid_in_critical(const Pragma& pragma) {
    for (const Placed* outer = nest_->of(pragma).around; outer != nullptr; outer = outer->around) {
      if (!outer->pragma->has(Leaf::Critical)) continue;
      diagnostics_.error(pragma.name,
                         "tasks in a critical region may have to wait for tasks that wait for the "
                         "region: end the region first");
      return;
    }
  }

  // A statement that begins with a macro may seem to begin at the macro's argument.
  Span whole_statement(const Pragma& pragma, Span span) {
    std::size_t first = token_from(tokens_, pragma.span.end);
    while (first < tokens_.size() && tokens_[first].kind == TokenKind::Directive) ++first;
    if (first >= tokens_.size() || tokens_[first].span.begin >= span.begin) return span;
    span.begin = tokens_[first].span.begin;
    int depth = 0;
    for (std::size_t i = first; i < tokens_.size() && tokens_[i].span.end <= span.end; ++i) {
      const std::string_view text = source_.text(tokens_[i].span);
      depth += text == "(" ? 1 : text == ")" ? -1 : 0;
    }
    if (depth != 0) {
      diagnostics_.error(span,
                         "the task is part of a macro's argument: write it outside of the macro");
    }
    return span;
  }

  // The code of a block goes behind its function, the clauses of a declaration before that of a call.
  // What the clauses of an annotated function say is computed behind the function that calls it.
  void find_moved_macros() {
    for (const Site& site : reading_.sites) {
      if (!site.annotated || site.enclosing == nullptr) continue;
      const Span pragma = site.pragma->span;
      check_macros(source_, tokens_, pragma, {pragma.end, site.enclosing->after}, skipped_,
                   diagnostics_);
    }
  }

  // A macro may make several statements, of which only the first is the task.
  void check_alone(CXCursor statement, Span span) {
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor parent) {
      const auto extent = clang::extent(cursor);
      if (!extent) return clang_getCursorKind(parent) != CXCursor_TranslationUnit;
      const Span at = edits_.to_source(*extent);
      if (at.end <= span.begin || at.begin >= span.end) return false;
      if (clang::same(cursor, statement) || cursor.kind == CXCursor_NullStmt) return false;
      if (clang_getCursorKind(parent) == CXCursor_CompoundStmt && span.contains(at.begin)) {
        diagnostics_.error(
            span,
            "this macro expands to more than one statement, and only the first would be the task: "
            "put braces around it, or inside the macro's definition");
        return false;
      }
      return true;
    });
  }

  [[nodiscard]] const Annotation* annotation(CXCursor function) const {
    if (clang::is_null(function)) return nullptr;
    const auto found = annotations_.find(clang::take(clang_getCursorUSR(function)));
    return found == annotations_.end() ? nullptr : &found->second;
  }

  void annotated_call(CXCursor call) {
    const Annotation* found = annotation(clang_getCursorReferenced(call));
    if (found == nullptr || place(call).begin < found->pragma->span.begin) return;
    auto bound = bind_call(call, {}, calls_);
    if (!bound || bound->parameters.size() != found->parameters.size()) {
      callees_.push_back(place(call).begin);
      return diagnostics_.error(place(call),
                                "this call of a task cannot be translated: write the "
                                "function's name and all its arguments out");
    }
    callees_.push_back(bound->callee.begin);
    std::vector<bool> by_reference;
    for (const CXCursor parameter : found->parameters) {
      by_reference.push_back(is_accessed_reference(*found, parameter));
    }
    if (reads_accesses(call, of_arguments(*found, call), by_reference) != Reads::No) {
      diagnostics_.error(place(call),
                         "an argument of this task may read too early what the task declares: wait "
                         "for that memory before the call, and compute the argument in a variable");
    }
    bool all_named = true;
    for (std::size_t i = 0; i < bound->parameters.size(); ++i) {
      name_parameter(bound->parameters[i], *found, i,
                     clang_Cursor_getArgument(call, static_cast<unsigned>(i)));
      all_named = all_named && !clang::spelling(found->parameters[i]).empty();
    }
    if (all_named) bound->signature = found->signature;
    add_call(*found->pragma, *bound, call, found->accesses).annotated = true;
  }

  // The accesses of an annotated function, as far as arguments of a call lead to them.
  static std::vector<BoundAccess> of_arguments(const Annotation& annotation, CXCursor call) {
    std::vector<BoundAccess> accesses;
    for (std::size_t i = 0; i < annotation.parameters.size(); ++i) {
      const CXCursor parameter = annotation.parameters[i];
      const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
      for (const BoundAccess& access : annotation.accesses) {
        if (!leads_from(access.base, parameter)) continue;
        const bool reference = clang_getCursorType(parameter).kind == CXType_LValueReference;
        BoundAccess& one = accesses.emplace_back(access);
        one.base = argument;
        one.access.kind = reference ? Access::Kind::Place : Access::Kind::Object;
      }
    }
    return accesses;
  }
  static bool leads_from(CXCursor base, CXCursor parameter) {
    const auto names = [&](CXCursor cursor) {
      return cursor.kind == CXCursor_DeclRefExpr &&
             clang::same(clang_getCursorReferenced(cursor), parameter);
    };
    const CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(parameter)).kind;
    bool found = names(base);
    clang::walk(base, [&](CXCursor cursor, CXCursor) {
      found = found || names(cursor);
      return true;
    });
    return found && (is_pointer(parameter) || kind == CXType_LValueReference);
  }

  // Connects a parameter with its uses in the clauses.
  void name_parameter(Parameter& parameter, const Annotation& annotation, std::size_t index,
                      CXCursor argument) const {
    const CXCursor declared = annotation.parameters[index];
    const std::string name = clang::spelling(declared);
    if (calls_.language == Language::C && !name.empty()) parameter.name = name;
    if (calls_.language == Language::Cxx) parameter.uses = annotation.uses[index];
    // What a temporary holds, the task keeps.
    if (is_accessed_reference(annotation, declared) && !is_temporary(argument)) {
      parameter.passing = Parameter::Passing::Reference;
    }
  }
  static bool is_accessed_reference(const Annotation& annotation, CXCursor parameter) {
    std::size_t access = 0;
    return clang_getCursorType(parameter).kind == CXType_LValueReference &&
           leads_to(annotation.accesses, parameter, access) != Leads::No;
  }

  void forbid_address(CXCursor cursor) {
    const Annotation* found = annotation(clang_getCursorReferenced(cursor));
    const Span where = place(cursor);
    if (found == nullptr || where.begin < found->pragma->span.begin) return;
    if (std::find(callees_.begin(), callees_.end(), where.begin) != callees_.end()) return;
    diagnostics_.error(
        where, "this function is a task: it can be called, but its address cannot be taken");
  }

  void find_main() {
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor) {
      const bool found = cursor.kind == CXCursor_FunctionDecl && !main_function_.empty() &&
                         clang_isCursorDefinition(cursor) != 0 && clang::offset(cursor) &&
                         clang::spelling(cursor) == main_function_;
      if (found) bind_main(cursor);
      return false;
    });
  }

  void bind_main(CXCursor cursor) {
    MainFunction main{main_function_, {}, clang_getCursorResultType(cursor).kind != CXType_Void};
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
      const CXCursor parameter = clang_Cursor_getArgument(cursor, static_cast<unsigned>(i));
      if (!is_integer(clang_getCursorType(parameter))) {
        diagnostics_.error(place(parameter), "the parameters of a main function must be integers");
      }
      main.parameters.push_back(clang::spelling(parameter));
    }
    reading_.main = std::move(main);
  }

  // A call in a template that may turn out to be one of a task.
  void forbid_overload(CXCursor cursor) {
    for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); ++i) {
      if (annotation(clang_getOverloadedDecl(cursor, i)) == nullptr) continue;
      diagnostics_.error(place(cursor),
                         "which function this calls depends on the template, and one "
                         "of them is a task: write the pragma before the call");
    }
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  const ReadOptions& options_;
  clang::Unit unit_;
  Edits edits_;
  std::string main_function_;
  bool openmp_;
  CallContext calls_;
  std::optional<Source> expanded_;
  std::vector<Span> skipped_;
  std::optional<Outline> outline_;
  Reading reading_;
  std::map<std::size_t, Pragma*> pragma_at_;
  std::optional<Nest> nest_;
  const std::vector<BoundAccess> site_without_accesses_;
  std::map<std::string, Annotation> annotations_;  // by the function's id
  std::vector<std::size_t> callees_;               // places where annotated functions are called
  CXCursor spawned_ = clang_getNullCursor();       // the call that its own pragma makes a task
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
