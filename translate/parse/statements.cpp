// SPDX-License-Identifier: Apache-2.0
//
// Statements: see statements.hpp.

#include "translate/parse/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/parse/construct.hpp"
#include "translate/parse/directives.hpp"
#include "translate/parse/plain.hpp"

namespace myr::translate {

void Statements::add(const Pragma& pragma, CXCursor probe, CXCursor parent) {
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
    case PragmaKind::Unknown:
      return;
  }
}

void Statements::note_routine(CXCursor cursor) {
  static const std::map<std::string_view, std::string_view> routines = {
      {"omp_get_thread_num", "(int)myr_worker_index"},
      {"omp_get_num_threads", "(int)myr_worker_count"},
      {"omp_get_max_threads", "(int)myr_worker_count"},
      {"omp_in_final", "myr_in_final"},
  };
  const std::string name = clang::spelling(cursor);
  const auto routine = routines.find(name);
  const bool lock = name.starts_with("omp_") && name.ends_with("_nest_lock");
  if ((routine == routines.end() && !lock) || !nest_.has_tasks()) return;
  const Span where = tree_.place(cursor);
  const Nest::Doer doer = nest_.doer_of(clang::offset(cursor).value_or(0));
  if (doer == Nest::Doer::Compiler) return;
  if (lock) {
    return tree_.diagnostics.error(
        where, fmt::format("'{}' knows only the tasks of your compiler's OpenMP, not these: use "
                           "critical, or a lock of your own",
                           name));
  }
  if (doer == Nest::Doer::One && tree_.source.text(where) == name) {
    return tree_.reading.renamed.push_back({where, std::string(routine->second)});
  }
  tree_.diagnostics.error(
      where,
      fmt::format(
          "'{}' counts the threads of a team, but one thread runs a region with tasks: call it "
          "inside a task or single, or call myr_worker_index() and myr_worker_count()",
          name));
}

const Enclosing* Statements::enclosing(std::size_t offset) {
  const Function* function = tree_.outline.outermost(offset);
  if (function == nullptr) return nullptr;
  const bool c = tree_.language == Language::C;
  const std::size_t before = c ? function->before : tree_.outline.top_begin(offset);
  for (const Enclosing& known : tree_.reading.enclosings) {
    if (known.before == before && known.name == function->name) return &known;
  }
  tree_.reading.enclosings.push_back({function->name, before});
  return &tree_.reading.enclosings.back();
}

Site& Statements::add_site(Site::Kind kind, const Pragma& pragma, std::size_t offset) {
  Site& site = tree_.reading.sites.emplace_back();
  site.kind = kind;
  site.pragma = &pragma;
  site.enclosing = enclosing(offset);
  if (site.enclosing == nullptr) {
    tree_.diagnostics.error({offset, offset + 1}, "a task can only be spawned inside a function");
  }
  add_conditions(site);
  return site;
}

void Statements::wait_site(const Pragma& pragma, CXCursor probe, CXCursor parent) {
  switch (clang_getCursorKind(parent)) {
    case CXCursor_CompoundStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
      break;
    default:
      tree_.diagnostics.error(
          pragma.name,
          "without braces, the pragma would hide the statement that follows it: write { and }");
      return;
  }
  if (pragma.has(Leaf::TaskYield)) return;
  forbid_in_critical(pragma);
  const Expressions expressions = find_expressions(probe, pragma, tree_.edits);
  const AccessContext context{tree_.source, pragma, expressions, tree_.diagnostics, nullptr, false};
  Site& site = add_site(Site::Kind::Wait, pragma, pragma.span.begin);
  site.accesses = unbound(bind_accesses(context));
}

void Statements::task_site(const Pragma& pragma, CXCursor probe) {
  forbid_in_critical(pragma);
  const CXCursor statement = clang::children(probe).back();
  const CXCursor call = call_of(statement);
  const bool is_call = !clang::is_null(call);
  if (!is_call && pragma.form == Form::Myrmics) {
    return tree_.diagnostics.error(
        tree_.place(statement),
        "expected a call of a function whose result is not used: task(arguments);");
  }
  const Expressions expressions = find_expressions(probe, pragma, tree_.edits);
  std::vector<Argument> arguments;
  if (is_call) arguments = arguments_of(call, tree_);
  const AccessContext context{.source = tree_.source,
                              .pragma = pragma,
                              .expressions = expressions,
                              .diagnostics = tree_.diagnostics,
                              .call = &arguments,
                              .parameters = false};
  const std::vector<BoundAccess> accesses = bind_accesses(context);
  const Reads reads = is_call ? reads_accesses(call, accesses) : Reads::No;
  // The caller must see what the arguments change, so it evaluates them in any case.
  const bool waits =
      reads == Reads::Maybe ||
      (reads == Reads::Yes && (arguments_change(call) || pragma.form == Form::Myrmics));
  const bool at_once = is_call && !says_what_is_shared(pragma) && (reads == Reads::No || waits) &&
                       (pragma.form == Form::Myrmics || is_plain(pragma, call));
  const auto bound = at_once ? bind_call(call, accesses, tree_) : std::nullopt;
  // A macro can make several arguments, which nothing can be told of.
  const bool counted =
      tree_.language == Language::Cxx || (bound && bound->given.size() == bound->parameters.size());
  if (bound && counted) {
    add_call(pragma, *bound, call, accesses).waits = waits;
    if (waits) warn_of_wait(call, reads);
  } else {
    add_block(pragma, statement, expressions, accesses);
  }
}

void Statements::warn_of_wait(CXCursor call, Reads reads) {
  tree_.diagnostics.warning(
      tree_.place(call),
      fmt::format("the arguments {} what the task declares, so the program waits for "
                  "that here: compute them before, or {}",
                  reads == Reads::Maybe ? "may read" : "read",
                  "put the call and its arguments in braces"));
}

bool Statements::says_what_is_shared(const Pragma& pragma) {
  using Kind = Clause::Kind;
  return std::any_of(pragma.clauses.begin(), pragma.clauses.end(), [](const Clause& clause) {
    return clause.kind == Kind::Shared || clause.kind == Kind::Private ||
           clause.kind == Kind::DefaultShared || clause.kind == Kind::DefaultNone ||
           clause.kind == Kind::InReduction || clause.kind == Kind::OnReady;
  });
}

bool Statements::is_plain(const Pragma& pragma, CXCursor call) const {
  const bool region = nest_.region_of(pragma) != nullptr;
  const bool depends = std::any_of(pragma.clauses.begin(), pragma.clauses.end(),
                                   [](const Clause& clause) { return clause.depend; });
  if (region && tree_.language == Language::Cxx) return false;
  if (!region && !depends) return true;
  return has_plain_arguments(call, [&](CXCursor variable, bool address) {
    return !region || (!address && !nest_.is_shared(pragma, variable));
  });
}

Site& Statements::add_call(const Pragma& pragma, const Call& bound, CXCursor call,
                           const std::vector<BoundAccess>& accesses) {
  Site& site = add_site(Site::Kind::Call, pragma, bound.callee.begin);
  site.statement = tree_.place(call);
  site.accesses = unbound(accesses);
  site.call = bound;
  return site;
}

void Statements::add_block(const Pragma& pragma, CXCursor statement, const Expressions& expressions,
                           const std::vector<BoundAccess>& accesses) {
  Site* site = add_statement(Site::Kind::Block, pragma, statement);
  if (site == nullptr) return;
  site->accesses = unbound(accesses);
  site->block = bind_block(statement, block_context(pragma, expressions, accesses));
}

BlockContext Statements::block_context(const Pragma& pragma, const Expressions& expressions,
                                       const std::vector<BoundAccess>& accesses) {
  return {tree_.language,    tree_.source, tree_.edits,           pragma, expressions, accesses,
          tree_.diagnostics, nest_,        tree_.options.by_clang};
}

bool Statements::ends_with_value(CXCursor statement) {
  while (clang_isStatement(statement.kind) != 0 && statement.kind != CXCursor_CompoundStmt) {
    const std::vector<CXCursor> parts = clang::children(statement);
    if (parts.empty()) return false;
    statement = parts.back();
  }
  return clang_isExpression(statement.kind) != 0;
}

Site* Statements::add_statement(Site::Kind kind, const Pragma& pragma, CXCursor statement) {
  if (!clang::extent(statement)) {
    tree_.diagnostics.error(pragma.name, "the statement after the pragma cannot be translated");
    return nullptr;
  }
  const bool in_loop = pragma.has(Leaf::TaskIter);
  const Span place_of =
      in_loop ? tree_.place(statement) : whole_statement(pragma, tree_.place(statement));
  Site& site = add_site(kind, pragma, pragma.span.begin);
  site.statement = place_of;
  const std::size_t next = token_from(tree_.tokens, site.statement.end);
  const std::string_view text = tree_.source.text(site.statement);
  const bool braced = text.ends_with(";") || (text.ends_with("}") && !ends_with_value(statement));
  const bool semicolon =
      next < tree_.tokens.size() && tree_.source.text(tree_.tokens[next].span) == ";";
  if (semicolon && !braced) site.statement.end = tree_.tokens[next].span.end;
  if (!semicolon && !braced) {
    tree_.diagnostics.error(site.statement, "expected a call or a block in braces");
    return nullptr;
  }
  const std::size_t before = in_loop ? site.statement.begin : pragma.span.end;
  check_directives(tree_.source, tree_.tokens, {before, site.statement}, tree_.diagnostics);
  check_alone(statement, site.statement);
  return &site;
}

CXCursor Statements::body_of(CXCursor loop) {
  const std::vector<CXCursor> parts = clang::children(loop);
  switch (loop.kind) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_CXXForRangeStmt:
      return parts.back();
    case CXCursor_DoStmt:
      return parts.front();
    default:
      return clang_getNullCursor();
  }
}

void Statements::construct_site(const Pragma& pragma) {
  Placed placed = nest_.of(pragma);
  if (pragma.has(Leaf::TaskIter)) {
    placed.statement = body_of(placed.statement);
    if (clang::is_null(placed.statement)) {
      return tree_.diagnostics.error(pragma.name, "expected a loop after the pragma");
    }
    placed.extent = clang::extent(placed.statement).value_or(placed.extent);
  }
  Site* site = add_statement(Site::Kind::Construct, pragma, placed.statement);
  if (site == nullptr) return;
  site->construct = bind_construct(placed, block_context(pragma, placed.expressions, {}));
}

void Statements::loop_site(const Pragma& pragma) {
  forbid_in_critical(pragma);
  const Placed& placed = nest_.of(pragma);
  const AccessContext context{tree_.source,      pragma,  placed.expressions,
                              tree_.diagnostics, nullptr, false};
  const std::vector<BoundAccess> accesses = bind_accesses(context);
  const BlockContext block = block_context(pragma, placed.expressions, accesses);
  const auto loop = bind_loop(placed, block);
  Site* site = loop ? add_statement(Site::Kind::Block, pragma, placed.statement) : nullptr;
  if (site == nullptr) return;
  site->accesses = unbound(accesses);
  site->loop = loop;
  site->loop->body.end = site->statement.end;
  site->block =
      bind_block(clang::children(placed.statement).back(), block, loop_variable(placed.statement));
}

void Statements::forbid_in_critical(const Pragma& pragma) {
  for (const Placed* outer = nest_.of(pragma).around; outer != nullptr; outer = outer->around) {
    if (!outer->pragma->has(Leaf::Critical)) continue;
    tree_.diagnostics.error(
        pragma.name,
        "tasks in a critical region may have to wait for tasks that wait for the "
        "region: end the region first");
    return;
  }
}

Span Statements::whole_statement(const Pragma& pragma, Span span) {
  std::size_t first = token_from(tree_.tokens, pragma.span.end);
  while (first < tree_.tokens.size() && tree_.tokens[first].kind == TokenKind::Directive) ++first;
  if (first >= tree_.tokens.size() || tree_.tokens[first].span.begin >= span.begin) return span;
  span.begin = tree_.tokens[first].span.begin;
  int depth = 0;
  for (std::size_t i = first; i < tree_.tokens.size() && tree_.tokens[i].span.end <= span.end;
       ++i) {
    const std::string_view text = tree_.source.text(tree_.tokens[i].span);
    depth += text == "(" ? 1 : text == ")" ? -1 : 0;
  }
  if (depth != 0) {
    tree_.diagnostics.error(
        span, "the task is part of a macro's argument: write it outside of the macro");
  }
  return span;
}

void Statements::check_alone(CXCursor statement, Span span) {
  clang::walk(tree_.unit.root(), [&](CXCursor cursor, CXCursor parent) {
    const auto extent = clang::extent(cursor);
    if (!extent) return clang_getCursorKind(parent) != CXCursor_TranslationUnit;
    const Span at = tree_.edits.to_source(*extent);
    if (at.end <= span.begin || at.begin >= span.end) return false;
    if (clang::same(cursor, statement) || cursor.kind == CXCursor_NullStmt) return false;
    if (clang_getCursorKind(parent) == CXCursor_CompoundStmt && span.contains(at.begin)) {
      tree_.diagnostics.error(
          span,
          "this macro expands to more than one statement, and only the first would be the task: "
          "put braces around it, or inside the macro's definition");
      return false;
    }
    return true;
  });
}

}  // namespace myr::translate
