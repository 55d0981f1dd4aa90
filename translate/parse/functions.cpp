// SPDX-License-Identifier: Apache-2.0
//
// Functions: see functions.hpp.

#include "translate/parse/functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "translate/parse/directives.hpp"
#include "translate/parse/function_names.hpp"
#include "translate/parse/probe.hpp"
#include "translate/parse/reads.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {

void Functions::find() {
  std::map<std::string, std::size_t> probes;
  for (std::size_t i = 0; i < tree_.reading.pragmas.size(); ++i) {
    probes[fmt::format("myrcc_probe_{}", i)] = i;
  }
  std::map<std::size_t, CXCursor> declared;
  clang::walk(tree_.unit.root(), [&](CXCursor cursor, CXCursor parent) {
    const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
    if (top && !clang::offset(cursor)) return false;
    if (!is_function(cursor)) return true;
    const auto probe = probes.find(clang::spelling(cursor));
    if (probe != probes.end()) {
      annotate(tree_.reading.pragmas[probe->second], cursor, declared);
    } else {
      declared.emplace(tree_.place(cursor).begin, cursor);
    }
    return true;
  });
}

bool Functions::is_probe(CXCursor function) {
  const std::string name = clang::spelling(function);
  if (!name.starts_with("myrcc_probe_")) return false;
  for (auto& [id, annotation] : annotations_) {
    const auto index = static_cast<std::size_t>(annotation.pragma - tree_.reading.pragmas.data());
    annotation.passed = annotation.passed || name == fmt::format("myrcc_probe_{}", index);
  }
  return true;
}

void Functions::note_definition(CXCursor function) {
  Annotation* const found = annotation(function);
  if (found == nullptr) return;
  if (!clang::is_null(clang_getSpecializedCursorTemplate(function))) {
    return tree_.diagnostics.error(tree_.place(function),
                                   "the template of a task cannot be specialized");
  }
  if (clang_isCursorDefinition(function) == 0) return;
  const std::size_t at = tree_.edits.to_source(clang::offset(function).value_or(0));
  const Span name{at, at + found->function->name.size()};
  if (tree_.source.text(name) != found->function->name) {
    return tree_.diagnostics.error(tree_.place(function), "a macro defines this task");
  }
  const bool before = name.begin < found->pragma->span.begin;
  if (before && tree_.language == Language::Cxx && !found->function->is_method) {
    return report_early(function, *found);
  }
  const Span whole = tree_.place(function);
  const std::size_t begin = declaration_begin(tree_.source, tree_.tokens, whole.begin);
  found->definitions.push_back({name, disguise(function, found->function->name)});
  if (auto& disguised = found->definitions.back().disguised) {
    disguised->span = {begin, whole.end};
  }
}

void Functions::check_call(CXCursor call) {
  const CXCursor callee = clang_getCursorReferenced(call);
  const Annotation* found = annotation(callee);
  if (found == nullptr || !is_behind(call, *found)) return;
  for (std::size_t i = 0; found->bound && i < found->bound->parameters.size(); ++i) {
    const bool in_place = found->bound->parameters[i].in_place;
    if (!in_place && tree_.language == Language::Cxx) {
      forbid_slice(call, callee, static_cast<unsigned>(i));
    }
  }
  std::vector<bool> by_reference;
  for (const CXCursor parameter : found->parameters) {
    by_reference.push_back(is_accessed_reference(*found, parameter));
  }
  const bool reads = reads_accesses(call, of_arguments(*found, call), by_reference) != Reads::No;
  if (!reads && !reads_members(*found, call)) return;
  report(call,
         "an argument of this task may read too early what the task declares: wait for that "
         "memory before the call, and compute the argument in a variable");
}

void Functions::read_header(CXCursor top) {
  const bool system = clang_Location_isInSystemHeader(clang_getCursorLocation(top)) != 0;
  if (system || annotations_.empty()) return;
  clang::walk(top, [this](CXCursor cursor, CXCursor) {
    if (cursor.kind == CXCursor_CallExpr) check_call(cursor);
    if (cursor.kind == CXCursor_DeclRefExpr) note_use(cursor);
    return true;
  });
}

void Functions::note_use(CXCursor cursor) {
  Annotation* const found = annotation(clang_getCursorReferenced(cursor));
  if (found == nullptr) return;
  const bool behind = is_behind(cursor, *found);
  found->used = found->used || behind;
  if (behind || found->function->is_method) return;
  const Span where = tree_.place(cursor);
  const bool here = clang::offset(cursor) && tree_.source.text(where) == found->function->name;
  if (!here || tree_.language == Language::Cxx) {
    return report_early(cursor, *found);
  }
  if (!found->used_before) found->used_before = where.begin;
  tree_.reading.renamed.push_back({where, body_name(found->function->name)});
}

void Functions::check_macros_on_the_way() {
  for (const Site& site : tree_.reading.sites) {
    if (!site.function) continue;
    const Span pragma = site.pragma->span;
    check_macros(tree_.source, tree_.tokens, pragma, {pragma.end, site.function->behind.end},
                 tree_.skipped, tree_.diagnostics);
  }
}

void Functions::annotate(const Pragma& pragma, CXCursor probe,
                         const std::map<std::size_t, CXCursor>& declared) {
  const Function* function = annotated_function(pragma, tree_.outline, tree_.tokens);
  const Expressions expressions = find_expressions(probe, pragma, tree_.edits);
  const AccessContext context{.source = tree_.source,
                              .pragma = pragma,
                              .expressions = expressions,
                              .diagnostics = tree_.diagnostics,
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
    tree_.diagnostics.error(pragma.name, "a macro declares this task");
    return;
  }
  annotation.bound = bind_task_function(found->second, *function, in_place, tree_);
}

void Functions::add_function(const Annotation& annotation) {
  const bool c = tree_.language == Language::C;
  if (!annotation.bound || (c && !annotation.used)) return;
  const TaskFunction& function = *annotation.bound;
  tree_.reading.enclosings.push_back(
      {function.name, c ? function.before : tree_.outline.top_begin(function.before)});
  Site& site = tree_.reading.sites.emplace_back();
  site.kind = Site::Kind::Function;
  site.pragma = annotation.pragma;
  site.enclosing = &tree_.reading.enclosings.back();
  site.statement = annotation.function->name_span;
  site.accesses = unbound(annotation.accesses);
  site.function = function;
  add_conditions(site);
  if (site.on_ready) {
    tree_.diagnostics.error(site.pragma->name,
                            "onready() before a declaration is not translated: call it at the "
                            "beginning of the function");
  }
  for (const Definition& definition : annotation.definitions) {
    tree_.reading.renamed.push_back({definition.name, body_name(function.name)});
    if (definition.disguised) tree_.reading.disguised.push_back(*definition.disguised);
    if (definition.name.begin < function.before && !function.is_method) {
      declare_before(function, definition.name);
    }
  }
  if (annotation.used_before) declare_body(function, *annotation.used_before, "");
}

void Functions::declare_before(const TaskFunction& function, Span name) {
  for (const Function& defined : tree_.outline.functions()) {
    if (defined.name_span.begin != name.begin || !defined.body) continue;
    declare_body(function, defined.before,
                 one_line(tree_.source, {defined.before, defined.body->begin}) + "; ");
  }
}

void Functions::declare_body(const TaskFunction& function, std::size_t before,
                             const std::string& first) {
  const std::string body = body_name(function.name);
  tree_.reading.prototypes.push_back(
      {tree_.outline.top_begin(before),
       first + (function.symbol.empty()
                    ? fmt::format("static __typeof__({}) {};", function.name, body)
                    : fmt::format("__typeof__({}) {} __asm__(\"{}\");", function.name, body,
                                  function.symbol))});
}

std::optional<Disguised> Functions::disguise(CXCursor tree, const std::string& name) {
  bool both = false;
  auto disguised = disguise_of(tree, name, both);
  if (both) {
    tree_.diagnostics.error(
        tree_.place(tree),
        "this task and a function inside of it ask for their names, as __func__ "
        "does: hand the name on in a variable");
  }
  return disguised;
}

Functions::Annotation* Functions::annotation(CXCursor function) {
  if (annotations_.empty() || clang::is_null(function)) return nullptr;
  const CXCursor general = clang_getSpecializedCursorTemplate(function);
  const CXCursor declared = clang::is_null(general) ? function : general;
  const auto found = annotations_.find(clang::take(clang_getCursorUSR(declared)));
  return found == annotations_.end() ? nullptr : &found->second;
}

bool Functions::is_behind(CXCursor cursor, const Annotation& annotation) const {
  const auto at = clang::offset(cursor);
  return at ? tree_.edits.to_source(*at) > annotation.pragma->span.begin : annotation.passed;
}

void Functions::forbid_slice(CXCursor call, CXCursor function, unsigned index) {
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

void Functions::report(CXCursor cursor, const std::string& text) {
  if (clang::offset(cursor)) return tree_.diagnostics.error(tree_.place(cursor), text);
  CXFile file = nullptr;
  unsigned line = 0;
  clang_getFileLocation(clang_getCursorLocation(cursor), &file, &line, nullptr, nullptr);
  tree_.diagnostics.error(
      {0, 0}, fmt::format("{}:{}: {}", clang::take(clang_getFileName(file)), line, text));
}

void Functions::report_early(CXCursor cursor, const Annotation& annotation) {
  report(cursor, fmt::format("'{}' is used before the pragma that makes it a task: write the "
                             "pragma at its first declaration",
                             annotation.function->name));
}

std::vector<BoundAccess> Functions::of_arguments(const Annotation& annotation, CXCursor call) {
  std::vector<BoundAccess> accesses;
  for (std::size_t i = 0; i < annotation.parameters.size(); ++i) {
    const CXCursor parameter = annotation.parameters[i];
    const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
    for (const BoundAccess& access : annotation.accesses) {
      if (!leads_from(access.base, parameter)) continue;
      const bool reference = clang_getCursorType(parameter).kind == CXType_LValueReference;
      BoundAccess& one = accesses.emplace_back(access);
      const CXCursor variable = addressed(argument);
      const bool itself = !reference && !clang::is_null(variable);
      one.base = itself ? variable : argument;
      one.access.kind = reference || itself ? Access::Kind::Place : Access::Kind::Object;
    }
  }
  return accesses;
}

// The x of &x; a null cursor if it is something else.
CXCursor Functions::addressed(CXCursor expression) {
  const CXCursor cursor = clang::without_casts(expression);
  const bool address = cursor.kind == CXCursor_UnaryOperator &&
                       clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf;
  return address ? clang::children(cursor).front() : clang_getNullCursor();
}

// Does an argument of a method's call name a member of the same object that the accesses name, or
// another method, which may?
bool Functions::reads_members(const Annotation& annotation, CXCursor call) {
  if (!annotation.function->is_method) return false;
  const std::vector<CXCursor> below = clang::children(call);
  if (below.empty() || below.front().kind != CXCursor_MemberRefExpr) return false;
  const CXCursor object = leftmost(below.front());
  const auto is_named = [&](CXCursor member) {
    return is_function(member) ||
           std::any_of(annotation.accesses.begin(), annotation.accesses.end(),
                       [&](const BoundAccess& access) {
                         const CXCursor base = clang::without_casts(access.base);
                         return clang::same(clang_getCursorReferenced(base), member);
                       });
  };
  bool found = false;
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
    const auto look = [&](CXCursor cursor) {
      found = found ||
              (cursor.kind == CXCursor_MemberRefExpr && clang::same(leftmost(cursor), object) &&
               is_named(clang_getCursorReferenced(cursor)));
    };
    look(clang::without_casts(argument));
    clang::walk(argument, [&](CXCursor cursor, CXCursor) {
      look(cursor);
      return true;
    });
  }
  return found;
}

bool Functions::leads_from(CXCursor base, CXCursor parameter) {
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

bool Functions::is_accessed_reference(const Annotation& annotation, CXCursor parameter) {
  std::size_t access = 0;
  return clang_getCursorType(parameter).kind == CXType_LValueReference &&
         leads_to(annotation.accesses, parameter, access) != Leads::No;
}

void Functions::add_sites() {
  for (const auto& [id, annotation] : annotations_) add_function(annotation);
}

}  // namespace myr::translate
