// SPDX-License-Identifier: Apache-2.0
//
// The functions of a source, found before its pragmas are understood: which pragma stands in a
// function and which before one, and which functions C code calls before it declares them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/lex/scanner.hpp"
#include "translate/parse/clang.hpp"
#include "translate/parse/model.hpp"

namespace myr::translate {

struct Function {
  std::string name;
  std::string id;                  // the same for all its declarations
  Span extent;                     // of this declaration
  std::size_t before = 0;          // where the declaration begins, with all its attributes
  std::optional<Span> body;        // with its braces
  std::optional<Span> parameters;  // between the parentheses
  Span name_span;
  std::string template_head;  // from the word template to what it is one of
  bool returns_nothing = true;
  bool is_lambda = false;
  bool is_method = false;
  bool is_static = false;  // of a method
  bool is_virtual = false;
  bool is_special = false;  // a constructor, say
  bool is_variadic = false;
};

// The first token behind the last ; } { or directive before `offset`: where the declaration that
// `offset` is in begins.
[[nodiscard]] std::size_t declaration_begin(const Source& source, const std::vector<Token>& tokens,
                                            std::size_t offset);

// Behind the ; that ends the declaration in which `offset` is.
[[nodiscard]] std::size_t declaration_end(const Source& source, const std::vector<Token>& tokens,
                                          std::size_t offset);

// What stands between the parenthesis that is token `open` and the one that closes it; nothing if
// `open` is none.
[[nodiscard]] std::optional<Span> inside_parentheses(const Source& source,
                                                     const std::vector<Token>& tokens,
                                                     std::size_t open);

// Finds the first token that begins at or behind `offset`; tokens.size() if there is none.
[[nodiscard]] std::size_t token_from(const std::vector<Token>& tokens, std::size_t offset);

class Outline {
 public:
  // Reads the tree of the source as it is.
  Outline(const clang::Unit& unit, const Source& source, const std::vector<Token>& tokens);

  // All declarations of functions, in the order of the text; outer ones before those inside.
  [[nodiscard]] const std::vector<Function>& functions() const noexcept { return functions_; }
  // The innermost function in whose body `offset` is.
  [[nodiscard]] const Function* around(std::size_t offset) const;
  // The outermost one.
  [[nodiscard]] const Function* outermost(std::size_t offset) const;
  // Where the declaration of the file begins that `offset` is in: a function, class or namespace.
  [[nodiscard]] std::size_t top_begin(std::size_t offset) const;
  // The declaration that begins at `offset`.
  [[nodiscard]] const Function* beginning_at(std::size_t offset) const;
  // Whether the same declaration declares other functions, as in `void f(int*), g(int*);`.
  [[nodiscard]] bool has_another_at(const Function& function) const;
  // Declarations of functions that are called before they are declared, each with its place.
  [[nodiscard]] const std::vector<Prototype>& prototypes() const noexcept { return prototypes_; }

 private:
  void add_function(CXCursor cursor);
  void add_prototypes(const clang::Unit& unit);

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::vector<Function> functions_;
  std::vector<Span> tops_;
  std::vector<Prototype> prototypes_;
};

}  // namespace myr::translate
