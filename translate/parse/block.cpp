// SPDX-License-Identifier: Apache-2.0
//
// Binding of blocks: see block.hpp. Which variables are shared follows OmpSs: those whose own memory
// is named in an access, and static ones; all others are copied when the task is spawned.

#include "translate/parse/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/lex/scanner.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

using Kind = Clause::Kind;

// A variable of a function, static ones included.
bool is_local(CXCursor declaration) {
  const CXCursorKind kind = clang_getCursorKind(declaration);
  if (kind == CXCursor_ParmDecl) return true;
  return kind == CXCursor_VarDecl && is_function(clang_getCursorSemanticParent(declaration));
}

class BlockBinder {
 public:
  BlockBinder(CXCursor statement, const BlockContext& context)
      : statement_(statement), context_(context), extent_(*clang::extent(statement)) {}

  Block run() {
    check_lists();
    visit(statement_, statement_);
    clang::walk(statement_, [this](CXCursor cursor, CXCursor parent) {
      visit(cursor, parent);
      return true;
    });
    check_jumps(statement_, {});
    for (std::size_t i = 0; i < block_.variables.size(); ++i) finish(i);
    find_function_names();
    return std::move(block_);
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

  // firstprivate() and its kin take names.
  void check_lists() {
    for (const Clause& clause : context_.pragma.clauses) {
      const bool list = clause.kind == Kind::FirstPrivate || clause.kind == Kind::Shared ||
                        clause.kind == Kind::Private;
      for (const Item& item : clause.items) {
        const auto found = context_.expressions.find(item.base.begin);
        const bool name = found != context_.expressions.end() &&
                          found->second.kind == CXCursor_DeclRefExpr && item.base == item.span;
        if (list && !name) context_.diagnostics.error(item.span, "expected the name of a variable");
      }
    }
  }

  void visit(CXCursor cursor, CXCursor parent) {
    note_change(cursor);
    if (cursor.kind == CXCursor_CXXThisExpr) block_.uses_this = true;
    if (cursor.kind == CXCursor_MemberRefExpr && clang::children(cursor).empty()) {
      block_.uses_this = true;
    }
    const CXCursor declaration = clang_getCursorReferenced(cursor);
    if (clang::is_null(declaration) || declared_here(declaration)) return;
    if (context_.language == Language::C) check_scope(cursor, declaration);
    if (cursor.kind == CXCursor_DeclRefExpr && is_local(declaration) && !stays(declaration)) {
      use(cursor, declaration);
      const CXType type = clang_getCursorType(declaration);
      if (is_array(type) && is_variable(type) && parent.kind != CXCursor_UnexposedExpr) {
        error(cursor,
              "inside of a task an array of variable length has no size and no address of "
              "its own, only elements");
      }
    }
  }

  // Remembers the first place where the block changes a variable by name.
  void note_change(CXCursor cursor) {
    const std::vector<CXCursor> below = clang::children(cursor);
    if (cursor.kind == CXCursor_CallExpr) {
      for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
        note_address(clang_Cursor_getArgument(cursor, static_cast<unsigned>(i)));
      }
    } else if (!below.empty() && is_change(cursor)) {
      note_change_of(below.front(), cursor);
    }
  }
  void note_change_of(CXCursor variable, CXCursor by) {
    const CXCursor root = storage_root(variable);
    if (clang::is_null(root)) return;
    changes_.try_emplace(clang::take(clang_getCursorUSR(root)), place(by));
  }
  // An argument that lets a function change a variable: its address, or an array.
  void note_address(CXCursor argument) {
    const CXType type = clang_getCanonicalType(clang_getCursorType(argument));
    if (!is_pointer(type) || clang_isConstQualifiedType(clang_getPointeeType(type)) != 0) return;
    const CXCursor value = clang::without_casts(argument);
    const std::vector<CXCursor> below = clang::children(value);
    const bool address = value.kind == CXCursor_UnaryOperator &&
                         clang_getCursorUnaryOperatorKind(value) == CXUnaryOperator_AddrOf;
    if (address) note_change_of(below.front(), argument);
    if (is_array(clang_getCursorType(value))) note_change_of(value, argument);
  }
  static bool is_change(CXCursor cursor) {
    if (cursor.kind == CXCursor_CompoundAssignOperator) return true;
    if (cursor.kind == CXCursor_BinaryOperator) {
      return clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
    }
    if (cursor.kind != CXCursor_UnaryOperator) return false;
    switch (clang_getCursorUnaryOperatorKind(cursor)) {
      case CXUnaryOperator_PostInc:
      case CXUnaryOperator_PostDec:
      case CXUnaryOperator_PreInc:
      case CXUnaryOperator_PreDec:
        return true;
      default:
        return false;
    }
  }

  // A program without tasks would see the change.
  void warn_of_lost_change(CXCursor declaration, const Variable& variable) {
    const auto change = changes_.find(clang::take(clang_getCursorUSR(declaration)));
    if (change == changes_.end() || listed(declaration)) return;
    context_.diagnostics.warning(
        change->second,
        fmt::format(
            "the task changes a copy of '{0}' of its own: name '{0}' in an access if others "
            "should see that, or in firstprivate({0})",
            variable.name));
  }

  // Variables that a task finds where they are: C++ closures see static ones.
  [[nodiscard]] bool stays(CXCursor declaration) const {
    const CX_StorageClass storage = clang_Cursor_getStorageClass(declaration);
    return storage == CX_SC_Extern ||
           (storage == CX_SC_Static && context_.language == Language::Cxx);
  }

  // In C, the block leaves the scope of its function.
  void check_scope(CXCursor cursor, CXCursor declaration) {
    const CXCursorKind kind = clang_getCursorKind(declaration);
    const bool use = cursor.kind == CXCursor_TypeRef || cursor.kind == CXCursor_DeclRefExpr;
    const bool scoped = kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
                        kind == CXCursor_EnumDecl || kind == CXCursor_TypedefDecl ||
                        kind == CXCursor_EnumConstantDecl;
    if (use && scoped && is_inside_function(declaration)) {
      error(cursor, fmt::format("'{}' is declared inside the function: move it out, as the task "
                                "becomes a function of its own",
                                clang::spelling(declaration)));
    }
  }

  void use(CXCursor cursor, CXCursor declaration) {
    std::size_t index = 0;
    while (index < declarations_.size() && !clang::same(declarations_[index], declaration)) ++index;
    if (index == declarations_.size()) {
      declarations_.push_back(declaration);
      block_.variables.emplace_back();
      in_macro_.emplace_back();
      block_.variables.back().name = clang::spelling(declaration);
    }
    Variable& variable = block_.variables[index];
    const std::size_t begin = context_.edits.to_source(clang::offset(cursor).value_or(0));
    const Span span{begin, begin + variable.name.size()};
    if (context_.source.text(span) != variable.name) {
      in_macro_[index] = place(cursor);
    } else if (std::find(variable.uses.begin(), variable.uses.end(), span) == variable.uses.end()) {
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
  [[nodiscard]] Variable::Sharing sharing_of(CXCursor declaration, const Variable& variable) {
    using Sharing = Variable::Sharing;
    const auto clause = listed(declaration);
    if (clause == Kind::FirstPrivate) return Sharing::Copy;
    if (clause == Kind::Shared) return Sharing::Shared;
    if (clause == Kind::Private) return Sharing::Private;
    if (must_share(context_.accesses, declaration)) return Sharing::Shared;
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
    Variable& variable = block_.variables[index];
    const CXCursor declaration = declarations_[index];
    const CXType type = clang_getCursorType(declaration);
    const Span where = variable.uses.empty() ? context_.pragma.name : variable.uses.front();
    variable.sharing = sharing_of(declaration, variable);
    variable.type = clang::spelling(type);
    if (variable.sharing == Sharing::Copy) warn_of_lost_change(declaration, variable);
    if (context_.language == Language::Cxx) {
      variable.pack = variable.type.ends_with("...");
      if (variable.sharing == Sharing::Private) forbid_macro(index);
      const bool referred = clang_getCanonicalType(type).kind == CXType_LValueReference;
      if (variable.sharing == Sharing::Copy && referred &&
          is_polymorphic(clang_getNonReferenceType(type))) {
        context_.diagnostics.error(
            where, fmt::format("'{0}' refers to an object of a class with virtual functions, of "
                               "which a copy may lose something: name it in an access, or write "
                               "shared({0})",
                               variable.name));
      }
      return;
    }
    const auto stored = stored_type(type);
    if (!stored) {
      return context_.diagnostics.error(
          where, fmt::format("the type of '{}' is declared inside the function: move it out, as "
                             "the task becomes a function of its own",
                             variable.name));
    }
    variable.stored = *stored;
    variable.record = is_class(type);
    if (variable.sharing == Sharing::Private) return;
    if (variable.sharing == Sharing::Copy && clang_Type_getAlignOf(type) > 16) {
      return context_.diagnostics.error(
          where, fmt::format("'{0}' is aligned to more than 16 bytes and cannot be copied into a "
                             "task: name it in an access, or write shared({0})",
                             variable.name));
    }
    if (is_variable(type)) {
      decay(variable, type, where);
    } else if (is_array(type) && variable.sharing == Sharing::Copy) {
      variable.sharing = Sharing::CopyArray;
    }
    if (variable.sharing == Sharing::Shared || variable.sharing == Sharing::CopyArray) {
      forbid_macro(index);
    }
  }

  // A variable that has another name inside of the task cannot be named by a macro.
  void forbid_macro(std::size_t index) {
    if (!in_macro_[index]) return;
    context_.diagnostics.error(
        *in_macro_[index],
        fmt::format("this macro uses '{}', which is not the task's own copy: write it out, or hand "
                    "the variable to the macro",
                    block_.variables[index].name));
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

  void find_function_names() {
    const Span span = context_.edits.to_source(extent_);
    for (const Token& token : scan(context_.source, span)) {
      const std::string_view text = context_.source.text(token.span);
      if (text == "__func__" || text == "__FUNCTION__" || text == "__PRETTY_FUNCTION__") {
        block_.function_names.push_back(token.span);
      }
    }
  }

  CXCursor statement_;
  const BlockContext& context_;
  Span extent_;
  std::vector<CXCursor> declarations_;
  Block block_;
  std::vector<std::optional<Span>> in_macro_;  // a use that cannot be renamed
  std::map<std::string, Span> changes_;        // by the variable's id
};

}  // namespace

Block bind_block(CXCursor statement, const BlockContext& context) {
  return BlockBinder(statement, context).run();
}

}  // namespace myr::translate
