// SPDX-License-Identifier: Apache-2.0
//
// Outline: see outline.hpp.

#include "translate/parse/outline.hpp"

#include <algorithm>
#include <set>

#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

// One line, without comments and directives.
std::string flat(const Source& source, Span span) {
  std::string text;
  for (const Token& token : scan(source, span)) {
    if (token.kind == TokenKind::Directive) continue;
    text += text.empty() ? "" : " ";
    text += source.text(token.span);
  }
  return text;
}

// `template <...>`, as often as it stands at the begin of `span`.
std::string template_head(const Source& source, Span span) {
  const std::vector<Token> tokens = scan(source, span);
  std::size_t end = 0;
  while (end + 1 < tokens.size() && source.text(tokens[end].span) == "template") {
    int depth = 0;
    do {
      ++end;
      const std::string_view text = end < tokens.size() ? source.text(tokens[end].span) : "";
      depth += text == "<" ? 1 : text == ">" ? -1 : 0;
    } while (depth > 0 && end < tokens.size());
    ++end;
  }
  return end == 0 || end >= tokens.size() ? ""
                                          : one_line(source, {span.begin, tokens[end].span.begin});
}

}  // namespace

std::optional<Span> inside_parentheses(const Source& source, const std::vector<Token>& tokens,
                                       std::size_t open) {
  if (open >= tokens.size() || source.text(tokens[open].span) != "(") return std::nullopt;
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string_view text = source.text(tokens[i].span);
    if (text == "(") ++depth;
    if (text == ")" && --depth == 0) return Span{tokens[open].span.end, tokens[i].span.begin};
  }
  return std::nullopt;
}

std::size_t token_from(const std::vector<Token>& tokens, std::size_t offset) {
  const auto found =
      std::lower_bound(tokens.begin(), tokens.end(), offset,
                       [](const Token& token, std::size_t at) { return token.span.begin < at; });
  return static_cast<std::size_t>(found - tokens.begin());
}

std::size_t declaration_begin(const Source& source, const std::vector<Token>& tokens,
                              std::size_t offset) {
  const auto ends_another = [&](std::size_t index) {
    const std::string_view text = source.text(tokens[index].span);
    return text == ";" || text == "}" || text == "{";
  };
  std::size_t at = token_from(tokens, offset);
  int branches = 0;  // #if groups that hold parts of the declaration
  while (at > 0) {
    const Token& before = tokens[at - 1];
    if (before.kind != TokenKind::Directive) {
      if (branches == 0 && ends_another(at - 1)) break;
      --at;
      continue;
    }
    const std::string name = directive_name(source, before.span);
    const bool inside = at >= 2 && tokens[at - 2].kind != TokenKind::Directive &&
                        !ends_another(at - 2) && name == "endif";
    if (branches == 0 && !inside) break;
    branches += name == "endif" ? 1 : name.starts_with("if") ? -1 : 0;
    --at;
  }
  return at < tokens.size() ? tokens[at].span.begin : offset;
}

std::size_t declaration_end(const Source& source, const std::vector<Token>& tokens,
                            std::size_t offset) {
  for (std::size_t i = token_from(tokens, offset); i < tokens.size(); ++i) {
    if (source.text(tokens[i].span) == ";") return tokens[i].span.end;
  }
  return source.text().size();
}

Outline::Outline(const clang::Unit& unit, const Source& source, const std::vector<Token>& tokens)
    : source_(source), tokens_(tokens) {
  clang::walk(unit.root(), [&](CXCursor cursor, CXCursor parent) {
    const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
    if (top && !clang::offset(cursor)) return false;
    const auto extent = top ? clang::extent(cursor) : std::nullopt;
    if (extent) tops_.push_back(*extent);
    if (is_function(cursor) || cursor.kind == CXCursor_LambdaExpr) add_function(cursor);
    return true;
  });
  add_prototypes(unit);
}

void Outline::add_function(CXCursor cursor) {
  const auto extent = clang::extent(cursor);
  const auto name_at = clang::offset(cursor);
  if (!extent || !name_at) return;
  Function function;
  function.name = clang::spelling(cursor);
  function.id = clang::take(clang_getCursorUSR(cursor));
  function.extent = *extent;
  function.before = declaration_begin(source_, tokens_, extent->begin);
  function.parameters = inside_parentheses(source_, tokens_, token_from(tokens_, *name_at) + 1);
  function.returns_nothing = clang_getCursorResultType(cursor).kind == CXType_Void;
  function.is_lambda = cursor.kind == CXCursor_LambdaExpr;
  if (function.is_lambda) function.name = "operator()";
  const CXCursorKind parent = clang_getCursorSemanticParent(cursor).kind;
  function.is_method = parent == CXCursor_ClassDecl || parent == CXCursor_StructDecl ||
                       parent == CXCursor_UnionDecl || parent == CXCursor_ClassTemplate ||
                       parent == CXCursor_ClassTemplatePartialSpecialization;
  function.name_span = {*name_at, *name_at + function.name.size()};
  if (cursor.kind == CXCursor_FunctionTemplate) {
    function.template_head = template_head(source_, {function.before, *name_at});
  }
  function.is_static = clang_CXXMethod_isStatic(cursor) != 0;
  function.is_virtual = clang_CXXMethod_isVirtual(cursor) != 0;
  function.is_special = cursor.kind == CXCursor_Constructor || cursor.kind == CXCursor_Destructor ||
                        cursor.kind == CXCursor_ConversionFunction;
  function.is_variadic = clang_Cursor_isVariadic(cursor) != 0;
  for (const CXCursor child : clang::children(cursor)) {
    if (child.kind == CXCursor_CompoundStmt) function.body = clang::extent(child);
  }
  functions_.push_back(std::move(function));
}

const Function* Outline::around(std::size_t offset) const {
  const Function* innermost = nullptr;
  for (const Function& function : functions_) {
    if (function.body && function.body->contains(offset)) innermost = &function;
  }
  return innermost;
}

const Function* Outline::outermost(std::size_t offset) const {
  for (const Function& function : functions_) {
    if (function.body && function.body->contains(offset)) return &function;
  }
  return nullptr;
}

std::size_t Outline::top_begin(std::size_t offset) const {
  for (const Span top : tops_) {
    if (top.contains(offset)) return declaration_begin(source_, tokens_, top.begin);
  }
  return offset;
}

bool Outline::has_another_at(const Function& function) const {
  return std::any_of(functions_.begin(), functions_.end(), [&](const Function& other) {
    return &other != &function && other.before == function.before && !other.is_lambda &&
           !(function.body && function.body->contains(other.extent));
  });
}

const Function* Outline::beginning_at(std::size_t offset) const {
  for (const Function& function : functions_) {
    if (function.before == offset && !function.is_lambda) return &function;
  }
  return nullptr;
}

// C takes a call of an unknown function for its declaration, inside the caller; such a declaration,
// like those that really stand in a block, is of no use elsewhere.
void Outline::add_prototypes(const clang::Unit& unit) {
  std::set<std::string> done;
  clang::walk(unit.root(), [&](CXCursor cursor, CXCursor) {
    if (cursor.kind != CXCursor_DeclRefExpr) return true;
    const auto use = clang::offset(cursor);
    const CXCursor declaration = clang_getCursorReferenced(cursor);
    if (!use || clang_getCursorKind(declaration) != CXCursor_FunctionDecl) return true;
    const auto place = clang::offset(declaration);
    const Function* user = outermost(*use);
    if (!place || user == nullptr || outermost(*place) == nullptr) return true;
    const std::string name = clang::spelling(declaration);
    for (const Function& function : functions_) {
      // A function that a macro defines has no text to declare it with.
      const bool defines = function.name == name && function.body && function.parameters &&
                           source_.text(*function.body).starts_with("{");
      if (!defines || !done.insert(name).second) continue;
      prototypes_.push_back(
          {user->before, flat(source_, {function.before, function.body->begin}) + ";"});
    }
    return true;
  });
}

}  // namespace myr::translate
