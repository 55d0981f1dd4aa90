// SPDX-License-Identifier: Apache-2.0
//
// translate(): see translate.hpp.

#include "translate/translate.hpp"

#include "translate/emit/emitter.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {
namespace {

// What C compilers accept with a warning, and Clang does not by itself.
const std::vector<std::string> kLenient = {"-Wno-error=implicit-int",
                                           "-Wno-error=implicit-function-declaration",
                                           "-Wno-error=int-conversion",
                                           "-Wno-error=incompatible-function-pointer-types",
                                           "-Wno-error=return-type",
                                           "-ferror-limit=0"};

}  // namespace

Translation translate(const Source& source, Language language,
                      const std::vector<std::string>& arguments) {
  Diagnostics diagnostics(source);
  ReadOptions options{language, arguments};
  options.arguments.insert(options.arguments.end(), kLenient.begin(), kLenient.end());
  ReadFailure failure = ReadFailure::None;
  const auto reading = read(source, options, diagnostics, failure);
  Translation translation;
  if (reading) {
    translation.text =
        language == Language::C ? emit_c(source, *reading) : emit_cxx(source, *reading);
  }
  translation.messages = diagnostics.text();
  translation.code_refused = failure == ReadFailure::Code;
  return translation;
}

}  // namespace myr::translate
