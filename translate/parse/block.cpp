// SPDX-License-Identifier: Apache-2.0
//
// Binding of blocks: see block.hpp. Which variables are shared follows OmpSs: those whose own
// memory is named in an access, and static ones; all others are copied when the task is spawned.

#include "translate/parse/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/lex/scanner.hpp"
#include "translate/parse/changes.hpp"
#include "translate/parse/reduction.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {

// A name that a structured binding declares: Clang's C interface has no word for that.
bool is_binding(CXCursor declaration) {
  return clang_getCursorKind(declaration) == CXCursor_UnexposedDecl;
}

// A variable of a function, static ones included.
bool is_local(CXCursor declaration) {
  const CXCursorKind kind = clang_getCursorKind(declaration);
  if (kind == CXCursor_ParmDecl) return true;
  return (kind == CXCursor_VarDecl || is_binding(declaration)) &&
         is_function(clang_getCursorSemanticParent(declaration));
}

namespace {

using Kind = Clause::Kind;

bool is_list(Kind kind) {
  return kind == Kind::FirstPrivate || kind == Kind::Shared || kind == Kind::Private ||
         kind == Kind::LastPrivate || kind == Kind::InReduction;
}

class BlockBinder {
 public:
  BlockBinder(CXCursor statement, const BlockContext& context, CXCursor counter)
      : statement_(statement),
        counter_(counter),
        context_(context),
        extent_(*clang::extent(statement)) {}

  Block run() {
    check_lists();
    visit_all(statement_);
    for (const Clause& clause : context_.pragma.clauses) {
      const auto first = context_.expressions.find(clause.value.begin);
      const bool found = clause.kind == Kind::OnReady && first != context_.expressions.end();
      if (found) visit_all(first->second);
    }
    check_jumps(statement_, {.loop = false, .switching = false, .iteration = is_loop()});
    if (has_label_) check_labels();
    use_reduced();
    for (std::size_t i = 0; i < block_.variables.size(); ++i) finish(i);
    return std::move(block_);
  }

 private:
  struct Inside {
    bool loop = false;
    bool switching = false;
    bool iteration = false;  // of the loop whose body becomes tasks
  };

  void visit_all(CXCursor tree) {
    visit(tree, tree);
    clang::walk(tree, [this](CXCursor cursor, CXCursor parent) {
      visit(cursor, parent);
      return true;
    });
  }

  [[nodiscard]] bool is_loop() const { return !clang::is_null(counter_); }

  [[nodiscard]] Span place(CXCursor cursor) const {
    const auto extent = clang::extent(cursor);
    return extent ? context_.edits.to_source(*extent) : context_.pragma.name;
  }
  void error(CXCursor cursor, std::string text) {
    context_.diagnostics.error(place(cursor), std::move(text));
  }
  [[nodiscard]] bool declared_here(CXCursor declaration) const {
    const auto at = clang::offset(declaration);
    return (at && extent_.contains(*at)) || (is_loop() && clang::same(declaration, counter_));
  }

  // firstprivate() and its kin take names.
  void check_lists() {
    for (const Clause& clause : context_.pragma.clauses) {
      const bool list = is_list(clause.kind);
      for (const Item& item : clause.items) {
        const auto found = context_.expressions.find(item.base.begin);
        const bool name = found != context_.expressions.end() &&
                          found->second.kind == CXCursor_DeclRefExpr && item.base == item.span;
        if (list && !name)
          context_.diagnostics.error(item.span,
                                     "expected the name of a variable, not of a part of one");
      }
    }
  }

  void visit(CXCursor cursor, CXCursor parent) {
    changes_.note(cursor, parent);
    const CXCursor declaration = clang_getCursorReferenced(cursor);
    if (clang::is_null(declaration) || declared_here(declaration)) return;
    const bool own = is_local(declaration) && !stays(declaration);
    if (cursor.kind == CXCursor_DeclRefExpr && (own || has_copy(declaration))) {
      const std::size_t index = index_of(declaration);
      if (!first_uses_[index]) first_uses_[index] = place(cursor);
    }
  }

  // Variables that a task finds where they are.
  [[nodiscard]] static bool stays(CXCursor declaration) {
    const CX_StorageClass storage = clang_Cursor_getStorageClass(declaration);
    return storage == CX_SC_Extern || storage == CX_SC_Static;
  }

  // Whether a clause gives the task its own, also of a static or global variable.
  [[nodiscard]] bool has_copy(CXCursor declaration) const {
    const auto clause = listed(declaration);
    return clause && *clause != Kind::Shared;
  }

  std::size_t index_of(CXCursor declaration) {
    std::size_t index = 0;
    while (index < declarations_.size() && !clang::same(declarations_[index], declaration)) ++index;
    if (index == declarations_.size()) {
      declarations_.push_back(declaration);
      block_.variables.emplace_back();
      first_uses_.emplace_back();
      block_.variables.back().name = clang::spelling(declaration);
      block_.variables.back().declared = clang::offset(declaration).value_or(0);
    }
    return index;
  }

  [[nodiscard]] bool lists(const Clause& clause, CXCursor declaration) const {
    return is_list(clause.kind) &&
           std::any_of(clause.items.begin(), clause.items.end(), [&](const Item& item) {
             const auto found = context_.expressions.find(item.base.begin);
             return found != context_.expressions.end() &&
                    clang::same(clang_getCursorReferenced(found->second), declaration);
           });
  }
  // The clause that lists the variable, if any.
  [[nodiscard]] std::optional<Kind> listed(CXCursor declaration) const {
    for (const Clause& clause : context_.pragma.clauses) {
      if (lists(clause, declaration)) return clause.kind;
    }
    return std::nullopt;
  }
  // Only OpenMP's firstprivate and lastprivate may be together, and they are not translated.
  void check_listed_once(CXCursor declaration, const std::string& name) const {
    const Clause* first = nullptr;
    for (const Clause& clause : context_.pragma.clauses) {
      if (!lists(clause, declaration)) continue;
      if (first != nullptr && first->kind != clause.kind) {
        context_.diagnostics.error(
            clause.name, fmt::format("'{}' is in {}() as well, and both are not translated: let "
                                     "one of them name another variable",
                                     name, context_.source.text(first->name)));
      }
      first = &clause;
    }
  }
  [[nodiscard]] bool has(Kind kind) const {
    return std::any_of(context_.pragma.clauses.begin(), context_.pragma.clauses.end(),
                       [&](const Clause& clause) { return clause.kind == kind; });
  }
  [[nodiscard]] Variable::Sharing sharing_of(CXCursor declaration, Variable& variable) {
    using Sharing = Variable::Sharing;
    const auto clause = listed(declaration);
    if (clause == Kind::FirstPrivate) return Sharing::Copy;
    if (clause == Kind::Shared) return Sharing::Shared;
    if (clause == Kind::Private) return Sharing::Private;
    if (clause == Kind::LastPrivate) return Sharing::Last;
    if (clause == Kind::InReduction) return Sharing::Reduced;
    std::size_t access = 0;
    switch (access_leads_to(declaration, access)) {
      case Leads::Itself:
        return Sharing::Shared;
      case Leads::Through:
        if (context_.language == Language::C) break;
        variable.lead = {access, variable.name};
        return Sharing::Held;
      case Leads::No:
        break;
    }
    if (is_another_name(declaration)) return Sharing::Shared;
    if (has(Kind::DefaultNone)) {
      context_.diagnostics.error(
          first_uses_[index_of(declaration)].value_or(context_.pragma.name),
          fmt::format("'{}' is in no clause, and the pragma says default(none)", variable.name));
    }
    if (has(Kind::DefaultFirstPrivate)) return Sharing::Copy;
    if (has(Kind::DefaultShared)) return Sharing::Shared;
    if (!context_.nest.is_shared(context_.pragma, declaration)) return Sharing::Copy;
    // Prefer a copy: macros may name it, and it needs no address of the variable.
    const bool copied = context_.language == Language::C && !is_array(declaration) &&
                        !is_class(clang_getCursorType(declaration)) &&
                        context_.nest.is_constant(context_.pragma, declaration);
    return copied ? Sharing::Copy : Sharing::Shared;
  }

  // Whether the variable refers to memory that an access may name.
  [[nodiscard]] bool is_another_name(CXCursor declaration) const {
    if (context_.language == Language::C || !is_local(declaration)) return false;
    const CXCursor whole = is_binding(declaration) ? decomposition_of(declaration) : declaration;
    const CXCursor place = initializer_of_reference(whole);
    return !clang::is_null(place) && !says_nothing_of_sharing(false) &&
           meets_access(context_.accesses, place);
  }

  // The declaration of several names of which `binding` is one.
  static CXCursor decomposition_of(CXCursor binding) {
    CXCursor found = clang_getNullCursor();
    const std::size_t at = clang::offset(binding).value_or(0);
    clang::walk(clang_getCursorSemanticParent(binding), [&](CXCursor cursor, CXCursor) {
      const auto extent = clang::extent(cursor);
      const bool around = extent && extent->contains(at);
      if (around && is_binding(cursor) && !clang::same(cursor, binding)) found = cursor;
      return around;
    });
    return found;
  }

  // In a region of OpenMP's, a dependence does not say how the task gets the variable.
  [[nodiscard]] Leads access_leads_to(CXCursor declaration, std::size_t& access) const {
    if (says_nothing_of_sharing(is_pointer(clang_getCursorType(declaration)))) return Leads::No;
    return leads_to(context_.accesses, declaration, access);
  }
  [[nodiscard]] bool says_nothing_of_sharing(bool pointer) const {
    const bool depends_only =
        std::all_of(context_.accesses.begin(), context_.accesses.end(),
                    [](const BoundAccess& bound) { return bound.access.depend; });
    return depends_only && (pointer || context_.nest.region_of(context_.pragma) != nullptr);
  }

  // What a task adds to is a variable of its own even if the statement does not name it.
  void use_reduced() {
    for (const Clause& clause : context_.pragma.clauses) {
      if (clause.kind != Kind::InReduction) continue;
      for (const Item& item : clause.items) {
        const CXCursor declaration = named_variable(item, context_.expressions);
        if (clang::is_null(declaration)) continue;
        const std::size_t index = index_of(declaration);
        block_.variables[index].reduction =
            reduction_of(clause, item, clang_getCursorType(declaration), context_);
      }
    }
  }

  // Whether its declaration asks for more than every object has anyway.
  static bool is_overaligned(CXCursor declaration) {
    const std::vector<CXCursor> below = clang::children(declaration);
    return std::any_of(below.begin(), below.end(), [](CXCursor child) {
      if (child.kind != CXCursor_AlignedAttr) return false;
      const std::vector<CXCursor> amount = clang::children(child);
      if (amount.empty()) return true;
      const CXEvalResult value = clang_Cursor_Evaluate(amount.front());
      const bool over = value == nullptr || clang_EvalResult_getAsLongLong(value) > 16;
      if (value != nullptr) clang_EvalResult_dispose(value);
      return over;
    });
  }

  void finish(std::size_t index) {
    using Sharing = Variable::Sharing;
    Variable& variable = block_.variables[index];
    const CXCursor declaration = declarations_[index];
    const Span where = first_uses_[index].value_or(context_.pragma.name);
    check_listed_once(declaration, variable.name);
    variable.sharing = sharing_of(declaration, variable);
    if (variable.sharing != Sharing::Shared && is_overaligned(declaration)) {
      context_.diagnostics.error(
          where, fmt::format("the task's copy of '{0}' would not be aligned like it: name '{0}' in "
                             "an access, or write shared({0})",
                             variable.name));
    }
    const bool region = context_.nest.region_of(context_.pragma) != nullptr;  // as OpenMP has it
    if (variable.sharing == Sharing::Copy && !listed(declaration) && !region) {
      warn_of_lost_change(context_, changes_, statement_, declaration);
    }
    if (context_.language == Language::Cxx) name_in_clauses(variable, declaration, where);
    if (variable.sharing == Sharing::Copy) check_copy(declaration, where);
  }

  // How a clause can tell the compiler of the variable.
  void name_in_clauses(Variable& variable, CXCursor declaration, Span where) {
    using Sharing = Variable::Sharing;
    const CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
    const bool captured = context_.nest.is_captured(context_.pragma, declaration);
    const bool constant = clang_isConstQualifiedType(type) != 0 && !is_class(type) &&
                          !is_array(type) && !is_dependent(type);
    variable.binding = is_binding(declaration);
    variable.pack = clang::spelling(clang_getCursorType(declaration)).ends_with("...");
    // A type that is named as a member of a template's parameter may be a reference.
    variable.by_pointer = captured || variable.binding || type.kind == CXType_LValueReference ||
                          type.kind == CXType_RValueReference ||
                          clang::spelling(type).starts_with("typename ");
    // A captured constant must stay one.
    if (variable.sharing == Sharing::Shared && captured && constant)
      variable.sharing = Sharing::Copy;
    const bool refers = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
    if (variable.sharing == Sharing::Shared && variable.by_pointer && !refers) {
      forbid_decltype(variable.name);
    }
    if (variable.pack && listed(declaration)) {
      context_.diagnostics.error(
          where,
          fmt::format("'{}' is a pack of parameters, which no clause can name", variable.name));
    }
  }

  // Inside of the task it is a reference.
  void forbid_decltype(const std::string& name) {
    const std::vector<Token> tokens = scan(context_.source, place(statement_));
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      const bool asks = context_.source.text(tokens[i].span) == "decltype" &&
                        context_.source.text(tokens[i + 2].span) == name;
      if (!asks) continue;
      context_.diagnostics.error(
          tokens[i].span, fmt::format("the task has '{}' by a reference, which this would be the "
                                      "type of: name the type before the pragma",
                                      name));
    }
  }

  void check_copy(CXCursor declaration, Span where) {
    const CXType type = clang_getNonReferenceType(clang_getCursorType(declaration));
    const bool referred =
        clang_getCanonicalType(clang_getCursorType(declaration)).kind == CXType_LValueReference;
    const char* problem = nullptr;
    if (referred && is_polymorphic(type)) {
      problem =
          "'{0}' refers to an object of a class with virtual functions, and a copy may lose a "
          "part of it: name it in an access, or write shared({0})";
    } else if (context_.by_clang && is_array(declaration) && is_variable(type)) {
      problem =
          "Clang gives a task no array of variable length of its own: name '{0}' in an "
          "access, or write shared({0})";
    } else if (clang_Type_getAlignOf(type) > 16) {
      problem =
          "'{0}' is aligned to more than 16 bytes and cannot be copied into a task: name it "
          "in an access, or write shared({0})";
    }
    if (problem == nullptr) return;
    context_.diagnostics.error(where,
                               fmt::format(fmt::runtime(problem), clang::spelling(declaration)));
  }

  void check_goto(CXCursor jump) {
    const std::vector<CXCursor> label = clang::children(jump);
    if (!label.empty() && !declared_here(clang_getCursorReferenced(label.front()))) {
      error(jump, "this goto would leave the task");
    }
  }
  // Labels of the block that the function around it jumps to.
  void check_labels() {
    const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(statement_);
    clang::walk(clang_getTranslationUnitCursor(unit), [this](CXCursor cursor, CXCursor parent) {
      if (clang_getCursorKind(parent) == CXCursor_TranslationUnit) {
        const auto extent = clang::extent(cursor);
        return extent && extent->contains(extent_);
      }
      if (cursor.kind != CXCursor_GotoStmt || declared_here(cursor)) return true;
      const std::vector<CXCursor> label = clang::children(cursor);
      if (!label.empty() && declared_here(clang_getCursorReferenced(label.front()))) {
        error(clang_getCursorReferenced(label.front()), "a goto would jump here, into the task");
      }
      return true;
    });
  }

  // Jumps must stay inside the block.
  void check_jumps(CXCursor cursor, Inside inside) {
    if (is_function(cursor)) return;  // of a class that the block declares
    switch (cursor.kind) {
      case CXCursor_ReturnStmt:
        error(cursor, "a task cannot return from the function that spawned it");
        break;
      case CXCursor_BreakStmt:
        if (!inside.loop && !inside.switching) error(cursor, "this break would leave the task");
        break;
      case CXCursor_ContinueStmt:
        if (!inside.loop && !inside.iteration) error(cursor, "this continue would leave the task");
        break;
      case CXCursor_CaseStmt:
      case CXCursor_DefaultStmt:
        if (!inside.switching) error(cursor, "this label belongs to a switch outside of the task");
        break;
      case CXCursor_IndirectGotoStmt:
      case CXCursor_AddrLabelExpr:
        error(cursor, "the address of a label cannot be taken in a task");
        break;
      case CXCursor_GotoStmt:
        check_goto(cursor);
        break;
      case CXCursor_LabelStmt:
        has_label_ = true;
        break;
      case CXCursor_LambdaExpr:
        return;
      case CXCursor_ForStmt:
      case CXCursor_WhileStmt:
      case CXCursor_DoStmt:
      case CXCursor_CXXForRangeStmt:
        inside = {.loop = true, .switching = false, .iteration = false};
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
  CXCursor counter_;
  const BlockContext& context_;
  Span extent_;
  std::vector<CXCursor> declarations_;
  Block block_;
  std::vector<std::optional<Span>> first_uses_;  // by the statement itself
  Changes changes_;
  bool has_label_ = false;
};

}  // namespace

Block bind_block(CXCursor statement, const BlockContext& context, CXCursor counter) {
  return BlockBinder(statement, context, counter).run();
}

}  // namespace myr::translate
