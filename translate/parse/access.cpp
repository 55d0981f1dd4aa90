// SPDX-License-Identifier: Apache-2.0
//
// Binding of accesses: see access.hpp. The two forms read one item differently, as their papers do:
// for Myrmics a pointer names the object behind it and anything else is a value; for OmpSs an item
// is an lvalue, and names exactly the memory of that lvalue.

#include "translate/parse/access.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace myr::translate {
namespace {

bool is_region_class(CXType type) {
  return clang::spelling(clang_getUnqualifiedType(clang_getCanonicalType(type))) == "myr::Region";
}

// Whether the expression names memory. In C++ a call does, if it returns a reference.
bool is_place(CXCursor expression) {
  const CXCursor cursor = clang::without_casts(expression);
  const CXCursor referenced = clang_getCursorReferenced(cursor);
  switch (cursor.kind) {
    case CXCursor_DeclRefExpr: {
      const CXCursorKind kind = clang_getCursorKind(referenced);
      return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ||
             kind == CXCursor_UnexposedDecl;  // a structured binding of C++
    }
    case CXCursor_MemberRefExpr:
      return clang_getCursorKind(referenced) == CXCursor_FieldDecl ||
             clang_getCursorKind(referenced) == CXCursor_VarDecl ||
             is_dependent(clang_getCursorType(cursor));
    case CXCursor_ArraySubscriptExpr:
      return true;
    case CXCursor_UnaryOperator:
      return clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref;
    case CXCursor_CallExpr:
      return clang::is_null(referenced) ||
             clang_getCanonicalType(clang_getCursorResultType(referenced)).kind ==
                 CXType_LValueReference;
    default:
      return is_dependent(clang_getCursorType(cursor));
  }
}

// A type that memory can be measured in; arrays of variable length and what depends on a template
// can, though their size is not known yet.
bool has_size(CXType type) {
  const long long size = clang_Type_getSizeOf(type);
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return size != CXTypeLayoutError_Incomplete && kind != CXType_FunctionProto &&
         kind != CXType_FunctionNoProto;
}

class Binder {
 public:
  explicit Binder(const AccessContext& context) : context_(context) {}

  std::vector<BoundAccess> run() {
    for (const Clause& clause : context_.pragma.clauses) {
      if (clause.kind != Clause::Kind::Access) continue;
      for (const Item& item : clause.items) bind(clause, item);
    }
    for (const Clause& clause : context_.pragma.clauses) {
      const bool names = clause.kind == Clause::Kind::Safe;
      if (names || clause.kind == Clause::Kind::NoTransfer) mark(clause);
    }
    std::erase_if(bound_, [this](const BoundAccess& access) {
      return std::any_of(safe_.begin(), safe_.end(),
                         [&](Span item) { return item == access.access.item.span; });
    });
    return std::move(bound_);
  }

 private:
  void error(Span where, std::string text) { context_.diagnostics.error(where, std::move(text)); }
  [[nodiscard]] std::string_view text(Span span) const { return context_.source.text(span); }

  void bind(const Clause& clause, const Item& item) {
    const auto found = context_.expressions.find(item.base.begin);
    if (found == context_.expressions.end()) {
      return error(item.base, "this expression cannot be translated");
    }
    BoundAccess bound{{.mode = clause.mode, .depend = clause.depend, .item = item}, found->second};
    bound.access.notransfer = bound.access.weak = clause.weak;
    const CXType type = clang_getCursorType(found->second);
    bound.access.array = is_array(found->second);
    bound.access.container = has_elements(type);
    const bool keep = item.region                                     ? region(bound, type)
                      : !item.sections.empty() || !item.shape.empty() ? section(bound, type)
                      : context_.pragma.form == Form::Myrmics         ? object(bound, type)
                                                                      : place(bound, type);
    if (keep) bound_.push_back(std::move(bound));
  }

  bool region(BoundAccess& bound, CXType type) {
    const Item& item = bound.access.item;
    bound.access.kind = Access::Kind::Region;
    if (!item.sections.empty() || !item.shape.empty()) {
      error(item.span, "a region has no sections");
      return false;
    }
    if (is_integer(type) || is_region_class(type) || is_dependent(type)) return true;
    error(item.base, fmt::format("'{}' is not a region: its type is '{}', expected 'rid_t' (or "
                                 "'myr_region')",
                                 text(item.base), clang::spelling(type)));
    return false;
  }

  // An item of the Myrmics form without `region`.
  bool object(BoundAccess& bound, CXType type) {
    const Span base = bound.access.item.base;
    if (is_array(bound.base)) {
      bound.access.kind = Access::Kind::Place;
      return true;
    }
    const Argument* argument = argument_named(text(base));
    if (is_pointer(bound.base)) {
      const CXType target = pointee(bound.base);
      bound.access.kind = Access::Kind::Object;
      bound.access.sized = clang_Type_getSizeOf(target) > 0 ||
                           clang_getCanonicalType(target).kind == CXType_VariableArray;
      bound.access.elements = declared_elements(bound.base);
      return argument == nullptr || argument->pointer;  // a pointer passed as a number is a number
    }
    if (context_.pragma.kind == PragmaKind::Wait && is_integer(type)) {
      bound.access.kind = Access::Kind::Region;
      return true;
    }
    if (argument == nullptr) {
      error(base, fmt::format("'{}' is neither an argument of the call nor a pointer; is it a "
                              "region? Then write 'region' before the clause",
                              text(base)));
    } else if (bound.access.mode != Mode::In) {
      context_.diagnostics.warning(
          base,
          fmt::format("'{}' is passed by value: what the task writes to it is lost", text(base)));
    }
    return false;
  }

  // An item of the OmpSs form: an lvalue.
  bool place(BoundAccess& bound, CXType type) {
    const Span base = bound.access.item.base;
    const CXCursor expression = clang::without_casts(bound.base);
    bound.access.kind = Access::Kind::Place;
    const bool name = bound.base.kind == CXCursor_DeclRefExpr;
    if (name && !clang::is_null(array_parameter(bound.base))) return parameter(bound);
    if (!is_place(bound.base)) {
      error(base,
            fmt::format("'{}' is not a place in memory: expected a variable, an element, *p or "
                        "[n]p",
                        text(base)));
      return false;
    }
    if (expression.kind == CXCursor_MemberRefExpr &&
        clang_Cursor_isBitField(clang_getCursorReferenced(expression)) != 0) {
      error(base, "a bit-field has no address; name the structure that holds it");
      return false;
    }
    const bool sized = has_size(type) && clang_getCanonicalType(type).kind != CXType_Void;
    if (!sized && !is_pointer(bound.base)) return refuse_size(base);
    if (is_register(storage_root(bound.base))) {
      error(base, fmt::format("'{}' is a register variable, which has no address", text(base)));
      return false;
    }
    // A dependence may name a pointer, as it may any variable that stands for something.
    if (name && is_pointer(type) && !bound.access.depend) {
      error(base,
            fmt::format("'{0}' is a pointer, and this names the pointer itself, not what it "
                        "points to: write *{0} or [n]{0}, or ({0}) if you do mean the pointer",
                        text(base)));
      return false;
    }
    if (context_.parameters && !is_reference_parameter(expression) && owns_storage(expression)) {
      error(base, fmt::format("'{}' is a copy that the call makes: no other task can see it",
                              text(base)));
      return false;
    }
    return true;
  }

  // How many elements a parameter was written with, as in `double a[16]`; 0: nobody knows.
  static std::size_t declared_elements(CXCursor base) {
    const CXCursor parameter = array_parameter(base);
    if (clang::is_null(parameter)) return 0;
    const long long size =
        clang_getArraySize(clang_getCanonicalType(clang_getCursorType(parameter)));
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }

  // A parameter that is written as an array names the elements that it is written with.
  bool parameter(BoundAccess& bound) {
    bound.access.kind = Access::Kind::Elements;
    bound.access.elements = declared_elements(bound.base);
    if (bound.access.elements > 0) return true;
    const std::string_view name = text(bound.access.item.base);
    error(bound.access.item.base,
          fmt::format("'{0}' is a parameter, and so a pointer, which does not say how many "
                      "elements it points to: write [n]{0}, or ({0}) if you do mean the pointer",
                      name));
    return false;
  }

  bool refuse_size(Span base) {
    error(base, fmt::format("the size of '{}' is not known here", text(base)));
    return false;
  }
  static bool is_register(CXCursor variable) {
    return !clang::is_null(variable) && clang_Cursor_getStorageClass(variable) == CX_SC_Register;
  }

  static bool is_reference_parameter(CXCursor expression) {
    const CXCursor root = storage_root(expression);
    if (clang::is_null(root)) return false;
    const CXTypeKind kind = clang_getCursorType(root).kind;
    return kind == CXType_LValueReference || kind == CXType_RValueReference;
  }
  static bool owns_storage(CXCursor expression) {
    const CXCursor root = storage_root(expression);
    return !clang::is_null(root) && clang_getCursorKind(root) == CXCursor_ParmDecl;
  }

  bool section(BoundAccess& bound, CXType type) {
    const Item& item = bound.access.item;
    bound.access.kind = Access::Kind::Section;
    const bool array = is_array(bound.base);
    const bool pointer = is_pointer(bound.base);
    if (!item.shape.empty() && !pointer && !array) {
      error(item.base, fmt::format("'{}' is not a pointer: [n]p needs one", text(item.base)));
      return false;
    }
    if (item.shape.size() > 3 || item.sections.size() > 3) {
      error(item.span, "sections have at most three dimensions");
      return false;
    }
    if (!item.shape.empty() && !item.sections.empty() &&
        item.shape.size() != item.sections.size()) {
      error(item.span, fmt::format("{} dimensions before '{}' and {} after it", item.shape.size(),
                                   text(item.base), item.sections.size()));
      return false;
    }
    if (!has_size(pointer || array ? pointee(bound.base) : type)) return refuse_size(item.base);
    return item.shape.empty() ? plain_section(item, bound.base) : true;
  }

  // A class that keeps its elements side by side, such as std::vector. If the elements keep some,
  // too, those are elsewhere.
  bool container_section(const Item& item) {
    if (item.sections.size() == 1) return true;
    error(item.sections[1].span,
          fmt::format("'{0}' is an object, whose elements have no second dimension: if they have "
                      "elements themselves, name those of one, as in {0}[i][first;count]",
                      text(item.base)));
    return false;
  }

  // Sections of what is an array by its type.
  bool plain_section(const Item& item, CXCursor base) {
    CXType type = clang_getCursorType(base);
    bool array = is_array(base);
    if (has_elements(type)) return container_section(item);
    for (const Brackets& brackets : item.sections) {
      const bool open_end = brackets.kind != Brackets::Kind::Index && !brackets.second;
      if (is_class(type)) {
        error(brackets.span,
              fmt::format("'{0}' is an object of type '{1}' here, which has no data() and size() "
                          "for its elements: name a pointer to them, as in p[first;count]",
                          text(item.base), clang::spelling(type)));
        return false;
      }
      if (!is_pointer(type) && !is_array(type) && !is_dependent(type)) {
        error(brackets.span, fmt::format("'{}' has fewer dimensions: its type is '{}' here",
                                         text(item.base), clang::spelling(type)));
        return false;
      }
      if (open_end && !array) {
        error(brackets.span, "a pointer does not know its length: give the end of the section");
        return false;
      }
      type = clang_getCanonicalType(type);
      type = is_array(type) ? clang_getArrayElementType(type) : clang_getPointeeType(type);
      array = is_array(type);
    }
    return true;
  }

  [[nodiscard]] const Argument* argument_named(std::string_view name) const {
    if (context_.call == nullptr) return nullptr;
    for (const Argument& argument : *context_.call) {
      if (argument.text == name) return &argument;
    }
    return nullptr;
  }

  // safe(x): x is passed by value. notransfer(x): the task only hands x on.
  void mark(const Clause& clause) {
    for (const Item& item : clause.items) {
      bool known = argument_named(text(item.span)) != nullptr;
      for (BoundAccess& bound : bound_) {
        if (text(bound.access.item.base) != text(item.base)) continue;
        known = true;
        if (clause.kind == Clause::Kind::Safe) safe_.push_back(bound.access.item.span);
        if (clause.kind == Clause::Kind::NoTransfer) bound.access.notransfer = true;
      }
      if (!known) {
        context_.diagnostics.warning(
            item.span, fmt::format("'{}' is no argument of this task", text(item.span)));
      }
    }
  }

  const AccessContext& context_;
  std::vector<BoundAccess> bound_;
  std::vector<Span> safe_;
};

}  // namespace

CXCursor storage_root(CXCursor expression) {
  const CXCursor cursor = clang::without_casts(expression);
  const std::vector<CXCursor> below = clang::children(cursor);
  switch (cursor.kind) {
    case CXCursor_DeclRefExpr:
      return clang_getCursorReferenced(cursor);
    case CXCursor_MemberRefExpr:
      if (below.empty() || is_pointer(below.front())) break;
      return storage_root(below.front());
    case CXCursor_ArraySubscriptExpr:
      if (below.empty() || !is_array(clang::without_casts(below.front()))) break;
      return storage_root(below.front());
    default:
      break;
  }
  return clang_getNullCursor();
}

CXCursor leftmost(CXCursor expression) {
  CXCursor cursor = clang::without_casts(expression);
  while (cursor.kind != CXCursor_DeclRefExpr) {
    const std::vector<CXCursor> below = clang::children(cursor);
    if (below.empty()) return clang_getNullCursor();
    cursor = clang::without_casts(below.front());
  }
  return clang_getCursorReferenced(cursor);
}

CXCursor accessed_variable(const BoundAccess& bound) {
  const bool lvalue = bound.access.kind == Access::Kind::Place ||
                      (bound.access.kind == Access::Kind::Section && bound.access.array);
  return lvalue ? storage_root(bound.base) : clang_getNullCursor();
}

namespace {

// The variables, and members of *this, at which paths to the memory that the expression names
// begin.
void add_begins(CXCursor expression, std::vector<CXCursor>& begins) {
  const CXCursor cursor = clang::without_casts(expression);
  if (cursor.kind == CXCursor_DeclRefExpr) {
    begins.push_back(clang_getCursorReferenced(cursor));
    return;
  }
  const std::vector<CXCursor> below = clang::children(cursor);
  const bool member = cursor.kind == CXCursor_MemberRefExpr;
  if (member && (below.empty() || below.front().kind == CXCursor_CXXThisExpr)) {
    begins.push_back(clang_getCursorReferenced(cursor));
    return;
  }
  const bool narrow =
      member || cursor.kind == CXCursor_ArraySubscriptExpr || cursor.kind == CXCursor_UnaryOperator;
  for (std::size_t i = 0; i < (narrow ? std::min<std::size_t>(below.size(), 1) : below.size());
       ++i) {
    add_begins(below[i], begins);
  }
}

// Whether the path to the memory that the expression names begins at the variable.
bool is_on_path(CXCursor expression, CXCursor variable) {
  std::vector<CXCursor> begins;
  add_begins(expression, begins);
  return std::any_of(begins.begin(), begins.end(),
                     [&](CXCursor begin) { return clang::same(begin, variable); });
}

// Where templates leave open what the expression names: is it in the array, or behind an object in
// it? What pointers in it lead to is elsewhere.
bool is_of_array(CXCursor expression, CXCursor variable) {
  CXType element = clang_getCanonicalType(clang_getCursorType(variable));
  while (is_array(element)) element = clang_getCanonicalType(clang_getArrayElementType(element));
  const bool open = is_dependent(clang_getCursorType(variable)) || !is_class(element) ||
                    is_dependent(clang_getCursorType(clang::without_casts(expression)));
  return open && !is_pointer(element) && clang::same(leftmost(expression), variable);
}

}  // namespace

bool meets_access(const std::vector<BoundAccess>& accesses, CXCursor expression) {
  std::vector<CXCursor> begins;
  add_begins(expression, begins);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const CXCursor begin = begins[i];
    const CXType type = clang_getCursorType(begin);
    if (!leads_on(type)) continue;
    if (std::any_of(accesses.begin(), accesses.end(), [&](const BoundAccess& one) {
          return one.access.kind != Access::Kind::Region && is_on_path(one.base, begin);
        })) {
      return true;
    }
    const CXCursor refers_to = initializer_of_reference(begin);
    if (!clang::is_null(refers_to) && begins.size() < 100) add_begins(refers_to, begins);
  }
  return false;
}

Leads leads_to(const std::vector<BoundAccess>& accesses, CXCursor variable, std::size_t& access) {
  const CXType type = clang_getNonReferenceType(clang_getCursorType(variable));
  const bool known = !is_dependent(type);
  const bool object = (is_class(type) || !known) && !is_pointer(type) && !is_array(type);
  for (access = 0; access < accesses.size(); ++access) {
    const BoundAccess& one = accesses[access];
    const CXCursor base = clang::without_casts(one.base);
    const bool named = base.kind == CXCursor_DeclRefExpr && one.access.kind == Access::Kind::Place;
    const bool root = clang::same(accessed_variable(one), variable);
    if (root && (known || named || is_array(type))) return Leads::Itself;
    const bool region = one.access.kind == Access::Kind::Region;
    if (is_array(type) && !region && is_of_array(one.base, variable)) return Leads::Itself;
  }
  for (access = 0; access < accesses.size() && object; ++access) {
    if (!is_on_path(accesses[access].base, variable)) continue;
    const bool region = accesses[access].access.kind == Access::Kind::Region;
    return region ? Leads::No : Leads::Through;
  }
  return Leads::No;
}

std::vector<BoundAccess> bind_accesses(const AccessContext& context) {
  return Binder(context).run();
}

}  // namespace myr::translate
