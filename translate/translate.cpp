// SPDX-License-Identifier: Apache-2.0
//
// translate(): see translate.hpp.

#include "translate/translate.hpp"

#include <algorithm>

#include "translate/emit/emitter.hpp"

namespace myr::translate {
namespace {

// What C compilers accept with a warning, and Clang does not by itself.
const std::vector<std::string> kLenient = {
    "-Wno-error=implicit-int",   "-Wno-error=implicit-function-declaration",
    "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-type",    "-ferror-limit=0"};

bool has_pasted_headers(const Source& source) {
  const std::vector<Source::Part>& parts = source.parts();
  return std::any_of(parts.begin() + 1, parts.end(),
                     [](const Source::Part& part) { return !part.written; });
}

}  // namespace

Translation translate(const Source& source, const ReadOptions& options) {
  Diagnostics diagnostics(source, options.quiet);
  ReadOptions lenient = options;
  lenient.arguments.insert(lenient.arguments.end(), kLenient.begin(), kLenient.end());
  ReadFailure failure = ReadFailure::None;
  std::optional<Source> expanded;
  const auto reading = read(source, lenient, diagnostics, failure, expanded);
  if (expanded) return translate(*expanded, options);
  Translation translation;
  translation.unchanged = reading && reading->pragmas.empty() && reading->inactive.empty() &&
                          !reading->main && !has_pasted_headers(source);
  if (reading) {
    translation.text = emit(source, *reading, options.language);
    translation.has_main = reading->main.has_value();
  }
  translation.messages = diagnostics.text();
  translation.code_refused = failure == ReadFailure::Code;
  return translation;
}

}  // namespace myr::translate
