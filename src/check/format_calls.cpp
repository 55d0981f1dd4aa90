// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library under `myr check` whose arguments a format lists: what printf() reads and
// writes, and what scanf() writes.
#include <printf.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check/seen.hpp"

using myr::check::Seen;

namespace {

// ---- printf

// Texts, and the numbers of characters that "%n" asks for. Where a precision may cut a text short,
// nobody knows its end.
void see_printed(const Seen& seen, const char* form, va_list arguments) {
  std::array<int, 64> types{};
  const std::size_t count =
      std::min(parse_printf_format(form, types.size(), types.data()), types.size());
  const std::size_t most = std::strchr(form, '.') != nullptr ? 1 : ~std::size_t{0};
  va_list left;
  va_copy(left, arguments);
  for (std::size_t i = 0; i < count; ++i) {
    const int type = types[i] & ~PA_FLAG_MASK;
    if ((types[i] & PA_FLAG_PTR) != 0) {
      seen.writes(va_arg(left, int*));
    } else if (type == PA_STRING) {
      seen.reads_text(va_arg(left, const char*), most);
    } else if (type == PA_WSTRING) {
      seen.reads_text(va_arg(left, const wchar_t*), most);
    } else if (type == PA_POINTER) {
      va_arg(left, void*);
    } else if (type == PA_FLOAT || type == PA_DOUBLE) {
      if ((types[i] & PA_FLAG_LONG_DOUBLE) != 0) {
        va_arg(left, long double);
      } else {
        va_arg(left, double);
      }
    } else if ((types[i] & (PA_FLAG_LONG | PA_FLAG_LONG_LONG)) != 0) {
      va_arg(left, long);
    } else {
      va_arg(left, int);
    }
  }
  va_end(left);
}

// ---- scanf

// One argument of a format.
struct Field {
  char kind = 0;  // the letter; 0: there is no more
  bool is_stored = true;
  bool is_allocated = false;  // by the library: the argument is a pointer's address
  std::size_t width = 0;      // 0: none is given
  unsigned long_count = 0;    // l, ll, L, q, j, z, t
  unsigned short_count = 0;   // h, hh
};

// Goes behind the next one.
Field next_field(const char*& form) {
  Field field;
  while (*form != 0 && (form[0] != '%' || form[1] == '%')) form += *form == '%' ? 2 : 1;
  if (*form == 0) return field;
  ++form;
  for (; std::strchr("*'I0123456789$m", *form) != nullptr && *form != 0; ++form) {
    if (*form == '*') field.is_stored = false;
    if (*form == 'm') field.is_allocated = true;
    if ('0' <= *form && *form <= '9')
      field.width = field.width * 10 + static_cast<std::size_t>(*form - '0');
  }
  for (; std::strchr("hlLqjzt", *form) != nullptr && *form != 0; ++form) {
    (*form == 'h' ? field.short_count : field.long_count) += 1;
    if (*form == 'L' || *form == 'q') field.long_count += 1;
  }
  field.kind = *form;
  if (*form != 0) ++form;
  if (field.kind != '[') return field;
  if (*form == '^') ++form;
  if (*form == ']') ++form;
  while (*form != 0 && *form++ != ']') {
  }
  return field;
}

std::size_t bytes_of(const Field& field) {
  constexpr std::array<std::size_t, 3> kFloats{sizeof(float), sizeof(double), sizeof(long double)};
  if (std::strchr("aefgAEFG", field.kind) != nullptr)
    return kFloats[std::min(field.long_count, 2U)];
  if (field.kind == 'p' || field.long_count != 0) return sizeof(long);
  return sizeof(int) >> std::min(field.short_count, 2U);
}

// `result`: how many arguments have got a value.
void see_scanned(const Seen& seen, const char* form, va_list arguments, int result) {
  va_list left;
  va_copy(left, arguments);
  int count = 0;
  for (Field field; (field = next_field(form)).kind != 0;) {
    if (!field.is_stored) continue;
    void* const to = va_arg(left, void*);
    const bool is_counted = field.kind != 'n';
    if (is_counted && count++ >= result) break;
    const bool is_wide = field.long_count != 0 || field.kind == 'S' || field.kind == 'C';
    if (field.is_allocated) {
      seen.writes(static_cast<void**>(to));
    } else if (std::strchr("s[S", field.kind) != nullptr) {
      is_wide ? seen.writes_text(static_cast<wchar_t*>(to))
              : seen.writes_text(static_cast<char*>(to));
    } else if (field.kind == 'c' || field.kind == 'C') {
      seen.writes(to, std::max<std::size_t>(field.width, 1) * (is_wide ? sizeof(wchar_t) : 1));
    } else {
      seen.writes(to, bytes_of(field));
    }
  }
  va_end(left);
}

std::size_t length_with_end(int length, std::size_t most) {
  return length < 0 ? 0 : std::min(static_cast<std::size_t>(length) + 1, most);
}
constexpr std::size_t kAny = ~std::size_t{0};

}  // namespace

// Each call with its arguments in a list, and one that makes the list. `put` are the parameters in
// front of the format, `more` what it does beside its arguments.
#define LISTED(result_type, name, listed, parameters, put, look, ...)      \
  SEEN_CALL(result_type, listed, (UNWRAP parameters, va_list arguments)) { \
    va_list own;                                                           \
    va_copy(own, arguments);                                               \
    const result_type result = NEXT_SEEN(listed)(UNWRAP put, own);         \
    va_end(own);                                                           \
    const Seen seen(PLACE);                                                \
    look;                                                                  \
    __VA_ARGS__;                                                           \
    return result;                                                         \
  }                                                                        \
  SEEN_CALL(result_type, name, (UNWRAP parameters, ...)) {                 \
    va_list arguments;                                                     \
    va_start(arguments, form);                                             \
    const result_type result = NEXT_SEEN(listed)(UNWRAP put, arguments);   \
    va_end(arguments);                                                     \
    va_start(arguments, form);                                             \
    const Seen seen(PLACE);                                                \
    look;                                                                  \
    __VA_ARGS__;                                                           \
    va_end(arguments);                                                     \
    return result;                                                         \
  }
#define UNWRAP(...) __VA_ARGS__
#define PRINTS(name, listed, parameters, put, ...) \
  LISTED(int, name, listed, parameters, put, see_printed(seen, form, arguments), __VA_ARGS__)
#define SCANS(name, listed, parameters, put, ...)                                        \
  LISTED(int, name, listed, parameters, put, see_scanned(seen, form, arguments, result), \
         __VA_ARGS__)

PRINTS(printf, vprintf, (const char* form), (form), )
PRINTS(fprintf, vfprintf, (FILE * file, const char* form), (file, form), )
PRINTS(dprintf, vdprintf, (int file, const char* form), (file, form), )
PRINTS(sprintf, vsprintf, (char* to, const char* form), (to, form),
       seen.writes(to, length_with_end(result, kAny)))
PRINTS(snprintf, vsnprintf, (char* to, std::size_t most, const char* form), (to, most, form),
       seen.writes(to, length_with_end(result, most)))
PRINTS(asprintf, vasprintf, (char** to, const char* form), (to, form), seen.writes(to))
LISTED(int, swprintf, vswprintf, (wchar_t * to, std::size_t most, const wchar_t* form),
       (to, most, form), , seen.writes(to, length_with_end(result, most) * sizeof *to))

SCANS(scanf, vscanf, (const char* form), (form), )
SCANS(fscanf, vfscanf, (FILE * file, const char* form), (file, form), )
SCANS(sscanf, vsscanf, (const char* from, const char* form), (from, form), seen.reads_text(from))
// The names that headers give these, so that "%a" is a number.
SCANS(__isoc99_scanf, __isoc99_vscanf, (const char* form), (form), )
SCANS(__isoc99_fscanf, __isoc99_vfscanf, (FILE * file, const char* form), (file, form), )
SCANS(__isoc99_sscanf, __isoc99_vsscanf, (const char* from, const char* form), (from, form),
      seen.reads_text(from))
