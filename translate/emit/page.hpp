// SPDX-License-Identifier: Apache-2.0
//
// The user's text with replacements, and marks that keep files and lines those of the user.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "translate/emit/render.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {

[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view none = "");

// What stands before a statement and behind it.
struct Around {
  std::string head;
  std::string tail;
};

class Page {
 public:
  // Replaces inactive pragmas, and a line of each part that Clang leaves out, by an error that
  // should never show.
  Page(const Source& source, const Reading& reading, Language language);

  [[nodiscard]] const Source& source() const noexcept { return source_; }
  [[nodiscard]] const Reading& reading() const noexcept { return reading_; }
  [[nodiscard]] Language language() const noexcept { return language_; }
  [[nodiscard]] Renderer& renderer() noexcept { return renderer_; }
  [[nodiscard]] const Renderer& renderer() const noexcept { return renderer_; }

  // The translation, after all sites are replaced; other pragmas of tasks become blank.
  [[nodiscard]] std::string text();

  // Puts code around a construct's statement.
  using AroundText = std::function<Around(const Site* block)>;
  void replace_construct(const Site& site, const AroundText& text);

  // As many line ends as the span has.
  [[nodiscard]] std::string lines(Span span) const;
  // The same of the source, see render.hpp.
  [[nodiscard]] std::string at(std::size_t offset) const { return translate::at(source_, offset); }
  // Where the runtime's messages say that the site is.
  [[nodiscard]] Position position(const Site& site) const;
  // Whether there is a condition for the task to run at once, or a priority.
  [[nodiscard]] static bool is_conditional(const Site& site) {
    return site.apart.has_value() || site.final.has_value() || site.priority.has_value();
  }
  // The line that includes the header of the translation's code.
  [[nodiscard]] std::string include_line(const char* header) const;
  // Declarations of the locks of critical regions, each once.
  [[nodiscard]] std::string locks() const;
  // "(if clause), (final clause), (priority clause)".
  [[nodiscard]] std::vector<std::string> conditions(const Site& site) const;

 private:
  void replace_in_loop(const Site& site, const AroundText& text);
  [[nodiscard]] std::string main_text() const;
  // Makes a function's names for itself say what the user called it.
  void disguise(const Disguised& function);

  const Source& source_;
  const Reading& reading_;
  Language language_;
  Renderer renderer_;
};

}  // namespace myr::translate
