// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library that touch memory of a program under `myr check`: copies, texts, numbers,
// times and files. Those whose arguments a format lists are in format_calls.cpp.
#include <iconv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <wchar.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "check/seen.hpp"

using std::size_t;

namespace {
size_t distance(const void* first, const void* last) {
  return static_cast<size_t>(static_cast<const char*>(last) - static_cast<const char*>(first));
}
}  // namespace

// ---- copies

// Also by the names that clang has for them. What they read is looked at before it is written.
#define COPIES(name)                                          \
  CALL void* name(void* to, const void* from, size_t bytes) { \
    const myr::check::Seen seen(PLACE);                       \
    seen.reads(from, bytes);                                  \
    seen.writes(to, bytes);                                   \
    return NEXT(memmove)(to, from, bytes);                    \
  }
COPIES(memcpy)
COPIES(memmove)
COPIES(__tsan_memcpy)
COPIES(__tsan_memmove)

#define FILLS(name)                                    \
  CALL void* name(void* to, int value, size_t bytes) { \
    const myr::check::Seen seen(PLACE);                \
    seen.writes(to, bytes);                            \
    return NEXT(memset)(to, value, bytes);             \
  }
FILLS(memset)
FILLS(__tsan_memset)

CALL int memcmp(const void* one, const void* other, size_t bytes) {
  const myr::check::Seen seen(PLACE);
  seen.reads(one, bytes);
  seen.reads(other, bytes);
  return NEXT(memcmp)(one, other, bytes);
}

SEEN(void*, mempcpy, (void* to, const void* from, size_t n), (to, from, n), seen.reads(from, n);
     seen.writes(to, n))
SEEN(void*, memccpy, (void* to, const void* from, int end, size_t n), (to, from, end, n),
     const size_t count = result == nullptr ? n : distance(to, result);
     seen.reads(from, count); seen.writes(to, count))
SEEN(void*, memchr, (const void* in, int value, size_t n), (in, value, n),
     seen.reads(in, result == nullptr ? n : distance(in, result) + 1))
SEEN(void*, memrchr, (const void* in, int value, size_t n), (in, value, n), seen.reads(in, n))
SEEN(void*, memmem, (const void* in, size_t n, const void* what, size_t count),
     (in, n, what, count), seen.reads(in, n);
     seen.reads(what, count))
SEEN(int, bcmp, (const void* one, const void* other, size_t n), (one, other, n), seen.reads(one, n);
     seen.reads(other, n))
SEEN_VOID(bcopy, (const void* from, void* to, size_t n), (from, to, n), seen.reads(from, n);
          seen.writes(to, n))
SEEN_VOID(bzero, (void* to, size_t n), (to, n), seen.writes(to, n))
SEEN_VOID(explicit_bzero, (void* to, size_t n), (to, n), seen.writes(to, n))
SEEN_VOID(swab, (const void* from, void* to, ssize_t n), (from, to, n),
          if (n > 0) seen.reads(from, static_cast<size_t>(n)),
          seen.writes(to, static_cast<size_t>(n)))

// ---- texts

SEEN(size_t, strlen, (const char* text), (text), seen.reads(text, result + 1))
SEEN(size_t, strnlen, (const char* text, size_t most), (text, most), seen.reads_text(text, most))
SEEN(size_t, wcslen, (const wchar_t* text), (text), seen.reads_text(text))
SEEN(size_t, wcsnlen, (const wchar_t* text, size_t most), (text, most), seen.reads_text(text, most))

#define SEEN_COMPARE(name, Character)                                           \
  SEEN(int, name, (const Character* one, const Character* other), (one, other), \
       seen.reads_text(one);                                                    \
       seen.reads_text(other))
#define SEEN_COMPARE_MOST(name, Character)                                                         \
  SEEN(int, name, (const Character* one, const Character* other, size_t most), (one, other, most), \
       seen.reads_text(one, most);                                                                 \
       seen.reads_text(other, most))
SEEN_COMPARE(strcmp, char)
SEEN_COMPARE(strcasecmp, char)
SEEN_COMPARE(strcoll, char)
SEEN_COMPARE(wcscmp, wchar_t)
SEEN_COMPARE(wcscasecmp, wchar_t)
SEEN_COMPARE(wcscoll, wchar_t)
SEEN_COMPARE_MOST(strncmp, char)
SEEN_COMPARE_MOST(strncasecmp, char)
SEEN_COMPARE_MOST(wcsncmp, wchar_t)
SEEN_COMPARE_MOST(wcsncasecmp, wchar_t)

#define SEEN_FIND(name, Result, Character, What) \
  SEEN(Result, name, (const Character* in, What what), (in, what), seen.reads_text(in))
#define SEEN_FIND_TEXT(name, Result, Character)                                \
  SEEN(Result, name, (const Character* in, const Character* what), (in, what), \
       seen.reads_text(in);                                                    \
       seen.reads_text(what))
SEEN_FIND(strchr, char*, char, int)
SEEN_FIND(strchrnul, char*, char, int)
SEEN_FIND(strrchr, char*, char, int)
SEEN_FIND(wcschr, wchar_t*, wchar_t, wchar_t)
SEEN_FIND(wcsrchr, wchar_t*, wchar_t, wchar_t)
SEEN_FIND_TEXT(strstr, char*, char)
SEEN_FIND_TEXT(strcasestr, char*, char)
SEEN_FIND_TEXT(strpbrk, char*, char)
SEEN_FIND_TEXT(strspn, size_t, char)
SEEN_FIND_TEXT(strcspn, size_t, char)
SEEN_FIND_TEXT(wcsstr, wchar_t*, wchar_t)
SEEN_FIND_TEXT(wcspbrk, wchar_t*, wchar_t)
SEEN_FIND_TEXT(wcsspn, size_t, wchar_t)
SEEN_FIND_TEXT(wcscspn, size_t, wchar_t)

#define SEEN_COPY(name, Character)                                            \
  SEEN(Character*, name, (Character * to, const Character* from), (to, from), \
       seen.reads_text(from);                                                 \
       seen.writes_text(to))
#define SEEN_COPY_MOST(name, Character)                                                          \
  SEEN(Character*, name, (Character * to, const Character* from, size_t most), (to, from, most), \
       seen.reads_text(from, most);                                                              \
       seen.writes(to, most * sizeof(Character)))
#define SEEN_ADD_MOST(name, Character)                                                           \
  SEEN(Character*, name, (Character * to, const Character* from, size_t most), (to, from, most), \
       seen.reads_text(from, most);                                                              \
       seen.writes_text(to))
SEEN_COPY(strcpy, char)
SEEN_COPY(stpcpy, char)
SEEN_COPY(strcat, char)
SEEN_COPY(wcscpy, wchar_t)
SEEN_COPY(wcpcpy, wchar_t)
SEEN_COPY(wcscat, wchar_t)
SEEN_COPY_MOST(strncpy, char)
SEEN_COPY_MOST(stpncpy, char)
SEEN_COPY_MOST(wcsncpy, wchar_t)
SEEN_COPY_MOST(wcpncpy, wchar_t)
SEEN_ADD_MOST(strncat, char)
SEEN_ADD_MOST(wcsncat, wchar_t)
SEEN(char*, strdup, (const char* text), (text), seen.reads_text(text))
SEEN(char*, strndup, (const char* text, size_t most), (text, most), seen.reads_text(text, most))
SEEN(wchar_t*, wcsdup, (const wchar_t* text), (text), seen.reads_text(text))
SEEN(size_t, strxfrm, (char* to, const char* from, size_t most), (to, from, most),
     seen.reads_text(from);
     seen.writes(to, result < most ? result + 1 : most))
SEEN(char*, strtok_r, (char* text, const char* ends, char** rest), (text, ends, rest),
     seen.reads_text(ends);
     seen.writes(rest); seen.writes_text(result))
SEEN(char*, strtok, (char* text, const char* ends), (text, ends), seen.reads_text(ends);
     seen.writes_text(result))
SEEN(char*, strsep, (char** rest, const char* ends), (rest, ends), seen.reads_text(ends);
     seen.writes(rest); seen.writes_text(result))

SEEN(wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, size_t n), (to, from, n),
     seen.reads(from, n * sizeof *from);
     seen.writes(to, n * sizeof *to))
SEEN(wchar_t*, wmempcpy, (wchar_t * to, const wchar_t* from, size_t n), (to, from, n),
     seen.reads(from, n * sizeof *from);
     seen.writes(to, n * sizeof *to))
SEEN(wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, size_t n), (to, from, n),
     seen.reads(from, n * sizeof *from);
     seen.writes(to, n * sizeof *to))
SEEN(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t n), (to, value, n),
     seen.writes(to, n * sizeof *to))
SEEN(int, wmemcmp, (const wchar_t* one, const wchar_t* other, size_t n), (one, other, n),
     seen.reads(one, n * sizeof *one);
     seen.reads(other, n * sizeof *other))
SEEN(wchar_t*, wmemchr, (const wchar_t* in, wchar_t value, size_t n), (in, value, n),
     seen.reads(in, n * sizeof *in))

// ---- texts of other characters

SEEN(size_t, mbstowcs, (wchar_t * to, const char* from, size_t most), (to, from, most),
     if (result != ~size_t{0}) seen.writes(to, (result < most ? result + 1 : most) * sizeof *to))
SEEN(size_t, wcstombs, (char* to, const wchar_t* from, size_t most), (to, from, most),
     if (result != ~size_t{0}) seen.writes(to, result < most ? result + 1 : most))
SEEN(int, mbtowc, (wchar_t * to, const char* from, size_t n), (to, from, n),
     if (result >= 0) seen.writes(to))
SEEN(size_t, mbrtowc, (wchar_t * to, const char* from, size_t n, mbstate_t* state),
     (to, from, n, state), seen.writes(to);
     seen.writes(state))
SEEN(int, wctomb, (char* to, wchar_t value), (to, value),
     if (result > 0) seen.writes(to, static_cast<size_t>(result)))
SEEN(size_t, wcrtomb, (char* to, wchar_t value, mbstate_t* state), (to, value, state),
     seen.writes(state);
     if (result != ~size_t{0}) seen.writes(to, result))
SEEN_CALL(size_t, iconv, (iconv_t way, char** from, size_t* left, char** to, size_t* room)) {
  const char* const from_before = from == nullptr ? nullptr : *from;
  char* const to_before = to == nullptr ? nullptr : *to;
  const size_t result = NEXT_SEEN(iconv)(way, from, left, to, room);
  const myr::check::Seen seen(PLACE);
  if (from_before != nullptr) seen.reads(from_before, distance(from_before, *from));
  if (to_before != nullptr) seen.writes(to_before, distance(to_before, *to));
  seen.writes(from);
  seen.writes(left);
  seen.writes(to);
  seen.writes(room);
  return result;
}

// ---- numbers

#define SEEN_FOR(name, type, Part) \
  SEEN(type, name, (type value, Part * part), (value, part), seen.writes(part))
SEEN_FOR(frexp, double, int)
SEEN_FOR(frexpf, float, int)
SEEN_FOR(frexpl, long double, int)
SEEN_FOR(modf, double, double)
SEEN_FOR(modff, float, float)
SEEN_FOR(modfl, long double, long double)
SEEN_FOR(lgamma_r, double, int)
SEEN_FOR(lgammaf_r, float, int)
SEEN_FOR(lgammal_r, long double, int)
#define SEEN_TWO(suffix, type)                                                               \
  SEEN(type, remquo##suffix, (type value, type by, int* count), (value, by, count),          \
       seen.writes(count))                                                                   \
  SEEN_VOID(sincos##suffix, (type value, type * sine, type * cosine), (value, sine, cosine), \
            seen.writes(sine);                                                               \
            seen.writes(cosine))
SEEN_TWO(, double)
SEEN_TWO(f, float)
SEEN_TWO(l, long double)

#define SEEN_TEXT_NUMBER(type, name, Character)                     \
  SEEN_CALL(type, name, (const Character* text, Character** end)) { \
    Character* own_end = nullptr;                                   \
    const type result = NEXT_SEEN(name)(text, &own_end);            \
    const myr::check::Seen seen(PLACE);                             \
    seen.reads(text, distance(text, own_end) + sizeof *text);       \
    seen.writes(end);                                               \
    if (end != nullptr) *end = own_end;                             \
    return result;                                                  \
  }
#define SEEN_INTEGER(type, name, Character)                                   \
  SEEN_CALL(type, name, (const Character* text, Character** end, int base)) { \
    Character* own_end = nullptr;                                             \
    const type result = NEXT_SEEN(name)(text, &own_end, base);                \
    const myr::check::Seen seen(PLACE);                                       \
    seen.reads(text, distance(text, own_end) + sizeof *text);                 \
    seen.writes(end);                                                         \
    if (end != nullptr) *end = own_end;                                       \
    return result;                                                            \
  }
SEEN_TEXT_NUMBER(double, strtod, char)
SEEN_TEXT_NUMBER(float, strtof, char)
SEEN_TEXT_NUMBER(long double, strtold, char)
SEEN_TEXT_NUMBER(double, wcstod, wchar_t)
SEEN_INTEGER(long, strtol, char)
SEEN_INTEGER(unsigned long, strtoul, char)
SEEN_INTEGER(long long, strtoll, char)
SEEN_INTEGER(unsigned long long, strtoull, char)
SEEN_INTEGER(long, wcstol, wchar_t)
SEEN_INTEGER(unsigned long, wcstoul, wchar_t)
SEEN(int, atoi, (const char* text), (text), seen.reads_text(text))
SEEN(long, atol, (const char* text), (text), seen.reads_text(text))
SEEN(long long, atoll, (const char* text), (text), seen.reads_text(text))
SEEN(double, atof, (const char* text), (text), seen.reads_text(text))

// qsort() also moves what it compares, and the program's function sees all elements.
SEEN_CALL(void, qsort,
          (void* first, size_t count, size_t bytes, int (*compare)(const void*, const void*))) {
  const myr::check::Seen seen(PLACE);
  seen.writes(first, count * bytes);
  NEXT_SEEN(qsort)(first, count, bytes, compare);
}
SEEN_CALL(void, qsort_r,
          (void* first, size_t count, size_t bytes, int (*compare)(const void*, const void*, void*),
           void* more)) {
  const myr::check::Seen seen(PLACE);
  seen.writes(first, count * bytes);
  NEXT_SEEN(qsort_r)(first, count, bytes, compare, more);
}

// ---- times

SEEN(tm*, localtime_r, (const time_t* time, tm* parts), (time, parts), seen.reads(time);
     seen.writes(parts))
SEEN(tm*, gmtime_r, (const time_t* time, tm* parts), (time, parts), seen.reads(time);
     seen.writes(parts))
SEEN(tm*, localtime, (const time_t* time), (time), seen.reads(time))
SEEN(tm*, gmtime, (const time_t* time), (time), seen.reads(time))
SEEN(time_t, mktime, (tm * parts), (parts), seen.writes(parts))
SEEN(time_t, timegm, (tm * parts), (parts), seen.writes(parts))
SEEN(char*, asctime_r, (const tm* parts, char* text), (parts, text), seen.reads(parts);
     seen.writes_text(text))
SEEN(char*, ctime_r, (const time_t* time, char* text), (time, text), seen.reads(time);
     seen.writes_text(text))
SEEN(size_t, strftime, (char* to, size_t most, const char* form, const tm* parts),
     (to, most, form, parts), seen.reads(parts);
     if (result != 0) seen.writes(to, result + 1))
SEEN(char*, strptime, (const char* text, const char* form, tm* parts), (text, form, parts),
     seen.reads_text(text);
     seen.writes(parts))
SEEN(int, nanosleep, (const timespec* time, timespec* left), (time, left), seen.reads(time);
     if (result != 0) seen.writes(left))

// ---- files

SEEN(size_t, fread, (void* to, size_t bytes, size_t count, FILE* file), (to, bytes, count, file),
     seen.writes(to, bytes* count))
SEEN(size_t, fwrite, (const void* from, size_t bytes, size_t count, FILE* file),
     (from, bytes, count, file), seen.reads(from, bytes* count))
SEEN(char*, fgets, (char* to, int most, FILE* file), (to, most, file), seen.writes_text(result))
SEEN(wchar_t*, fgetws, (wchar_t * to, int most, FILE* file), (to, most, file),
     seen.writes_text(result))
SEEN(int, fputs, (const char* text, FILE* file), (text, file), seen.reads_text(text))
SEEN(int, fputws, (const wchar_t* text, FILE* file), (text, file), seen.reads_text(text))
SEEN(int, puts, (const char* text), (text), seen.reads_text(text))
#define SEEN_LINE(name, parameters, arguments)                                     \
  SEEN(ssize_t, name, parameters, arguments, seen.writes(line); seen.writes(room); \
       if (result >= 0) seen.writes(*line, static_cast<size_t>(result) + 1))
SEEN_LINE(getline, (char** line, size_t* room, FILE* file), (line, room, file))
SEEN_LINE(getdelim, (char** line, size_t* room, int end, FILE* file), (line, room, end, file))
SEEN_LINE(__getdelim, (char** line, size_t* room, int end, FILE* file), (line, room, end, file))

#define SEEN_INPUT(name, parameters, arguments) \
  SEEN(ssize_t, name, parameters, arguments,    \
       if (result > 0) seen.writes(to, static_cast<size_t>(result)))
#define SEEN_OUTPUT(name, parameters, arguments) \
  SEEN(ssize_t, name, parameters, arguments, seen.reads(from, bytes))
SEEN_INPUT(read, (int file, void* to, size_t bytes), (file, to, bytes))
SEEN_INPUT(pread, (int file, void* to, size_t bytes, off_t offset), (file, to, bytes, offset))
SEEN_INPUT(recv, (int socket, void* to, size_t bytes, int flags), (socket, to, bytes, flags))
SEEN_INPUT(readlink, (const char* path, char* to, size_t bytes), (path, to, bytes))
SEEN_OUTPUT(write, (int file, const void* from, size_t bytes), (file, from, bytes))
SEEN_OUTPUT(pwrite, (int file, const void* from, size_t bytes, off_t offset),
            (file, from, bytes, offset))
SEEN_OUTPUT(send, (int socket, const void* from, size_t bytes, int flags),
            (socket, from, bytes, flags))

#define SEEN_ANSWER(name, parameters, arguments) \
  SEEN(int, name, parameters, arguments, if (result == 0) seen.writes(answer))
SEEN_ANSWER(stat, (const char* path, struct stat* answer), (path, answer))
SEEN_ANSWER(lstat, (const char* path, struct stat* answer), (path, answer))
SEEN_ANSWER(fstat, (int file, struct stat* answer), (file, answer))
SEEN_ANSWER(pipe, (int (*answer)[2]), (answer))
SEEN_ANSWER(uname, (utsname * answer), (answer))
SEEN_ANSWER(getrusage, (int who, rusage* answer), (who, answer))
SEEN_ANSWER(getrlimit, (int which, rlimit* answer), (which, answer))
SEEN(char*, getcwd, (char* to, size_t bytes), (to, bytes),
     if (to != nullptr) seen.writes_text(result))
SEEN(char*, realpath, (const char* path, char* to), (path, to),
     if (to != nullptr) seen.writes_text(result))
SEEN(int, gethostname, (char* to, size_t bytes), (to, bytes), if (result == 0) seen.writes_text(to))
