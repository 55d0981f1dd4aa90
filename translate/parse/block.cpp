// SPDX-License-Identifier: Apache-2.0
//
// Binding of blocks: see block.hpp. Which variables are shared follows OmpSs: those whose own memory
// is named in an access, and static ones; all others are copied when the task is spawned.

#include "translate/parse/block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "translate/parse/call.hpp"

namespace myr::translate {
namespace {

using Kind = Clause::Kind;

bool is_local(CXCursor declaration) {
  const CXCursorKind kind = clang_getCursorKind(declaration);
  if (kind == CXCursor_ParmDecl) return true;
  if (kind != CXCursor_VarDecl) return false;
  const CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
  return parent != CXCursor_TranslationUnit && parent != CXCursor_Namespace &&
         parent != CXCursor_LinkageSpec && parent != CXCursor_StructDecl &&
         parent != CXCursor_ClassDecl;
}

class BlockBinder {
 public:
  BlockBinder(CXCursor statement, const BlockContext& context)
      : statement_(statement), context_(context), extent_(*clang::extent(statement)) {}

  std::vector<Variable> run() {
    visit(statement_);
    clang::walk(statement_, [this](CXCursor cursor, CXCursor) {
      visit(cursor);
      return true;
    });
    check_jumps(statement_, {});
    for (std::size_t i = 0; i < variables_.size(); ++i) finish(i);
    return std::move(variables_);
  }

 private:
  struct Inside {
    bool loop = false;
    bool switching = false;
  };

  [[nodiscard]] Span place(CXCursor cursor) const {
    const auto extent = clang::extent(cursor);
    return extent ? context_.edits.to_source(*extent) : context_.pragma.name;
  }
  void error(CXCursor cursor, std::string text) {
    context_.diagnostics.error(place(cursor), std::move(text));
  }
  [[nodiscard]] bool declared_here(CXCursor declaration) const {
    const auto at = clang::offset(declaration);
    return at && extent_.contains(*at);
  }

  void visit(CXCursor cursor) {
    if (cursor.kind == CXCursor_TypeRef) {
      const CXCursor type = clang_getCursorReferenced(cursor);
      if (!declared_here(type) && !stored_type(clang_getCursorType(type))) {
        error(cursor, fmt::format("'{}' is declared inside the function: move it out, as the task "
                                  "becomes a function of its own",
                                  clang::spelling(type)));
      }
      return;
    }
    if (cursor.kind != CXCursor_DeclRefExpr) return;
    const CXCursor declaration = clang_getCursorReferenced(cursor);
    if (declared_here(declaration)) return;
    if (clang_getCursorKind(declaration) == CXCursor_EnumConstantDecl) {
      const CXType type = clang_getCursorType(clang_getCursorSemanticParent(declaration));
      if (!stored_type(type)) error(cursor, "this constant is declared inside the function: move "
                                            "its enumeration out");
    } else if (is_local(declaration) &&
               clang_Cursor_getStorageClass(declaration) != CX_SC_Extern) {
      use(cursor, declaration);
    }
  }

  void use(CXCursor cursor, CXCursor declaration) {
    std::size_t index = 0;
    while (index < declarations_.size() && !clang::same(declarations_[index], declaration)) ++index;
    if (index == declarations_.size()) {
      declarations_.push_back(declaration);
      variables_.emplace_back();
      in_macro_.emplace_back();
      variables_.back().name = clang::spelling(declaration);
    }
    Variable& variable = variables_[index];
    const std::size_t begin = context_.edits.to_source(clang::offset(cursor).value_or(0));
    const Span span{begin, begin + variable.name.size()};
    if (context_.source.text(span) != variable.name) {
      in_macro_[index] = place(cursor);
    } else if (std::find(variable.uses.begin(), variable.uses.end(), span) ==
               variable.uses.end()) {
      variable.uses.push_back(span);
    }
  }

  // The clause that lists the variable, if any.
  [[nodiscard]] std::optional<Kind> listed(CXCursor declaration) const {
    for (const Clause& clause : context_.pragma.clauses) {
      const bool list = clause.kind == Kind::FirstPrivate || clause.kind == Kind::Shared ||
                        clause.kind == Kind::Private;
      if (!list) continue;
      for (const Item& item : clause.items) {
        const auto found = context_.expressions.find(item.base.begin);
        if (found == context_.expressions.end()) continue;
        if (clang::same(clang_getCursorReferenced(found->second), declaration)) return clause.kind;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool has(Kind kind) const {
    return std::any_of(context_.pragma.clauses.begin(), context_.pragma.clauses.end(),
                       [&](const Clause& clause) { return clause.kind == kind; });
  }
  [[nodiscard]] bool accessed(CXCursor declaration) const {
    return std::any_of(context_.accesses.begin(), context_.accesses.end(),
                       [&](const BoundAccess& access) {
                         return clang::same(accessed_variable(access), declaration);
                       });
  }

  [[nodiscard]] Variable::Sharing sharing_of(CXCursor declaration, const Variable& variable) {
    using Sharing = Variable::Sharing;
    const auto clause = listed(declaration);
    if (clause == Kind::FirstPrivate) return Sharing::Copy;
    if (clause == Kind::Shared) return Sharing::Shared;
    if (clause == Kind::Private) return Sharing::Private;
    if (accessed(declaration)) return Sharing::Shared;
    if (clang_Cursor_getStorageClass(declaration) == CX_SC_Static) return Sharing::Shared;
    if (has(Kind::DefaultNone)) {
      context_.diagnostics.error(
          variable.uses.empty() ? context_.pragma.name : variable.uses.front(),
          fmt::format("'{}' is in no clause, and the pragma says default(none)", variable.name));
    }
    return has(Kind::DefaultShared) ? Sharing::Shared : Sharing::Copy;
  }

  void finish(std::size_t index) {
    using Sharing = Variable::Sharing;
    Variable& variable = variables_[index];
    const CXCursor declaration = declarations_[index];
    const CXType type = clang_getCursorType(declaration);
    const Span where = variable.uses.empty() ? context_.pragma.name : variable.uses.front();
    variable.sharing = sharing_of(declaration, variable);
    variable.type = clang::spelling(type);
    const auto stored = stored_type(type);
    if (!stored) {
      return context_.diagnostics.error(
          where, fmt::format("the type of '{}' is declared inside the function: move it out, as "
                             "the task becomes a function of its own",
                             variable.name));
    }
    variable.stored = *stored;
    if (variable.sharing == Sharing::Private) return;
    if (is_variable(type)) {
      decay(variable, type, where);
    } else if (is_array(type) && variable.sharing == Sharing::Copy) {
      variable.sharing = Sharing::CopyArray;
    }
    const bool renamed =
        variable.sharing == Sharing::Shared || variable.sharing == Sharing::CopyArray;
    if (renamed && in_macro_[index]) {
      context_.diagnostics.error(
          *in_macro_[index],
          fmt::format("the macro uses '{}', which the task shares with the function around it: "
                      "write it out, or hand the variable to the macro",
                      variable.name));
    }
  }

  void decay(Variable& variable, CXType type, Span where) {
    using Sharing = Variable::Sharing;
    type = clang_getCanonicalType(type);
    variable.array = is_array(type);
    if (variable.array && variable.sharing == Sharing::Copy) {
      context_.diagnostics.error(
          where, fmt::format("an array of variable length cannot be copied into a task: name "
                             "'{0}' in an access, or write shared({0})",
                             variable.name));
    }
    if (!variable.array && variable.sharing == Sharing::Shared) {
      context_.diagnostics.error(
          where, fmt::format("a pointer to an array of variable length cannot be shared: write "
                             "firstprivate({})",
                             variable.name));
    }
    CXType element = variable.array ? clang_getArrayElementType(type) : clang_getPointeeType(type);
    for (; is_array(element); element = clang_getArrayElementType(element)) ++variable.dimensions;
    variable.stored = clang::spelling(element);
    variable.sharing = Sharing::Decayed;
  }

  // Jumps must stay inside the block.
  void check_jumps(CXCursor cursor, Inside inside) {
    switch (cursor.kind) {
      case CXCursor_ReturnStmt:
        error(cursor, "a task cannot return from the function that spawned it");
        break;
      case CXCursor_BreakStmt:
        if (!inside.loop && !inside.switching) error(cursor, "this break would leave the task");
        break;
      case CXCursor_ContinueStmt:
        if (!inside.loop) error(cursor, "this continue would leave the task");
        break;
      case CXCursor_CaseStmt:
      case CXCursor_DefaultStmt:
        if (!inside.switching) error(cursor, "this label belongs to a switch outside of the task");
        break;
      case CXCursor_IndirectGotoStmt:
      case CXCursor_GotoStmt:
      case CXCursor_LabelStmt:
        error(cursor, "no goto and no label in a task");
        break;
      case CXCursor_LambdaExpr:
        return;
      case CXCursor_ForStmt:
      case CXCursor_WhileStmt:
      case CXCursor_DoStmt:
      case CXCursor_CXXForRangeStmt:
        inside = {.loop = true, .switching = false};
        break;
      case CXCursor_SwitchStmt:
        inside.switching = true;
        break;
      default:
        break;
    }
    for (const CXCursor child : clang::children(cursor)) check_jumps(child, inside);
  }

  CXCursor statement_;
  const BlockContext& context_;
  Span extent_;
  std::vector<CXCursor> declarations_;
  std::vector<Variable> variables_;
  std::vector<std::optional<Span>> in_macro_;  // a use that cannot be renamed
};

}  // namespace

std::vector<Variable> bind_block(CXCursor statement, const BlockContext& context) {
  return BlockBinder(statement, context).run();
}

}  // namespace myr::translate
