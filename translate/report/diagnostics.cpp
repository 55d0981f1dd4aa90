// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics: see diagnostics.hpp.

#include "translate/report/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace myr::translate {
namespace {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      break;
  }
  return "error";
}

// The line with a caret below, and waves up to the end of the span or of the line. Tabs are kept,
// so that the caret stands where the terminal puts the text.
std::string excerpt(const Source& source, Span where) {
  const Position from = source.position(where.begin);
  const std::string_view line = source.line_at(where.begin);
  std::string marks;
  for (std::size_t i = 0; i + 1 < from.column && i < line.size(); ++i) {
    marks += line[i] == '\t' ? '\t' : ' ';
  }
  marks += '^';
  const std::size_t length = std::min(where.end, where.begin + line.size()) - where.begin;
  for (std::size_t i = 1; i < length && from.column - 1 + i < line.size(); ++i) marks += '~';
  return fmt::format("{:5} | {}\n      | {}\n", from.line, line, marks);
}

}  // namespace

void Diagnostics::add(Severity severity, Span where, std::string text) {
  if (quiet_ && severity != Severity::Error) return;
  const auto same = [&](const Finding& known) {
    return known.where == where && known.text == text;
  };
  if (std::any_of(findings_.begin(), findings_.end(), same)) return;
  findings_.push_back({severity, where, std::move(text)});
}

void Diagnostics::error(Span where, std::string text) {
  ++errors_;
  add(Severity::Error, where, std::move(text));
}

void Diagnostics::warning(Span where, std::string text) {
  add(Severity::Warning, where, std::move(text));
}

void Diagnostics::note(Span where, std::string text) {
  add(Severity::Note, where, std::move(text));
}

std::string Diagnostics::text() const {
  std::string all;
  for (const Finding& finding : findings_) {
    const Position at = source_->position(finding.where.begin);
    all += fmt::format("{}:{}:{}: {}: {}\n", at.path, at.line, at.column, name_of(finding.severity),
                       finding.text);
    all += excerpt(*source_, finding.where);
  }
  return all;
}

}  // namespace myr::translate
