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
#include "translate/parse/function_names.hpp"
#include "translate/parse/nest.hpp"
#include "translate/parse/plain.hpp"
#include "translate/parse/probe.hpp"
#include "translate/parse/reads.hpp"
#include "translate/parse/task_function.hpp"

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
    find_annotations();
    find_sites();
    for (auto& [id, annotation] : annotations_) add_function(annotation);
    find_moved_macros();
    find_main();
    if (diagnostics_.has_errors()) return std::nullopt;
    failure = ReadFailure::None;
    return std::move(reading_);
  }

 private:
  // Where a function that is a task is defined.
  struct Definition {
    Span name;
    std::optional<Disguised> disguised;
  };

  // A pragma before a function's declaration.
  struct Annotation {
    const Pragma* pragma = nullptr;
    const Function* function = nullptr;
    std::vector<BoundAccess> accesses;
    std::vector<CXCursor> parameters;  // of the probe
    std::optional<TaskFunction> bound;
    std::vector<Definition> definitions;
    std::optional<std::size_t> used_before;  // the pragma, in C: by the body
    bool passed = false;                     // what is in headers now stands behind it
    bool used = false;
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

  // The accesses of annotated functions, from their probes.
  void find_annotations() {
    std::map<std::string, std::size_t> probes;
    for (std::size_t i = 0; i < reading_.pragmas.size(); ++i) {
      probes[fmt::format("myrcc_probe_{}", i)] = i;
    }
    std::map<std::size_t, CXCursor> declared;
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor parent) {
      const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
      if (top && !clang::offset(cursor)) return false;
      if (!is_function(cursor)) return true;
      const auto probe = probes.find(clang::spelling(cursor));
      if (probe != probes.end()) {
        annotate(reading_.pragmas[probe->second], cursor, declared);
      } else {
        declared.emplace(place(cursor).begin, cursor);
      }
      return true;
    });
  }

  void annotate(const Pragma& pragma, CXCursor probe,
                const std::map<std::size_t, CXCursor>& declared) {
    const Function* function = annotated_function(pragma, *outline_, tokens_);
    const Expressions expressions = find_expressions(probe, pragma, edits_);
    const AccessContext context{.source = source_,
                                .pragma = pragma,
                                .expressions = expressions,
                                .diagnostics = diagnostics_,
                                .call = nullptr,
                                .parameters = true};
    Annotation& annotation = annotations_[function->id];
    annotation = {.pragma = &pragma, .function = function, .accesses = bind_accesses(context)};
    std::vector<bool> in_place;
    for (const CXCursor child : clang::children(probe)) {
      if (child.kind != CXCursor_ParmDecl) continue;
      annotation.parameters.push_back(child);
      in_place.push_back(is_accessed_reference(annotation, child));
    }
    const auto found = declared.find(function->extent.begin);
    if (found == declared.end()) {
      diagnostics_.error(pragma.name, "a macro declares this task");
      return;
    }
    annotation.bound =
        bind_task_function(found->second, *function, in_place,
                           {calls_.language, source_, tokens_, edits_, diagnostics_});
  }

  // Another function under the name of the annotated one.
  void add_function(const Annotation& annotation) {
    const bool c = calls_.language == Language::C;
    if (!annotation.bound || (c && !annotation.used)) return;
    const TaskFunction& function = *annotation.bound;
    reading_.enclosings.push_back(
        {function.name, c ? function.before : outline_->top_begin(function.before)});
    Site& site = reading_.sites.emplace_back();
    site.kind = Site::Kind::Function;
    site.pragma = annotation.pragma;
    site.enclosing = &reading_.enclosings.back();
    site.statement = annotation.function->name_span;
    site.accesses = plain(annotation.accesses);
    site.function = function;
    add_conditions(site);
    for (const Definition& definition : annotation.definitions) {
      reading_.renamed.push_back({definition.name, body_name(function.name)});
      if (definition.disguised) reading_.disguised.push_back(*definition.disguised);
      if (definition.name.begin < function.before && !function.is_method) {
        declare_before(function, definition.name);
      }
    }
    if (annotation.used_before) declare_body(function, *annotation.used_before, "");
  }

  // A definition before the pragma declares the function no more, once it has another name.
  void declare_before(const TaskFunction& function, Span name) {
    for (const Function& defined : outline_->functions()) {
      if (defined.name_span.begin != name.begin || !defined.body) continue;
      declare_body(function, defined.before,
                   one_line(source_, {defined.before, defined.body->begin}) + "; ");
    }
  }

  // In C, for what stands before the pragma.
  void declare_body(const TaskFunction& function, std::size_t before, const std::string& first) {
    const std::string body = body_name(function.name);
    reading_.prototypes.push_back(
        {outline_->top_begin(before),
         first + (function.symbol.empty()
                      ? fmt::format("static __typeof__({}) {};", function.name, body)
                      : fmt::format("__typeof__({}) {} __asm__(\"{}\");", function.name, body,
                                    function.symbol))});
  }

  void find_sites() {
    for (Pragma& pragma : reading_.pragmas) pragma_at_[pragma.span.begin] = &pragma;
    nest_.emplace(unit_.root(), pragma_at_, edits_);
    nest_->leave_others(openmp_);
    clang::walk(unit_.root(), [&](CXCursor cursor, CXCursor parent) {
      const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
      if (top && !clang::offset(cursor)) {
        read_header(cursor);
        return false;
      }
      if (is_function(cursor)) {
        if (is_probe(cursor)) return false;
        note_definition(cursor);
      }
      visit(cursor, parent);
      return true;
    });
  }

  // Passes what was put behind an annotated function.
  bool is_probe(CXCursor function) {
    const std::string name = clang::spelling(function);
    if (!name.starts_with("myrcc_probe_")) return false;
    for (auto& [id, annotation] : annotations_) {
      const auto index = static_cast<std::size_t>(annotation.pragma - reading_.pragmas.data());
      annotation.passed = annotation.passed || name == fmt::format("myrcc_probe_{}", index);
    }
    return true;
  }

  std::optional<Disguised> disguise(CXCursor tree, const std::string& name) {
    bool both = false;
    auto disguised = disguise_of(tree, name, both);
    if (both) {
      diagnostics_.error(place(tree),
                         "this task and a function inside of it ask for their names, as __func__ "
                         "does: hand the name on in a variable");
    }
    return disguised;
  }

  // The user's code of an annotated function is to get another name.
  void note_definition(CXCursor function) {
    Annotation* const found = annotation(function);
    if (found == nullptr) return;
    if (!clang::is_null(clang_getSpecializedCursorTemplate(function))) {
      return diagnostics_.error(place(function), "the template of a task cannot be specialized");
    }
    if (clang_isCursorDefinition(function) == 0) return;
    const std::size_t at = edits_.to_source(clang::offset(function).value_or(0));
    const Span name{at, at + found->function->name.size()};
    if (source_.text(name) != found->function->name) {
      return diagnostics_.error(place(function), "a macro defines this task");
    }
    const bool before = name.begin < found->pragma->span.begin;
    if (before && calls_.language == Language::Cxx && !found->function->is_method) {
      return report_early(function, *found);
    }
    const Span whole = place(function);
    const std::size_t begin = declaration_begin(source_, tokens_, whole.begin);
    found->definitions.push_back({name, disguise(function, found->function->name)});
    if (auto& disguised = found->definitions.back().disguised) {
      disguised->span = {begin, whole.end};
    }
  }

  void visit(CXCursor cursor, CXCursor parent) {
    if (cursor.kind == CXCursor_WhileStmt) {
      const auto extent = clang::extent(cursor);
      const auto pragma =
          extent ? pragma_at_.find(edits_.to_source(extent->begin)) : pragma_at_.end();
      if (pragma == pragma_at_.end()) return;
      pragma_site(*pragma->second, cursor, parent);
    } else if (cursor.kind == CXCursor_CallExpr) {
      check_call(cursor);
    } else if (cursor.kind == CXCursor_DeclRefExpr) {
      note_use(cursor);
      note_routine(cursor);
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
      return reading_.renamed.push_back({where, std::string(routine->second)});
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
      if (known.before == before && known.name == function->name) return &known;
    }
    reading_.enclosings.push_back({function->name, before});
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
    add_conditions(site);
    return site;
  }

  static void add_conditions(Site& site) {
    for (const Clause& clause : site.pragma->clauses) {
      if (clause.kind == Clause::Kind::If) site.apart = clause.value;
      if (clause.kind == Clause::Kind::Final) site.final = clause.value;
      if (clause.kind == Clause::Kind::Priority) site.priority = clause.value;
    }
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
    return {calls_.language, source_,      edits_, pragma,           expressions,
            accesses,        diagnostics_, *nest_, options_.by_clang};
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

  // What the clauses of an annotated function say is computed behind its declaration.
  void find_moved_macros() {
    for (const Site& site : reading_.sites) {
      if (!site.function) continue;
      const Span pragma = site.pragma->span;
      check_macros(source_, tokens_, pragma, {pragma.end, site.function->behind.end}, skipped_,
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

  // The annotation of a function, or of the template that it is made from.
  [[nodiscard]] Annotation* annotation(CXCursor function) {
    if (annotations_.empty() || clang::is_null(function)) return nullptr;
    const CXCursor general = clang_getSpecializedCursorTemplate(function);
    const CXCursor declared = clang::is_null(general) ? function : general;
    const auto found = annotations_.find(clang::take(clang_getCursorUSR(declared)));
    return found == annotations_.end() ? nullptr : &found->second;
  }

  // Whether the cursor stands behind the pragma of the function.
  [[nodiscard]] bool is_behind(CXCursor cursor, const Annotation& annotation) const {
    const auto at = clang::offset(cursor);
    return at ? edits_.to_source(*at) > annotation.pragma->span.begin : annotation.passed;
  }

  // The task's copy of what a constant reference is bound to is an object of the reference's class.
  void forbid_slice(CXCursor call, CXCursor function, unsigned index) {
    const CXCursor argument = clang_Cursor_getArgument(call, index);
    const CXCursor parameter = clang_Cursor_getArgument(function, index);
    if (clang::is_null(argument) || clang::is_null(parameter)) return;
    const auto class_of = [](CXCursor cursor) {
      const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
      return clang_getUnqualifiedType(clang_getNonReferenceType(type));
    };
    const CXType taken = class_of(parameter);
    const CXType given = class_of(clang::without_casts(argument));
    const CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
    const bool copied = type.kind == CXType_LValueReference &&
                        clang_isConstQualifiedType(clang_getNonReferenceType(type)) != 0;
    if (!copied || !is_class(taken) || !is_class(given) || is_dependent(given)) return;
    if (clang_equalTypes(taken, given) != 0) return;
    report(argument,
           "the task's copy of this object would lose a part of it, as the function takes one of a "
           "base class: name it in an access, or pass a pointer");
  }

  // Arguments are evaluated at the call.
  void check_call(CXCursor call) {
    const CXCursor callee = clang_getCursorReferenced(call);
    const Annotation* found = annotation(callee);
    if (found == nullptr || !is_behind(call, *found)) return;
    for (std::size_t i = 0; found->bound && i < found->bound->parameters.size(); ++i) {
      const bool in_place = found->bound->parameters[i].in_place;
      if (!in_place && calls_.language == Language::Cxx) {
        forbid_slice(call, callee, static_cast<unsigned>(i));
      }
    }
    std::vector<bool> by_reference;
    for (const CXCursor parameter : found->parameters) {
      by_reference.push_back(is_accessed_reference(*found, parameter));
    }
    if (reads_accesses(call, of_arguments(*found, call), by_reference) == Reads::No) return;
    report(call,
           "an argument of this task may read too early what the task declares: wait for that "
           "memory before the call, and compute the argument in a variable");
  }

  // An error about something in the main file, or in a header.
  void report(CXCursor cursor, const std::string& text) {
    if (clang::offset(cursor)) return diagnostics_.error(place(cursor), text);
    CXFile file = nullptr;
    unsigned line = 0;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, &line, nullptr, nullptr);
    diagnostics_.error({0, 0},
                       fmt::format("{}:{}: {}", clang::take(clang_getFileName(file)), line, text));
  }

  void report_early(CXCursor cursor, const Annotation& annotation) {
    report(cursor, fmt::format("'{}' is used before the pragma that makes it a task: write the "
                               "pragma at its first declaration",
                               annotation.function->name));
  }

  // Headers that have no pragmas may use functions that are tasks.
  void read_header(CXCursor top) {
    const bool system = clang_Location_isInSystemHeader(clang_getCursorLocation(top)) != 0;
    if (system || annotations_.empty()) return;
    clang::walk(top, [this](CXCursor cursor, CXCursor) {
      if (cursor.kind == CXCursor_CallExpr) check_call(cursor);
      if (cursor.kind == CXCursor_DeclRefExpr) note_use(cursor);
      return true;
    });
  }

  // Before its pragma, a function is none that is a task.
  void note_use(CXCursor cursor) {
    Annotation* const found = annotation(clang_getCursorReferenced(cursor));
    if (found == nullptr) return;
    const bool behind = is_behind(cursor, *found);
    found->used = found->used || behind;
    if (behind || found->function->is_method) return;
    const Span where = place(cursor);
    const bool here = clang::offset(cursor) && source_.text(where) == found->function->name;
    if (!here || calls_.language == Language::Cxx) {
      return report_early(cursor, *found);
    }
    if (!found->used_before) found->used_before = where.begin;
    reading_.renamed.push_back({where, body_name(found->function->name)});
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

  static bool is_accessed_reference(const Annotation& annotation, CXCursor parameter) {
    std::size_t access = 0;
    return clang_getCursorType(parameter).kind == CXType_LValueReference &&
           leads_to(annotation.accesses, parameter, access) != Leads::No;
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
