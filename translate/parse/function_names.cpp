// SPDX-License-Identifier: Apache-2.0
//
// disguise_of(): see function_names.hpp.

#include "translate/parse/function_names.hpp"

#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

// Clang's C interface has no word for __func__, but shows the string that it stands for, if it is
// not a template's.
bool may_be_unknown_name(CXCursor cursor) {
  return cursor.kind == CXCursor_UnexposedExpr && clang::children(cursor).empty() &&
         is_dependent(clang_getCursorType(cursor));
}

class Names {
 public:
  explicit Names(const std::string& name) : name_(name), disguised_{{}, name, name} {}

  void visit(CXCursor tree, CXCursor parent, bool inside) {
    const bool other = tree.kind == CXCursor_LambdaExpr || (is_function(tree) && !first_);
    first_ = false;
    if (tree.kind == CXCursor_StringLiteral && parent.kind == CXCursor_UnexposedExpr) {
      note(clang::spelling(tree), inside);
    }
    if (may_be_unknown_name(tree)) (inside ? inner_ : found_) = true;
    for (const CXCursor child : clang::children(tree)) visit(child, tree, inside || other);
  }

  [[nodiscard]] std::optional<Disguised> result(bool& both) const {
    both = found_ && inner_;
    return found_ ? std::optional(disguised_) : std::nullopt;
  }

 private:
  void note(const std::string& literal, bool inside) {
    if (inside) inner_ = inner_ || literal.find("operator()") != std::string::npos;
    if (inside || literal.find(name_) == std::string::npos) return;
    found_ = true;
    const bool pretty = literal.size() > 2 && literal.ends_with(")\"") &&
                        literal.find(name_ + "(") != std::string::npos;
    if (pretty) disguised_.pretty = literal.substr(1, literal.size() - 2);
  }

  const std::string& name_;
  Disguised disguised_;
  bool first_ = true;
  bool found_ = false;
  bool inner_ = false;
};

}  // namespace

std::optional<Disguised> disguise_of(CXCursor tree, const std::string& name, bool& both) {
  Names names(name);
  names.visit(tree, clang_getNullCursor(), false);
  return names.result(both);
}

}  // namespace myr::translate
