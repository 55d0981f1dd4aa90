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
#include "translate/lex/scanner.hpp"
#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

namespace fs = std::filesystem;

// What a file contains, as far as it matters here.
struct File {
  Source source;
  std::vector<Token> tokens;
};

struct Include {
  std::string name;
  std::string macro;  // that names it
  bool quoted = false;
};

// What an #include directive names; nothing for other directives. A macro names nothing.
std::optional<Include> include_of(const Source& source, Span directive) {
  const std::vector<Token> words = scan(source, {directive.begin + 1, directive.end}, false);
  if (words.size() < 2 || source.text(words[0].span) != "include") return std::nullopt;
  const std::string_view rest = source.text({words[1].span.begin, directive.end});
  const bool quoted = rest.front() == '"';
  if (!quoted && rest.front() != '<') return Include{"", std::string(source.text(words[1].span))};
  const std::size_t close = rest.find(quoted ? '"' : '>', 1);
  if (close == std::string_view::npos) return std::nullopt;
  return Include{std::string(rest.substr(1, close - 1)), "", quoted};
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
        has_hidden_includes_(std::find(command.words.begin(), command.words.end(), "-include") !=
                             command.words.end()) {}

  Loaded load(const std::string& path, const std::string& text) {
    const File& main = remember(path, path, text);
    main_folder_ = fs::path(path).parent_path();
    const bool relevant = is_relevant(main, path) || has_hidden_includes_;
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
    File file{Source(path, text), {}};
    file.tokens = scan(file.source, {0, text.size()});
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
    for (const Token& token : file.tokens) {
      if (token.kind != TokenKind::Directive) {
        relevant = relevant || file.source.text(token.span) == "_Pragma";
        continue;
      }
      const std::string_view text = file.source.text(token.span);
      const bool hidden = text.find("_Pragma") != std::string_view::npos;
      relevant = relevant || hidden || interest_of(file.source, token.span) >= asks_;
      const auto include = include_of(file.source, token.span);
      const auto header = include ? find(path, *include) : std::nullopt;
      // Named by a macro: no telling, if a file or the command that we know defines it.
      const bool macro = include && include->name.empty();
      relevant = relevant || (macro && is_defined(include->macro));
      note_definition(file.source, token.span);
      relevant = (header && is_relevant(*open(*header), *header)) || relevant;
    }
    relevant_[path.string()] = relevant;
    return relevant;
  }

  void note_definition(const Source& source, Span directive) {
    const std::vector<Token> words = scan(source, {directive.begin + 1, directive.end}, false);
    if (words.size() > 1 && source.text(words[0].span) == "define") {
      defined_.insert(std::string(source.text(words[1].span)));
    }
  }
  [[nodiscard]] bool is_defined(const std::string& macro) const {
    const auto defines = [&](std::string_view word) {
      return word.starts_with(macro) && (word.size() == macro.size() || word[macro.size()] == '=');
    };
    return defined_.contains(macro) ||
           std::any_of(words_.begin(), words_.end(), [&](std::string_view word) {
             return defines(word) || (word.starts_with("-D") && defines(word.substr(2)));
           });
  }

  // Adds the file's text, with relevant headers in the place of their #include.
  void append(const File& file, const fs::path& path) {
    std::size_t at = 0;
    for (const Token& token : file.tokens) {
      if (token.kind != TokenKind::Directive) continue;
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

  // Adds a piece of a file; where its lines come from was said for its begin.
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
    if (once) text_ += fmt::format("\n#ifndef {0}\n#define {0}", guard_of(header));
    begin_part(header.string(), 1);
    append(file, header);
    if (once) text_ += "\n#endif";
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
  std::set<std::string> defined_;   // macros
  std::vector<fs::path> folders_;
  Interest asks_;             // at least, of a pragma that makes a file relevant
  bool has_hidden_includes_;  // by the command: Clang must tell what is in them
  fs::path main_folder_;
  std::map<std::string, File> files_;
  std::map<std::string, bool> relevant_;
  std::map<std::string, std::size_t> guards_;  // of headers with #pragma once
  std::set<std::string> open_;                 // headers being appended
  std::vector<Source::Part> parts_;
  std::string text_;
  std::vector<std::string> included_;
};

}  // namespace

Loaded load_source(const std::string& path, const std::string& text, const Command& command) {
  return Loader(command).load(path, text);
}

}  // namespace myr::translate
