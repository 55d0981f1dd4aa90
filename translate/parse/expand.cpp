// SPDX-License-Identifier: Apache-2.0
//
// expand_pragmas(): see expand.hpp. Clang tells which macros are used where; what they become is
// found here, as its C interface does not show pragmas.

#include "translate/parse/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

// A macro's definition, as words.
struct Macro {
  bool function = false;
  bool variadic = false;
  std::vector<std::string> parameters;
  std::vector<std::string> body;
};

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  const Source source("", text);
  Words words;
  for (const Token& token : scan(source, {0, text.size()}, false)) {
    words.emplace_back(source.text(token.span));
  }
  return words;
}

// The text of a directive without "# define" -> the macro with its name.
std::optional<std::pair<std::string, Macro>> macro_of(const Source& source, Span directive) {
  const std::vector<Token> tokens = scan(source, {directive.begin + 1, directive.end}, false);
  if (tokens.size() < 2 || source.text(tokens[0].span) != "define") return std::nullopt;
  const auto word = [&](std::size_t i) {
    return i < tokens.size() ? std::string(source.text(tokens[i].span)) : std::string();
  };
  Macro macro;
  std::size_t at = 2;
  if (word(2) == "(" && tokens[2].span.begin == tokens[1].span.end) {
    macro.function = true;
    for (at = 3; at < tokens.size() && word(at) != ")"; ++at) {
      if (word(at) == ",") continue;
      if (word(at) == ".") {
        macro.variadic = true;
      } else {
        macro.parameters.push_back(word(at));
      }
    }
    ++at;
  }
  if (macro.variadic) macro.parameters.emplace_back("__VA_ARGS__");
  for (; at < tokens.size(); ++at) macro.body.push_back(word(at));
  return std::pair(word(1), std::move(macro));
}

std::string joined_words(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string as_string(const Words& words) {
  std::string text = "\"";
  for (const char c : joined_words(words)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

class Expander {
 public:
  explicit Expander(const std::map<std::string, Macro>& macros) : macros_(macros) {}

  [[nodiscard]] bool makes_pragma(const std::string& name, int depth = 0) const {
    const auto found = macros_.find(name);
    if (found == macros_.end() || depth > 20) return false;
    return std::any_of(found->second.body.begin(), found->second.body.end(),
                       [&](const std::string& word) {
                         return word == "_Pragma" || makes_pragma(word, depth + 1);
                       });
  }

  // `words` with all macros expanded.
  [[nodiscard]] Words expanded(const Words& words, int depth = 0) const {
    Words all;
    for (std::size_t at = 0; at < words.size(); ++at) {
      const auto found = depth < 20 ? macros_.find(words[at]) : macros_.end();
      const bool call = at + 1 < words.size() && words[at + 1] == "(";
      if (found == macros_.end() || (found->second.function && !call)) {
        all.push_back(words[at]);
        continue;
      }
      std::vector<Words> arguments;
      if (found->second.function) at = arguments_of(words, at + 1, found->second, arguments);
      const Words more = expanded(substituted(found->second, arguments), depth + 1);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

 private:
  // Returns the index of the closing parenthesis.
  static std::size_t arguments_of(const Words& words, std::size_t open, const Macro& macro,
                                  std::vector<Words>& arguments) {
    std::size_t depth = 0;
    std::size_t at = open;
    arguments.emplace_back();
    for (; at < words.size(); ++at) {
      const std::string& word = words[at];
      if (word == "(" && depth++ == 0) continue;
      if (word == ")" && --depth == 0) break;
      const bool rest = macro.variadic && arguments.size() >= macro.parameters.size();
      if (word == "," && depth == 1 && !rest) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(word);
      }
    }
    return at;
  }

  static Words substituted(const Macro& macro, const std::vector<Words>& arguments) {
    Words all;
    for (std::size_t at = 0; at < macro.body.size(); ++at) {
      const bool quotes = macro.body[at] == "#" && at + 1 < macro.body.size();
      const std::string& word = macro.body[at + (quotes ? 1 : 0)];
      const auto named = std::find(macro.parameters.begin(), macro.parameters.end(), word);
      const auto index = static_cast<std::size_t>(named - macro.parameters.begin());
      if (named == macro.parameters.end()) {
        all.push_back(macro.body[at]);
        continue;
      }
      const Words argument = index < arguments.size() ? arguments[index] : Words();
      if (quotes) {
        all.push_back(as_string(argument));
        ++at;
      } else {
        all.insert(all.end(), argument.begin(), argument.end());
      }
    }
    return all;
  }

  const std::map<std::string, Macro>& macros_;
};

bool is_ours(const std::string& text) {
  const std::string directive = "#pragma " + text;
  const Source source("", directive);
  return is_our_pragma(source, {0, directive.size()});
}

class Rewriter {
 public:
  Rewriter(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
           Diagnostics& diagnostics)
      : source_(source), tokens_(tokens), diagnostics_(diagnostics), skipped_(unit.skipped()) {}

  std::optional<Source> run() {
    if (source_.text().find("_Pragma") == std::string::npos) return std::nullopt;
    parts_.push_back(part_at(0));
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::Directive) {
        directive(tokens_[i].span);
      } else if (is_active(tokens_[i].span.begin)) {
        i = word(i);
      }
    }
    if (!changed_) return std::nullopt;
    copy_up_to(source_.text().size());
    return Source(std::move(parts_), std::move(text_));
  }

 private:
  [[nodiscard]] bool is_active(std::size_t at) const {
    return std::none_of(skipped_.begin(), skipped_.end(),
                        [&](Span part) { return part.contains(at); });
  }

  void directive(Span span) {
    if (!is_active(span.begin)) return;
    const std::string name = directive_name(source_, span);
    if (name == "define") {
      if (auto macro = macro_of(source_, span)) macros_[macro->first] = std::move(macro->second);
    } else if (name == "undef") {
      const Words words = words_of(std::string(source_.text({span.begin + 1, span.end})));
      if (words.size() > 1) macros_.erase(words[1]);
    }
  }

  // Replaces the macro or operator that begins at token `first`; returns its last token.
  std::size_t word(std::size_t first) {
    const std::string name(source_.text(tokens_[first].span));
    const bool operation = name == "_Pragma";
    const auto macro = operation ? macros_.end() : macros_.find(name);
    if (!operation && macro == macros_.end()) return first;
    const Expander expander(macros_);
    if (!operation && !expander.makes_pragma(name)) return first;
    const std::size_t last = operation || macro->second.function ? closing(first + 1) : first;
    if (last >= tokens_.size()) return first;
    Words words;
    for (std::size_t i = first; i <= last; ++i) words.emplace_back(source_.text(tokens_[i].span));
    words = expander.expanded(words);
    const Span whole{tokens_[first].span.begin, tokens_[last].span.end};
    if (words.size() == 4 && words[0] == "_Pragma") {
      const std::string text = unquoted(words[2]);
      if (is_ours(text)) replace(whole, text);
      return last;
    }
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      const bool known = words[i + 2].ends_with('"');
      if (words[i] == "_Pragma" && (!known || is_ours(unquoted(words[i + 2])))) {
        diagnostics_.error(whole,
                           "this macro makes a pragma of a task and other things, or not as "
                           "_Pragma(\"...\") alone: write the pragma on a line of its own");
      }
    }
    return last;
  }

  // The token that closes the parenthesis at token `open`; past the end if `open` is none.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    if (open >= tokens_.size() || source_.text(tokens_[open].span) != "(") return tokens_.size();
    std::size_t depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      const std::string_view text = source_.text(tokens_[i].span);
      if (text == "(") ++depth;
      if (text == ")" && --depth == 0) return i;
    }
    return tokens_.size();
  }

  [[nodiscard]] Source::Part part_at(std::size_t offset) const {
    const Position position = source_.position(offset);
    return {text_.size(), std::string(position.path), position.line};
  }

  // Keeps the files that lines come from.
  void copy_up_to(std::size_t end) {
    for (const Source::Part& part : source_.parts()) {
      if (part.begin <= copied_ || part.begin >= end) continue;
      text_ += source_.text({copied_, part.begin});
      copied_ = part.begin;
      parts_.push_back({text_.size(), part.path, part.line, part.written});
    }
    text_ += source_.text({copied_, end});
    copied_ = end;
  }

  void begin_line(std::size_t offset) {
    const Position position = source_.position(offset);
    text_ += fmt::format("\n#line {} \"{}\"\n", position.line, position.path);
    parts_.push_back({text_.size(), std::string(position.path), position.line});
  }

  // A directive in the place of the macro; what follows stays in its column.
  void replace(Span whole, const std::string& text) {
    changed_ = true;
    copy_up_to(whole.begin);
    begin_line(whole.begin);
    text_ += "#pragma " + text;
    begin_line(whole.end);
    text_ += std::string(source_.position(whole.end).column - 1, ' ');
    copied_ = whole.end;
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  Diagnostics& diagnostics_;
  std::vector<Span> skipped_;
  std::map<std::string, Macro> macros_;
  std::vector<Source::Part> parts_;
  std::string text_;
  std::size_t copied_ = 0;
  bool changed_ = false;
};

}  // namespace

std::optional<Source> expand_pragmas(const Source& source, const std::vector<Token>& tokens,
                                     const clang::Unit& unit, Diagnostics& diagnostics) {
  return Rewriter(source, tokens, unit, diagnostics).run();
}

}  // namespace myr::translate
