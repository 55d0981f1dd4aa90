// SPDX-License-Identifier: Apache-2.0
//
// Macros and what they become, as far as directives need it: what a _Pragma or an #include says.
// The rest of the program Clang expands.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "translate/lex/scanner.hpp"

namespace myr::translate {

using Words = std::vector<std::string>;

// The words of some tokens; an operator of two letters is one.
[[nodiscard]] Words words_of(const Source& source, const std::vector<Token>& tokens,
                             std::size_t first, std::size_t end);
// Those of a text, without directives.
[[nodiscard]] Words words_in(const std::string& text);

// A macro's definition.
struct Macro {
  bool function = false;
  bool variadic = false;
  Words parameters;
  Words body;
  friend bool operator==(const Macro&, const Macro&) = default;
};

// The macro that a directive defines, with its name.
[[nodiscard]] std::optional<std::pair<std::string, Macro>> macro_of(const Source& source,
                                                                    Span directive);

class Expander {
 public:
  explicit Expander(const std::map<std::string, Macro>& macros) : macros_(macros) {}

  // Whether `name` is a macro with a _Pragma in it.
  [[nodiscard]] bool makes_pragma(const std::string& name, int depth = 0) const;

  // `words` with all macros expanded.
  [[nodiscard]] Words expanded(const Words& words, int depth = 0) const;

 private:
  // Returns the index of the closing parenthesis.
  static std::size_t arguments_of(const Words& words, std::size_t open, const Macro& macro,
                                  std::vector<Words>& arguments);
  [[nodiscard]] Words substituted(const Macro& macro, const std::vector<Words>& arguments,
                                  int depth) const;

  const std::map<std::string, Macro>& macros_;
};

}  // namespace myr::translate
