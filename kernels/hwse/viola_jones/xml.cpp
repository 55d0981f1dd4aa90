// SPDX-License-Identifier: Apache-2.0
//
// See xml.hpp.
#include "hwse/viola_jones/xml.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace faces {
namespace {

constexpr int kDepthMax = 64;  // of elements in elements: the parser calls itself
constexpr std::string_view kBlanks = " \t\r\n";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Element document() {
    while (true) {
      skip_blanks();
      if (take("<?")) {
        skip_past("?>");
      } else if (take("<!--")) {
        skip_past("-->");
      } else {
        break;
      }
    }
    expect("<");
    return element(0);
  }

 private:
  // What stands behind its first '<'.
  Element element(int depth) {
    if (depth == kDepthMax) fail("too many elements in each other");
    Element result;
    result.name = text_.substr(at_, text_.find_first_of(" \t\r\n/>", at_) - at_);
    const std::size_t end = text_.find('>', at_);
    if (end == std::string_view::npos) fail("a tag does not end");
    const bool empty = text_[end - 1] == '/';
    at_ = end + 1;
    if (!empty) content(result, depth);
    return result;
  }

  // Everything up to and with the end tag.
  void content(Element& result, int depth) {
    while (!take("</")) {
      if (take("<!--")) {
        skip_past("-->");
      } else if (take("<")) {
        result.children.push_back(element(depth + 1));
      } else {
        const std::size_t end = std::min(text_.find('<', at_), text_.size());
        if (end == text_.size()) fail("no end of <" + result.name + ">");
        result.text += text_.substr(at_, end - at_);
        at_ = end;
      }
    }
    expect(result.name);
    expect(">");
  }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail("expected " + std::string(word));
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  void skip_past(std::string_view word) {
    const std::size_t found = text_.find(word, at_);
    if (found == std::string_view::npos) fail("expected " + std::string(word));
    at_ = found + word.size();
  }
  [[noreturn]] void fail(const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                       '\n');
    throw std::runtime_error("line " + std::to_string(line) + ": " + what);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool Element::has(std::string_view child_name) const {
  return std::any_of(children.begin(), children.end(),
                     [&](const Element& one) { return one.name == child_name; });
}

const Element& Element::child(std::string_view child_name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const Element& one) { return one.name == child_name; });
  if (found == children.end()) {
    throw std::runtime_error("no <" + std::string(child_name) + "> in <" + name + ">");
  }
  return *found;
}

std::vector<double> Element::numbers(std::size_t count) const {
  std::vector<double> result;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (kBlanks.find(*at) != std::string_view::npos) {
      ++at;
      continue;
    }
    double number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) break;
    result.push_back(number);
    at = rest;
  }
  if (at != end || result.size() != count) {
    throw std::runtime_error("expected " + std::to_string(count) + " numbers in <" + name + ">");
  }
  return result;
}

Element parse_xml(std::string_view text) { return Parser(text).document(); }

}  // namespace faces
