// SPDX-License-Identifier: Apache-2.0
//
// load_source(): see includes.hpp.

#include "translate/driver/includes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "translate/driver/process.hpp"
#include "translate/lex/expander.hpp"
#include "translate/pragma/directive.hpp"
#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

namespace fs = std::filesystem;

// Headers that include others twice each, in branches, would fill any memory.
constexpr std::size_t kMostHeaders = 10'000;

// What a file contains, as far as it matters here.
struct File {
  Source source;
  std::vector<Token> tokens;
};

struct Include {
  std::string name;
  bool quoted = false;
  Words macros;  // that name it; the name is empty then
};

// What "name" or <name> names.
std::optional<Include> included_by(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '<')) return std::nullopt;
  const bool quoted = text.front() == '"';
  const std::size_t close = text.find(quoted ? '"' : '>', 1);
  if (close == std::string_view::npos) return std::nullopt;
  return Include{std::string(text.substr(1, close - 1)), quoted, {}};
}

// What an #include directive names; nothing for other directives.
std::optional<Include> include_of(const Source& source, Span directive) {
  const std::vector<Token> words = scan(source, {directive.begin + 1, directive.end}, false);
  if (words.size() < 2 || source.text(words[0].span) != "include") return std::nullopt;
  const std::string_view rest = source.text({words[1].span.begin, directive.end});
  if (rest.front() == '"' || rest.front() == '<') return included_by(rest);
  return Include{"", false, words_in(std::string(rest))};
}

bool is_pragma_once(const Source& source, Span directive) {
  const std::vector<Token> words = scan(source, {directive.begin + 1, directive.end}, false);
  return words.size() == 2 && source.text(words[0].span) == "pragma" &&
         source.text(words[1].span) == "once";
}

// The file and the line behind a #line directive, or behind the mark of a preprocessor; nothing for
// other directives, and for a #line that macros write.
std::optional<Source::Part> line_of(const Source& source, Span directive) {
  std::vector<Token> words = scan(source, {directive.begin + 1, directive.end}, false);
  if (!words.empty() && source.text(words[0].span) == "line") words.erase(words.begin());
  if (words.empty() || words[0].kind != TokenKind::Number) return std::nullopt;
  const std::string number(source.text(words[0].span));
  Source::Part part{directive.end + 1, "", std::strtoul(number.c_str(), nullptr, 10), true};
  if (words.size() > 1) part.path = unquoted(source.text(words[1].span));
  return part;
}

// The same text with the places that its #line directives give it.
Source with_lines(Source source, const std::vector<Token>& tokens) {
  std::vector<Source::Part> parts = source.parts();
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::Directive) continue;
    auto part = line_of(source, token.span);
    if (!part || part->begin >= source.text().size()) continue;
    if (part->path.empty()) part->path = parts.back().path;
    parts.push_back(std::move(*part));
  }
  return parts.size() == 1 ? std::move(source) : Source(std::move(parts), source.text());
}

// The macro of an #ifndef around all of the file, which the next directive defines; or nothing.
std::string guard_around(const File& file) {
  const std::vector<Token>& tokens = file.tokens;
  const auto words = [&](std::size_t i) {
    const Span span = tokens[i].span;
    if (tokens[i].kind != TokenKind::Directive) return Words{"", ""};
    Words all = words_in(std::string(file.source.text({span.begin + 1, span.end})));
    all.resize(2);
    return all;
  };
  if (tokens.size() < 3) return "";
  const Words first = words(0);
  const bool guarded = first[0] == "ifndef" && words(1) == Words{"define", first[1]};
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size() && guarded; ++i) {
    if (tokens[i].kind != TokenKind::Directive) continue;
    const std::string name = words(i)[0];
    if (depth == 1 && name.starts_with("el")) return "";
    depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
    if (depth == 0) return i + 1 == tokens.size() ? first[1] : "";
  }
  return "";
}

std::vector<fs::path> folders_of(const Command& command) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    for (const std::string_view option : {"-I", "-iquote", "-isystem"}) {
      if (word == option && i + 1 < command.words.size()) {
        folders.emplace_back(command.words[i + 1]);
      } else if (word.starts_with(option)) {
        folders.emplace_back(word.substr(option.size()));
      }
    }
  }
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(name);
    std::istringstream list(value == nullptr ? "" : value);
    for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
  }
  return folders;
}

class Loader {
 public:
  explicit Loader(const Command& command)
      : words_(command.words),
        folders_(folders_of(command)),
        asks_(obeys_openmp(command) ? Interest::Always : Interest::WithoutOpenMP),
        has_hidden_includes_(std::find(words_.begin(), words_.end(), "-include") != words_.end()) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool apart = words_[i] == "-D" && i + 1 < words_.size();
      if (!apart && !words_[i].starts_with("-D")) continue;
      std::string text = apart ? words_[i + 1] : words_[i].substr(2);
      const std::size_t equals = text.find('=');
      if (equals != std::string::npos) text[equals] = ' ';
      const Source line("", "#define " + text);
      note_definition(line, {0, line.text().size()});
    }
  }

  Loaded load(const std::string& path, const std::string& text) {
    const File& main = remember(path, path, text);
    main_folder_ = fs::path(path).parent_path();
    bool relevant = is_relevant(main, path) || has_hidden_includes_;
    if (has_hidden_pragmas_ && (relevant || names_pragmas())) {
      counts_hidden_pragmas_ = true;
      relevant_.clear();
      relevant = is_relevant(main, path) || has_hidden_includes_;
    }
    parts_.push_back({0, path, 1});
    if (relevant) {
      append(main, path);
    } else {
      text_ = text;
    }
    return {Source(std::move(parts_), std::move(text_)), relevant, std::move(included_)};
  }

 private:
  const File& remember(const std::string& key, const std::string& path, const std::string& text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // only the first bytes may be one
    const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    File file{Source(path, text.substr(begin)), {}};
    file.tokens = scan(file.source, {0, text.size() - begin});
    file.source = with_lines(std::move(file.source), file.tokens);
    return files_.insert_or_assign(key, std::move(file)).first->second;
  }

  // The file, if it is one that can be read; nullptr otherwise.
  const File* open(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) return nullptr;
    const auto known = files_.find(path.string());
    if (known != files_.end()) return &known->second;
    const auto text = read_file(path.string());
    return text ? &remember(path.string(), path.string(), *text) : nullptr;
  }

  // Where an include leads to: the path as the compiler would print it.
  std::optional<fs::path> find(const fs::path& from, const Include& include) {
    if (include.name.empty()) return std::nullopt;
    if (include.quoted && open(from.parent_path() / include.name) != nullptr) {
      return from.parent_path() / include.name;
    }
    // The compiler, which gets the source in another folder, looks here for all of them.
    if (include.quoted && open(main_folder_ / include.name) != nullptr) {
      return main_folder_ / include.name;
    }
    for (const fs::path& folder : folders_) {
      if (open(folder / include.name) != nullptr) return folder / include.name;
    }
    return std::nullopt;
  }

  // Whether the file, or one that it includes, has one of our pragmas.
  bool is_relevant(const File& file, const fs::path& path) {
    const auto known = relevant_.find(path.string());
    if (known != relevant_.end()) return known->second;
    relevant_[path.string()] = false;  // files that include themselves end here
    bool relevant = false;
    for (std::size_t i = 0; i < file.tokens.size(); ++i) {
      const Span span = file.tokens[i].span;
      if (file.tokens[i].kind != TokenKind::Directive) {
        relevant = has_operator(file.source, file.tokens, i) || relevant;
        continue;
      }
      relevant = relevant || interest_of(file.source, span) >= asks_;
      if (file.source.text(span).find("_Pragma") != std::string_view::npos) {
        const std::vector<Token> inner = scan(file.source, {span.begin + 1, span.end}, false);
        for (std::size_t j = 0; j < inner.size(); ++j) {
          relevant = has_operator(file.source, inner, j) || relevant;
        }
      }
      note_definition(file.source, span);
      auto include = include_of(file.source, span);
      relevant = relevant || (include && is_ambiguous(include->macros));
      if (include && !include->macros.empty()) include = expanded(include->macros);
      const auto header = include ? find(path, *include) : std::nullopt;
      relevant = (header && is_relevant(*open(*header), *header)) || relevant;
    }
    relevant_[path.string()] = relevant;
    return relevant;
  }

  // Whether a _Pragma that is ours begins at a token. What macros make it say may be ours.
  bool has_operator(const Source& source, const std::vector<Token>& tokens, std::size_t at) {
    if (source.text(tokens[at].span) != "_Pragma") return false;
    if (at + 2 < tokens.size() && tokens[at + 2].kind == TokenKind::Literal) {
      return interest_of(unquoted(source.text(tokens[at + 2].span))) >= asks_;
    }
    has_hidden_pragmas_ = true;
    return counts_hidden_pragmas_;
  }

  // Whether any file says a word with which pragmas of ours begin, outside of pragmas.
  [[nodiscard]] bool names_pragmas() const {
    const auto any_of = [&](const Source& source, const std::vector<Token>& tokens) {
      return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
        const std::string_view text = source.text(token.span);
        if (token.kind != TokenKind::Literal) return begins_pragma(text);
        const Words words = words_in(unquoted(text));
        return std::any_of(words.begin(), words.end(), begins_pragma);
      });
    };
    const auto speaks = [&](const Source& source, const std::vector<Token>& tokens) {
      if (any_of(source, tokens)) return true;
      return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
        return token.kind == TokenKind::Directive &&
               directive_name(source, token.span) == "define" &&
               any_of(source, scan(source, {token.span.begin + 1, token.span.end}, false));
      });
    };
    return std::any_of(words_.begin(), words_.end(),
                       [&](const std::string& word) {
                         const Words inside = words_in(word);
                         return std::any_of(inside.begin(), inside.end(), begins_pragma);
                       }) ||
           std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
             return speaks(file.second.source, file.second.tokens);
           });
  }

  void note_definition(const Source& source, Span directive) {
    auto macro = macro_of(source, directive);
    if (!macro) return;
    const auto [known, is_new] = macros_.try_emplace(macro->first, macro->second);
    if (!is_new && !(known->second == macro->second)) ambiguous_.insert(macro->first);
  }

  // Whether the words use a macro of which there are several.
  [[nodiscard]] bool is_ambiguous(const Words& words, int depth = 0) const {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      const auto macro = depth < 20 ? macros_.find(word) : macros_.end();
      return ambiguous_.contains(word) ||
             (macro != macros_.end() && is_ambiguous(macro->second.body, depth + 1));
    });
  }

  [[nodiscard]] std::optional<Include> expanded(const Words& macros) const {
    std::string text;
    for (const std::string& word : Expander(macros_).expanded(macros)) text += word;
    return included_by(text);
  }

  // Adds the file's text, with relevant headers in the place of their #include.
  void append(const File& file, const fs::path& path) {
    std::size_t at = 0;
    for (const Token& token : file.tokens) {
      if (token.kind != TokenKind::Directive) continue;
      const std::string name = directive_name(file.source, token.span);
      branches_ += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
      if (path != files_main() && is_pragma_once(file.source, token.span)) {
        copy(file.source, {at, token.span.begin});
        at = token.span.end;
      }
      const auto include = include_of(file.source, token.span);
      const auto header = include ? find(path, *include) : std::nullopt;
      if (!header) continue;
      copy(file.source, {at, token.span.begin});
      at = token.span.end;
      if (is_relevant(*open(*header), *header)) {
        append_header(*header, file.source, token.span.end);
      } else {
        text_ += named_from_main(file.source, token.span, path, *header, *include);
      }
    }
    copy(file.source, {at, file.source.text().size()});
  }

  // Adds a piece of a file; a #line before it has said where its lines come from.
  void copy(const Source& source, Span span) {
    for (const Source::Part& part : source.parts()) {
      if (part.begin <= span.begin || part.begin > span.end) continue;
      parts_.push_back(part);
      parts_.back().begin = text_.size() + part.begin - span.begin;
    }
    text_ += source.text(span);
  }

  void append_header(const fs::path& header, const Source& from, std::size_t offset) {
    if (!open_.insert(header.string()).second) {
      // Guards stop it, if the compiler gets here at all.
      text_ += "#error a header with pragmas of myrcc includes itself";
      return;
    }
    if (std::find(included_.begin(), included_.end(), header.string()) == included_.end()) {
      included_.push_back(header.string());
    }
    // The preprocessor knows whether the compiler gets here, and was here before.
    const File& file = *open(header);
    const bool once = std::any_of(file.tokens.begin(), file.tokens.end(), [&](const Token& token) {
      return token.kind == TokenKind::Directive && is_pragma_once(file.source, token.span);
    });
    const std::string around = guard_around(file);
    const std::string guard = once ? guard_of(header) : around;
    if (++headers_ > kMostHeaders) {
      text_ += "\n#error headers with pragmas of myrcc include each other too often";
    } else if (!guard.empty() && pasted_.contains(guard)) {
      text_ += fmt::format("\n#ifndef {}\n#error {} is included again\n#endif", guard, guard);
    } else {
      if (once) text_ += fmt::format("\n#ifndef {0}\n#define {0}", guard);
      begin_part(header.string(), 1);
      // Text in no branch except a guard's is always there, whatever the preprocessor finds.
      if (branches_ == 0 && !guard.empty()) pasted_.insert(guard);
      branches_ -= around.empty() ? 0 : 1;
      append(file, header);
      branches_ += around.empty() ? 0 : 1;
      if (once) text_ += "\n#endif";
    }
    const Position behind = from.position(offset);
    begin_part(std::string(behind.path), behind.line);
    open_.erase(header.string());
  }

  // One name for a file, by whatever path it is reached.
  std::string guard_of(const fs::path& header) {
    std::error_code failure;
    const fs::path real = fs::canonical(header, failure);
    const auto known = guards_.try_emplace((failure ? header : real).string(), guards_.size());
    return fmt::format("MYRCC_ONCE_{}_", known.first->second);
  }

  void begin_part(std::string path, std::size_t line) {
    text_ += fmt::format("\n#line {} \"{}\"\n", line, path);
    parts_.push_back({text_.size(), std::move(path), line});
  }

  // An #include of a header that stays. In a file that became part of another, a name that is meant
  // from its own folder must be found from there as well.
  std::string named_from_main(const Source& source, Span directive, const fs::path& path,
                              const fs::path& header, const Include& include) const {
    const bool own = include.quoted && header == path.parent_path() / include.name;
    if (!own || path.parent_path() == main_folder_) return std::string(source.text(directive));
    return fmt::format("#include \"{}\"", fs::absolute(header).string());
  }

  [[nodiscard]] fs::path files_main() const { return parts_.front().path; }

  std::vector<std::string> words_;  // of the command
  std::map<std::string, Macro> macros_;
  std::set<std::string> ambiguous_;  // macros of which there are several
  std::vector<fs::path> folders_;
  Interest asks_;                       // at least, of a pragma that makes a file relevant
  bool has_hidden_includes_;            // by the command: Clang must tell what is in them
  bool has_hidden_pragmas_ = false;     // of which only macros tell what they say
  bool counts_hidden_pragmas_ = false;  // so one may be ours
  fs::path main_folder_;
  std::map<std::string, File> files_;
  std::map<std::string, bool> relevant_;
  std::map<std::string, std::size_t> guards_;  // of headers with #pragma once
  std::set<std::string> open_;                 // headers being appended
  std::set<std::string> pasted_;               // guards of headers that are part of it for sure
  std::size_t headers_ = 0;                    // pasted, each time
  int branches_ = 0;                           // #if groups around what is being appended
  std::vector<Source::Part> parts_;
  std::string text_;
  std::vector<std::string> included_;
};

}  // namespace

Loaded load_source(const std::string& path, const std::string& text, const Command& command) {
  return Loader(command).load(path, text);
}

}  // namespace myr::translate
