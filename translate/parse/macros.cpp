// SPDX-License-Identifier: Apache-2.0
//
// bind_macros(): see macros.hpp.

#include "translate/parse/macros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/lex/scanner.hpp"

namespace myr::translate {
namespace {

class MacroBinder {
 public:
  MacroBinder(const MacroContext& context, Block& block) : context_(context), block_(block) {
    find_calls();
  }

  void run() {
    for (std::size_t i = 0; i < block_.variables.size(); ++i) {
      const Variable& variable = block_.variables[i];
      const bool renamed = variable.sharing == Variable::Sharing::Shared ||
                           variable.sharing == Variable::Sharing::CopyArray;
      if (!renamed) continue;
      for (const Span use : context_.hidden[i]) bind(i, use, true);
      for (const Span use : variable.uses) bind(i, use, false);
    }
  }

 private:
  // A macro's use that is no part of another's.
  struct MacroCall {
    Span span;
    std::string name;
  };

  void find_calls() {
    const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(context_.statement);
    const Span whole = clang::extent(context_.statement).value_or(Span{});
    for (const CXCursor cursor : clang::children(clang_getTranslationUnitCursor(unit))) {
      if (cursor.kind == CXCursor_MacroDefinition) definitions_[clang::spelling(cursor)] = cursor;
      if (cursor.kind != CXCursor_MacroExpansion) continue;
      const auto span = clang::extent(cursor);
      if (!span || !whole.contains(*span)) continue;
      const Span place = context_.block.edits.to_source(*span);
      const bool inner = !calls_.empty() && calls_.back().span.contains(place);
      if (!inner) calls_.push_back({place, clang::spelling(cursor)});
    }
    // What clauses say is copied to other places, on one line.
    const Source& source = context_.block.source;
    for (const Token& token : scan(source, context_.block.edits.to_source(whole))) {
      if (token.kind != TokenKind::Directive) continue;
      std::erase_if(calls_, [&](const MacroCall& call) { return token.span.contains(call.span); });
    }
  }

  void bind(std::size_t index, Span use, bool hidden) {
    const auto call = std::find_if(calls_.begin(), calls_.end(), [&](const MacroCall& one) {
      return one.span.contains(use.begin);
    });
    const bool keeps = call != calls_.end() && !means_another(call->span, index);
    if (keeps) return add(call->span, index);
    if (hidden || (call != calls_.end() && makes_strings(call->name, 0))) {
      forbid_macro_of(block_.variables[index].name, use, context_.block.diagnostics);
    }
  }

  void add(Span span, std::size_t index) {
    auto found = std::find_if(block_.macros.begin(), block_.macros.end(),
                              [&](const MacroUse& use) { return use.span == span; });
    if (found == block_.macros.end()) found = block_.macros.insert(found, MacroUse{span, {}});
    std::vector<std::size_t>& all = found->variables;
    if (std::find(all.begin(), all.end(), index) == all.end()) all.push_back(index);
  }

  // Whether the name of the variable stands for something else, too, in what the macro makes.
  [[nodiscard]] bool means_another(Span span, std::size_t index) const {
    const Variable& variable = block_.variables[index];
    for (const Token& token : scan(context_.block.source, span)) {
      const bool named = context_.block.source.text(token.span) == variable.name;
      const bool use =
          std::find(variable.uses.begin(), variable.uses.end(), token.span) != variable.uses.end();
      if (named && !use) return true;
    }
    bool found = false;
    clang::walk(context_.statement, [&](CXCursor cursor, CXCursor) {
      const auto at = clang::offset(cursor);
      const bool inside = at && span.contains(context_.block.edits.to_source(*at));
      found = found || (inside && is_another(cursor, index));
      return !found;
    });
    return found;
  }

  [[nodiscard]] bool is_another(CXCursor cursor, std::size_t index) const {
    switch (cursor.kind) {
      case CXCursor_DeclRefExpr:
        if (clang::same(clang_getCursorReferenced(cursor), context_.declarations[index])) break;
        [[fallthrough]];
      case CXCursor_MemberRefExpr:
      case CXCursor_MemberRef:
      case CXCursor_VarDecl:
      case CXCursor_FieldDecl:
      case CXCursor_LabelRef:
      case CXCursor_LabelStmt:
      case CXCursor_TypeRef: {
        const std::string& name = block_.variables[index].name;
        const std::string text = clang::spelling(cursor);
        return text == name || text.ends_with(" " + name);
      }
      default:
        break;
    }
    return false;
  }

  // Whether a macro, or one that it uses, makes strings or names of its arguments.
  [[nodiscard]] bool makes_strings(const std::string& macro, int depth) const {
    const auto found = definitions_.find(macro);
    if (found == definitions_.end() || depth > 20) return false;
    const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(found->second);
    CXToken* tokens = nullptr;
    unsigned count = 0;
    clang_tokenize(unit, clang_getCursorExtent(found->second), &tokens, &count);
    bool makes = false;
    for (unsigned i = 1; i < count && !makes; ++i) {
      const std::string text = clang::take(clang_getTokenSpelling(unit, tokens[i]));
      makes = text == "#" || text == "##" || (text != macro && makes_strings(text, depth + 1));
    }
    clang_disposeTokens(unit, tokens, count);
    return makes;
  }

  const MacroContext& context_;
  Block& block_;
  std::vector<MacroCall> calls_;
  std::map<std::string, CXCursor> definitions_;
};

}  // namespace

void bind_macros(const MacroContext& context, Block& block) { MacroBinder(context, block).run(); }

void forbid_macro_of(const std::string& variable, Span macro, Diagnostics& diagnostics) {
  diagnostics.error(macro, fmt::format("this macro uses '{}', which would not be the task's own "
                                       "copy: write the macro out, or pass the variable to it",
                                       variable));
}

}  // namespace myr::translate
