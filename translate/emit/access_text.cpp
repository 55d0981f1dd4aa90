// SPDX-License-Identifier: Apache-2.0
//
// Accesses as code: see access_text.hpp and include/myr/pragma.h.

#include "translate/emit/access_text.hpp"

#include <fmt/format.h>

#include "translate/emit/construct_text.hpp"

namespace myr::translate {
namespace {

// A section, dimension by dimension, from the outermost.
struct Dimension {
  std::string first;  // index of the first element
  std::string count;
  std::string stride;  // bytes from one element to the next
};

class SectionText {
 public:
  SectionText(const Access& access, const Renderer& renderer)
      : item_(access.item), renderer_(renderer) {
    base_ = text(item_.base);
    if (!access.container) return;
    count_ = base_ + ".size()";
    base_ += ".data()";
  }

  [[nodiscard]] std::string value(const std::string& flags) const {
    if (item_.sections.empty()) return whole_shape(flags);
    const std::vector<Dimension> dimensions = item_.shape.empty() ? from_type() : from_shape();
    std::string first = item_.shape.empty() ? "&" + base_ : "(const char*)" + base_;
    for (const Dimension& dimension : dimensions) {
      first += item_.shape.empty()
                   ? fmt::format("[{}]", dimension.first)
                   : fmt::format(" + ({}) * (long long)({})", dimension.first, dimension.stride);
    }
    const Dimension& last = dimensions.back();
    const std::string bytes = fmt::format("myr_size({}, {})", last.count, last.stride);
    if (dimensions.size() == 1) return fmt::format("myr_piece({}, {}, {})", first, bytes, flags);
    const Dimension& rows = dimensions[dimensions.size() - 2];
    const bool planes = dimensions.size() == 3;
    return fmt::format("myr_box_of({}, {}, {}, {}, {}, {}, {})", first, bytes, rows.count,
                       rows.stride, planes ? dimensions[0].count : "1",
                       planes ? dimensions[0].stride : "0", flags);
  }

 private:
  [[nodiscard]] std::string text(Span span) const { return "(" + renderer_.expression(span) + ")"; }

  [[nodiscard]] std::string whole_shape(const std::string& flags) const {
    std::string count = "1LL";
    for (const Span span : item_.shape) count += " * " + text(span);
    return fmt::format("myr_piece({}, myr_size({}, sizeof(*{})), {})", base_, count, base_, flags);
  }

  [[nodiscard]] std::string count_of(const Brackets& brackets, const std::string& first,
                                     const std::string& all) const {
    using Kind = Brackets::Kind;
    if (brackets.kind == Kind::Index) return "1";
    if (!brackets.second) return fmt::format("(long long)({}) - (long long){}", all, first);
    const std::string second = text(*brackets.second);
    return brackets.kind == Kind::Bounds ? fmt::format("myr_from_to({}, {})", first, second)
                                         : second;
  }

  // For an array or a pointer: the type knows the strides.
  [[nodiscard]] std::vector<Dimension> from_type() const {
    std::vector<Dimension> dimensions;
    std::string array = base_;
    for (const Brackets& brackets : item_.sections) {
      const std::string first = brackets.first ? text(*brackets.first) : "0";
      const std::string all =
          count_.empty() ? fmt::format("sizeof({0}) / sizeof({0}[0])", array) : count_;
      array += "[0]";
      dimensions.push_back(
          {first, count_of(brackets, first, all), fmt::format("sizeof({})", array)});
    }
    return dimensions;
  }

  // Of [n][m]a: the shape does.
  [[nodiscard]] std::vector<Dimension> from_shape() const {
    std::vector<Dimension> dimensions;
    for (std::size_t i = 0; i < item_.sections.size(); ++i) {
      const Brackets& brackets = item_.sections[i];
      const std::string first = brackets.first ? text(*brackets.first) : "0";
      std::string stride = fmt::format("sizeof(*{})", base_);
      for (std::size_t j = i + 1; j < item_.shape.size(); ++j) {
        stride += " * " + text(item_.shape[j]);
      }
      dimensions.push_back({first, count_of(brackets, first, text(item_.shape[i])), stride});
    }
    return dimensions;
  }

  const Item& item_;
  const Renderer& renderer_;
  std::string base_;
  std::string count_;  // of a container
};

std::string flags_of(const Access& access) {
  std::string flags = access.mode == Mode::In    ? "MYR_IN"
                      : access.mode == Mode::Out ? "MYR_OUT"
                                                 : "MYR_INOUT";
  if (access.mode == Mode::Commutative) flags += " | MYR_COMMUTATIVE";
  // In a region, tasks could not allocate at the same time.
  const bool region = access.kind == Access::Kind::Region;
  if (access.mode == Mode::Concurrent && !region) flags += " | MYR_CONCURRENT";
  if (access.notransfer) flags += " | MYR_NOTRANSFER";
  if (access.weak) flags += " | MYR_WEAK";
  return flags;
}

// The size of the elements behind a pointer.
std::string size_of(const Access& access, const std::string& base) {
  return (access.elements > 1 ? fmt::format("{} * ", access.elements) : "") + "sizeof(*" + base +
         ")";
}

bool is_list(const Access& access) { return access.item.counter || !access.item.iterators.empty(); }

bool is_box(const Access& access) {
  return access.kind == Access::Kind::Section && access.item.sections.size() > 1;
}

std::string value_of_one(const Access& access, const Renderer& renderer, Language language) {
  const std::string base = "(" + renderer.expression(access.item.base) + ")";
  const std::string flags = flags_of(access);
  switch (access.kind) {
    case Access::Kind::Object:
      return fmt::format("myr_object({}, {}, {})", base, access.sized ? size_of(access, base) : "0",
                         flags);
    case Access::Kind::Elements:
      return fmt::format("myr_piece({}, {}, {})", base, size_of(access, base), flags);
    case Access::Kind::Place:
      return language == Language::C ? fmt::format("myr_piece(&{0}, sizeof{0}, {1})", base, flags)
                                     : fmt::format("::myr::pragma::place({}, {})", base, flags);
    case Access::Kind::Section:
      return SectionText(access, renderer).value(flags);
    case Access::Kind::Region:
      break;
  }
  return fmt::format("myr_region_access({}{}, {})",
                     language == Language::C ? "" : "::myr::pragma::region_of", base, flags);
}

std::string type_of(const Iterator& iterator, const Renderer& renderer) {
  const bool typed = iterator.type.end > iterator.type.begin;
  return typed ? renderer.expression(iterator.type) : "int";
}

// The head of a loop over the values of an iterator, with the declaration before it: it opens a
// brace.
std::string loop_over(const Iterator& iterator, const Renderer& renderer) {
  const auto value = [&](Span span) { return "(" + renderer.expression(span) + ")"; };
  const std::string name = renderer.expression(iterator.name);
  const std::string first = value(iterator.first);
  const std::string second = value(iterator.second);
  const std::string step = iterator.step ? value(*iterator.step) : "1";
  using Kind = Brackets::Kind;
  const std::string end = iterator.kind == Kind::Count ? first + " + " + second : second;
  const char* inclusive = iterator.kind == Kind::Bounds ? "=" : "";
  const std::string goes_on = iterator.step ? fmt::format("{0} > 0 ? {1} <{2} {3} : {1} >{2} {3}",
                                                          step, name, inclusive, end)
                                            : fmt::format("{} <{} {}", name, inclusive, end);
  return fmt::format("{{ {0} {1}; for ({1} = {2}; {3}; {1} += {4}) {{ ",
                     type_of(iterator, renderer), name, first, goes_on, step);
}

}  // namespace

std::string first_of(const Iterator& iterator, const Renderer& renderer) {
  return fmt::format("{0} {1} = ({2}); (void){1}; ", type_of(iterator, renderer),
                     renderer.expression(iterator.name), renderer.expression(iterator.first));
}

std::string access_value(const Access& access, const std::optional<Loop>& loop,
                         const Renderer& renderer, Language language) {
  const std::string value = value_of_one(access, renderer, language);
  const Item& item = access.item;
  if (!is_list(access)) return value;
  std::string loops;
  std::string ends;
  if (item.counter) {
    loops = iterations(*loop, "myrcc_first", "myrcc_step", "myrcc_chunk");
    ends = "} } ";
  }
  for (const Iterator& iterator : item.iterators) {
    loops += loop_over(iterator, renderer);
    ends += "} } ";
  }
  const char* how = is_box(access) ? "_box" : item.counter && item.counter->joins ? "_joined" : "";
  return fmt::format(
      "__extension__({{ myr_list myrcc_list = {{0, 0, 0, 0}}; {}myr_list_add{}(&myrcc_list, {}); "
      "{}myrcc_list; }})",
      loops, how, value, ends);
}

std::string access_type(const Access& access) {
  return is_list(access) ? "myr_list" : is_box(access) ? "myr_box" : "myr_access";
}

}  // namespace myr::translate
