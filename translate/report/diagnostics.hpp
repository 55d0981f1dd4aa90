// SPDX-License-Identifier: Apache-2.0
//
// What myrcc has to say about a source: errors, warnings and notes, each with a place, printed the
// way compilers do, with the line and a caret, so that editors find them.
#pragma once

#include <string>
#include <vector>

#include "translate/lex/source.hpp"

namespace myr::translate {

enum class Severity { Note, Warning, Error };

struct Finding {
  Severity severity = Severity::Error;
  Span where;
  std::string text;
};

// Collects what is found in one source. Errors do not stop anything by themselves: each stage goes
// on as far as it makes sense, and the next stage starts only if there are none. What is found
// twice at one place counts once.
class Diagnostics {
 public:
  // `quiet`: errors only, as compilers take -w.
  explicit Diagnostics(const Source& source, bool quiet = false)
      : source_(&source), quiet_(quiet) {}

  void error(Span where, std::string text);
  void warning(Span where, std::string text);
  // Belongs to the finding before it.
  void note(Span where, std::string text);

  [[nodiscard]] bool has_errors() const noexcept { return errors_ > 0; }
  [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }
  // All findings in the order in which they were made.
  [[nodiscard]] std::string text() const;

 private:
  void add(Severity severity, Span where, std::string text);

  const Source* source_;
  bool quiet_;
  std::vector<Finding> findings_;
  std::size_t errors_ = 0;
};

}  // namespace myr::translate
