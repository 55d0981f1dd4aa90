// SPDX-License-Identifier: Apache-2.0
#include "check/accesses.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "check/debug_info.hpp"

namespace myr::check {

namespace {

// How a type has what it stands for.
enum class Kind : std::uint8_t {
  Value,
  Pointer,
  Array,
  Sequence,  // side by side, elsewhere
  Text,      // the same, of characters
  View,      // of another's
  Owner,     // of one object, or of an array of them
  Sharer,
  Pieces,  // in many places
  Class,
};

Kind kind_of(Dwarf_Die* type) {
  constexpr std::array<std::pair<std::string_view, Kind>, 21> kKinds{{
      {"vector<bool", Kind::Pieces},
      {"vector<", Kind::Sequence},
      {"valarray<", Kind::Pieces},
      {"basic_string<", Kind::Text},
      {"basic_string_view<", Kind::View},
      {"span<", Kind::View},
      {"unique_ptr<", Kind::Owner},
      {"shared_ptr<", Kind::Sharer},
      {"map<", Kind::Pieces},
      {"multimap<", Kind::Pieces},
      {"set<", Kind::Pieces},
      {"multiset<", Kind::Pieces},
      {"unordered_", Kind::Pieces},
      {"list<", Kind::Pieces},
      {"forward_list<", Kind::Pieces},
      {"deque<", Kind::Pieces},
      {"queue<", Kind::Pieces},
      {"priority_queue<", Kind::Pieces},
      {"stack<", Kind::Pieces},
      {"function<", Kind::Pieces},
      {"any", Kind::Pieces},
  }};
  const int tag = dwarf_tag(type);
  if (tag == DW_TAG_pointer_type) return Kind::Pointer;
  if (tag == DW_TAG_array_type) return Kind::Array;
  if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type) return Kind::Value;
  const char* const name = dwarf_diename(type);
  const std::string_view text = name == nullptr ? "" : name;
  const auto known = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& one) {
    return one.first.back() == '<' || one.first.back() == '_' ? text.starts_with(one.first)
                                                              : text == one.first;
  });
  return known == kKinds.end() ? Kind::Class : known->second;
}

// What a pointer or an array consists of; of a template, its first argument.
bool element_of(Dwarf_Die* type, Dwarf_Die* element) {
  const Kind kind = kind_of(type);
  if (kind == Kind::Pointer || kind == Kind::Array) return type_of(type, element);
  bool is_found = false;
  visit_children(type, [&](Dwarf_Die* child) {
    if (dwarf_tag(child) != DW_TAG_template_type_parameter) return true;
    is_found = type_of(child, element);
    return false;
  });
  return is_found;
}

std::uint64_t bytes_of(Dwarf_Die* type) {
  Dwarf_Word bytes = 0;
  return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

bool is_private(Dwarf_Die* member, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  Dwarf_Word access = dwarf_tag(type) == DW_TAG_class_type ? DW_ACCESS_private : DW_ACCESS_public;
  dwarf_formudata(dwarf_attr(member, DW_AT_accessibility, &attribute), &access);
  return access != DW_ACCESS_public;
}

bool is_written(Dwarf_Die* function) {
  return dwarf_tag(function) == DW_TAG_subprogram && dwarf_diename(function) != nullptr &&
         dwarf_hasattr(function, DW_AT_artificial) == 0;
}

// Its contents cannot be seen from outside: it has constructors, bases or private members.
bool is_closed(Dwarf_Die* type) {
  const char* const name = dwarf_diename(type);
  const std::string_view own = name == nullptr ? "" : name;
  return !visit_children(type, [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    const bool is_constructor = is_written(child) && own.starts_with(dwarf_diename(child));
    return !is_constructor && tag != DW_TAG_inheritance &&
           !(tag == DW_TAG_member && is_private(child, type));
  });
}

bool has_destructor(Dwarf_Die* type) {
  return !visit_children(
      type, [&](Dwarf_Die* child) { return !is_written(child) || *dwarf_diename(child) != '~'; });
}

constexpr unsigned kTooDeep = 3;

// How many containers lie inside each other, as the interface counts them: what a class does not
// show has too many.
unsigned levels(Dwarf_Die type, unsigned depth = 0) {
  Dwarf_Die element;
  const Kind kind = kind_of(&type);
  if (depth == kTooDeep) return 0;
  if (kind == Kind::Owner || kind == Kind::Sharer || kind == Kind::Pieces) return kTooDeep;
  if (kind == Kind::Sequence) {
    return element_of(&type, &element) ? 1 + levels(element, depth + 1) : kTooDeep;
  }
  if (kind == Kind::Text) return 1;
  if (kind == Kind::Array) return element_of(&type, &element) ? levels(element, depth + 1) : 0;
  if (kind != Kind::Class) return 0;
  unsigned most = has_destructor(&type) ? 1 : 0;
  visit_children(&type, [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    const bool is_part = (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
                         dwarf_hasattr(child, DW_AT_external) == 0;
    if (is_part && type_of(child, &element)) most = std::max(most, levels(element, depth + 1));
    return true;
  });
  return most != 0 && is_closed(&type) ? kTooDeep : most;
}

bool points_into(std::uint64_t pointer, const Wanted& wanted) {
  return wanted.begin <= pointer && pointer < wanted.end;
}

// The leading words that can be read: a program may have pages that cannot be read.
std::vector<std::uint64_t> words_in(const Bytes& bytes) {
  constexpr std::uint64_t kMost = 8192;
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  std::vector<std::uint64_t> words(std::min((bytes.end - bytes.begin) / kWord, kMost));
  const iovec to{words.data(), words.size() * kWord};
  const iovec from{reinterpret_cast<void*>(bytes.begin), words.size() * kWord};
  const ssize_t count = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  words.resize(count < 0 ? 0 : static_cast<std::size_t>(count) / kWord);
  return words;
}

// Do pointers lead there, from what is at `all`, through memory that is allocated?
bool lead_to(const Bytes& all, const Wanted& wanted) {
  constexpr std::size_t kMost = 4096;  // pieces
  std::vector<Bytes> pieces{all};
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i != pieces.size() && i != kMost; ++i) {
    for (const std::uint64_t pointer : words_in(pieces[i])) {
      if (points_into(pointer, wanted)) return true;
      const Bytes next = wanted.block_around(pointer);
      if (next.begin != next.end && seen.insert(next.begin).second) pieces.push_back(next);
    }
  }
  return false;
}

// "pointer, count": the elements from a pointer on that reach to the end of the wanted.
std::string counted(const std::string& pointer, std::uint64_t at, Dwarf_Die* element,
                    const Wanted& wanted) {
  const std::uint64_t bytes = bytes_of(element);
  if (bytes == 0) return {};
  if (at + bytes == wanted.end) return "*" + pointer;
  return base::format("{}, {}", pointer, (wanted.end - at) / bytes);
}

std::string through_elements(const Typed& all, std::uint64_t end, Dwarf_Die element,
                             const Wanted& wanted, unsigned depth) {
  constexpr std::uint64_t kMost = 4096;
  const std::uint64_t bytes = bytes_of(&element);
  if (bytes == 0 || depth == 2 || kind_of(&element) == Kind::Value) return {};
  for (std::uint64_t i = 0; i != kMost && all.address + (i + 1) * bytes <= end; ++i) {
    const Typed one{base::format("{}[{}]", all.name, i), element, all.address + i * bytes};
    if (std::string found = access_through(one, wanted, depth + 1); !found.empty()) return found;
  }
  return {};
}

std::string through_members(const Typed& variable, const Wanted& wanted, unsigned depth) {
  Dwarf_Die type = variable.type;
  const char* const name = dwarf_diename(&type);
  std::string found;
  if (depth == 2 || (name != nullptr && std::string_view(name).starts_with("<lambda"))) return {};
  visit_children(&type, [&](Dwarf_Die* child) {
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    Typed member{variable.name + ".", {}, 0};
    const bool is_one =
        dwarf_tag(child) == DW_TAG_member && dwarf_diename(child) != nullptr &&
        !is_private(child, &type) && type_of(child, &member.type) &&
        dwarf_formudata(dwarf_attr(child, DW_AT_data_member_location, &attribute), &offset) == 0;
    if (!is_one) return true;
    member.name += name_of_variable(child);
    member.address = variable.address + offset;
    found = access_through(member, wanted, depth + 1);
    return found.empty();
  });
  return found;
}

}  // namespace

std::string access_to(const std::string& name, Dwarf_Die type) {
  const Kind kind = kind_of(&type);
  const bool stands_for_other = kind == Kind::Pointer || kind == Kind::View;
  return stands_for_other || levels(type) >= kTooDeep ? base::format("object({})", name) : name;
}

std::string access_through(const Typed& variable, const Wanted& wanted, unsigned depth) {
  Dwarf_Die type = variable.type;
  Dwarf_Die element;
  const Kind kind = kind_of(&type);
  if (kind == Kind::Value) return {};
  if (kind == Kind::Array) {
    const std::uint64_t end = variable.address + bytes_of(&type);
    return element_of(&type, &element) ? through_elements(variable, end, element, wanted, depth)
                                       : std::string();
  }
  const std::vector<std::uint64_t> words =
      words_in({variable.address, variable.address + 2 * sizeof(std::uint64_t)});
  if (words.size() != 2) return {};
  if (kind == Kind::Class) {
    const std::string found = through_members(variable, wanted, depth);
    if (!found.empty() || levels(type) < kTooDeep) return found;
  }
  if (kind == Kind::Pieces || kind == Kind::Class) {
    const Bytes all{variable.address, variable.address + bytes_of(&type)};
    return lead_to(all, wanted) ? access_to(variable.name, type) : std::string();
  }
  const bool is_it = points_into(words[0], wanted);
  if (kind == Kind::Sequence && !is_it) {
    const std::uint64_t end = std::min(words[1], wanted.block_around(words[0]).end);
    return element_of(&type, &element)
               ? through_elements({variable.name, type, words[0]}, end, element, wanted, depth)
               : std::string();
  }
  if (!is_it || kind == Kind::View) return {};
  if (kind == Kind::Sequence || kind == Kind::Text) return access_to(variable.name, type);
  if (!element_of(&type, &element)) return {};
  if (kind == Kind::Owner && kind_of(&element) == Kind::Array) {
    return type_of(&element, &element)
               ? counted(variable.name + ".get()", words[0], &element, wanted)
               : std::string();
  }
  if (kind == Kind::Owner || kind == Kind::Sharer) return "*" + variable.name;
  if (wanted.is_object) return variable.name;
  return counted(variable.name, words[0], &element, wanted);
}

}  // namespace myr::check
