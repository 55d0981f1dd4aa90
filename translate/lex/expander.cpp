// SPDX-License-Identifier: Apache-2.0
//
// Expander: see expander.hpp.

#include "translate/lex/expander.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace myr::translate {
namespace {

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

}  // namespace

Words words_of(const Source& source, const std::vector<Token>& tokens, std::size_t first,
               std::size_t end) {
  static const std::set<std::string_view> pairs = {
      "==", "!=", "<=", ">=", "&&", "||", "<<", "->", "++", "--",
      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"};
  Words words;
  for (std::size_t i = first; i < end && i < tokens.size(); ++i) {
    const Span here = tokens[i].span;
    const bool touches = i > first && tokens[i - 1].span.end == here.begin;
    const Span both{touches ? tokens[i - 1].span.begin : here.begin, here.end};
    if (touches && words.back().size() == 1 && pairs.contains(source.text(both))) {
      words.back() += source.text(here);
    } else {
      words.emplace_back(source.text(here));
    }
  }
  return words;
}

Words words_in(const std::string& text) {
  const Source source("", text);
  const std::vector<Token> tokens = scan(source, {0, text.size()}, false);
  return words_of(source, tokens, 0, tokens.size());
}

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
  macro.body = words_of(source, tokens, at, tokens.size());
  return std::pair(word(1), std::move(macro));
}

bool Expander::makes_pragma(const std::string& name, int depth) const {
  const auto found = macros_.find(name);
  if (found == macros_.end() || depth > 20) return false;
  return std::any_of(
      found->second.body.begin(), found->second.body.end(),
      [&](const std::string& word) { return word == "_Pragma" || makes_pragma(word, depth + 1); });
}

Words Expander::expanded(const Words& words, int depth) const {
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
    const Words more = expanded(substituted(found->second, arguments, depth), depth + 1);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::size_t Expander::arguments_of(const Words& words, std::size_t open, const Macro& macro,
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

Words Expander::substituted(const Macro& macro, const std::vector<Words>& arguments,
                            int depth) const {
  const Words none;
  const auto argument = [&](const std::string& word) -> const Words* {
    const auto named = std::find(macro.parameters.begin(), macro.parameters.end(), word);
    if (named == macro.parameters.end()) return nullptr;
    const auto index = static_cast<std::size_t>(named - macro.parameters.begin());
    return index < arguments.size() ? &arguments[index] : &none;
  };
  const auto word = [&](std::size_t i) {
    return i < macro.body.size() ? macro.body[i] : std::string();
  };
  Words all;
  for (std::size_t at = 0; at < macro.body.size(); ++at) {
    const bool hash = word(at) == "#";
    const Words* named = argument(word(hash ? at + 1 : at));
    if (hash && word(at + 1) == "#") {
      named = argument(word(at + 2));
      Words right = named != nullptr ? *named : Words{word(at + 2)};
      if (!all.empty() && !right.empty()) {
        all.back() += right.front();
        right.erase(right.begin());
      }
      all.insert(all.end(), right.begin(), right.end());
      at += 2;
    } else if (hash && named != nullptr) {
      all.push_back(as_string(*named));
      ++at;
    } else if (hash || named == nullptr) {
      all.push_back(word(at));
    } else {
      const bool pasted = word(at + 1) == "#" && word(at + 2) == "#";
      const Words more = pasted ? *named : expanded(*named, depth + 1);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  return all;
}

}  // namespace myr::translate
