// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library that touch memory of a program under `myr check`, if what calls them is
// compiled for it or is the C++ library: copies, strings, sorting, and files.
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check/next_call.hpp"
#include "check/watch.hpp"

using myr::check::Watch;

namespace {

void touch(std::uintptr_t first, std::size_t bytes, bool writes, const void* place) {
  if (bytes == 0 || !Watch::instance().is_checked(place)) return;
  Watch::touch(reinterpret_cast<const void*>(first), bytes, writes, place);
}
void reads(const void* first, std::size_t bytes, const void* place) {
  touch(reinterpret_cast<std::uintptr_t>(first), bytes, false, place);
}
void writes(void* first, std::size_t bytes, const void* place) {
  touch(reinterpret_cast<std::uintptr_t>(first), bytes, true, place);
}
std::size_t length(const char* text) { return NEXT(strlen)(text); }
std::size_t length(const char* text, std::size_t most) { return NEXT(strnlen)(text, most); }
void reads_text(const char* text, const void* place) { reads(text, length(text) + 1, place); }
void reads_text(const char* text, std::size_t most, const void* place) {
  reads(text, std::min(length(text, most) + 1, most), place);
}

}  // namespace

// ---- copies

// Also by the names that clang has for them.
#define COPIES(name)                                               \
  CALL void* name(void* to, const void* from, std::size_t bytes) { \
    reads(from, bytes, PLACE);                                     \
    writes(to, bytes, PLACE);                                      \
    return NEXT(memmove)(to, from, bytes);                         \
  }
COPIES(memcpy)
COPIES(memmove)
COPIES(__tsan_memcpy)
COPIES(__tsan_memmove)

#define FILLS(name)                                         \
  CALL void* name(void* to, int value, std::size_t bytes) { \
    writes(to, bytes, PLACE);                               \
    return NEXT(memset)(to, value, bytes);                  \
  }
FILLS(memset)
FILLS(__tsan_memset)

CALL int memcmp(const void* one, const void* other, std::size_t bytes) {
  reads(one, bytes, PLACE);
  reads(other, bytes, PLACE);
  return NEXT(memcmp)(one, other, bytes);
}

// ---- strings

CALL std::size_t strlen(const char* text) {
  reads_text(text, PLACE);
  return length(text);
}
CALL std::size_t strnlen(const char* text, std::size_t most) {
  reads_text(text, most, PLACE);
  return length(text, most);
}
CALL int strcmp(const char* one, const char* other) {
  reads_text(one, PLACE);
  reads_text(other, PLACE);
  return NEXT(strcmp)(one, other);
}
CALL int strncmp(const char* one, const char* other, std::size_t most) {
  reads_text(one, most, PLACE);
  reads_text(other, most, PLACE);
  return NEXT(strncmp)(one, other, most);
}
CALL char* strcpy(char* to, const char* from) {
  reads_text(from, PLACE);
  writes(to, length(from) + 1, PLACE);
  return NEXT(strcpy)(to, from);
}
CALL char* stpcpy(char* to, const char* from) {
  reads_text(from, PLACE);
  writes(to, length(from) + 1, PLACE);
  return NEXT(stpcpy)(to, from);
}
CALL char* strncpy(char* to, const char* from, std::size_t most) {
  reads_text(from, most, PLACE);
  writes(to, most, PLACE);
  return NEXT(strncpy)(to, from, most);
}
CALL char* strcat(char* to, const char* more) {
  reads_text(more, PLACE);
  reads_text(to, PLACE);
  writes(to + length(to), length(more) + 1, PLACE);
  return NEXT(strcat)(to, more);
}
CALL char* strncat(char* to, const char* more, std::size_t most) {
  reads_text(more, most, PLACE);
  reads_text(to, PLACE);
  writes(to + length(to), length(more, most) + 1, PLACE);
  return NEXT(strncat)(to, more, most);
}
CALL char* strdup(const char* text) {
  reads_text(text, PLACE);
  return NEXT(strdup)(text);
}

// ---- sorting

// What qsort() compares it moves, too, and the program's function sees all elements.
CALL void qsort(void* first, std::size_t count, std::size_t bytes,
                int (*compare)(const void*, const void*)) {
  writes(first, count * bytes, PLACE);
  NEXT(qsort)(first, count, bytes, compare);
}

// ---- texts and files

CALL int vsnprintf(char* to, std::size_t most, const char* form, va_list arguments) {
  const int length = NEXT(vsnprintf)(to, most, form, arguments);
  if (length >= 0) writes(to, std::min(static_cast<std::size_t>(length) + 1, most), PLACE);
  return length;
}
CALL int snprintf(char* to, std::size_t most, const char* form, ...) {
  va_list arguments;
  va_start(arguments, form);
  const int length = NEXT(vsnprintf)(to, most, form, arguments);
  va_end(arguments);
  if (length >= 0) writes(to, std::min(static_cast<std::size_t>(length) + 1, most), PLACE);
  return length;
}
CALL int vsprintf(char* to, const char* form, va_list arguments) {
  const int length = NEXT(vsprintf)(to, form, arguments);
  if (length >= 0) writes(to, static_cast<std::size_t>(length) + 1, PLACE);
  return length;
}
CALL int sprintf(char* to, const char* form, ...) {
  va_list arguments;
  va_start(arguments, form);
  const int length = NEXT(vsprintf)(to, form, arguments);
  va_end(arguments);
  if (length >= 0) writes(to, static_cast<std::size_t>(length) + 1, PLACE);
  return length;
}
CALL std::size_t fread(void* to, std::size_t bytes, std::size_t count, FILE* file) {
  writes(to, bytes * count, PLACE);
  return NEXT(fread)(to, bytes, count, file);
}
CALL std::size_t fwrite(const void* from, std::size_t bytes, std::size_t count, FILE* file) {
  reads(from, bytes * count, PLACE);
  return NEXT(fwrite)(from, bytes, count, file);
}
CALL char* fgets(char* to, int most, FILE* file) {
  if (most > 0) writes(to, static_cast<std::size_t>(most), PLACE);
  return NEXT(fgets)(to, most, file);
}
CALL ssize_t read(int file, void* to, std::size_t bytes) {
  writes(to, bytes, PLACE);
  return NEXT(read)(file, to, bytes);
}
CALL ssize_t write(int file, const void* from, std::size_t bytes) {
  reads(from, bytes, PLACE);
  return NEXT(write)(file, from, bytes);
}
CALL ssize_t pread(int file, void* to, std::size_t bytes, off_t offset) {
  writes(to, bytes, PLACE);
  return NEXT(pread)(file, to, bytes, offset);
}
CALL ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset) {
  reads(from, bytes, PLACE);
  return NEXT(pwrite)(file, from, bytes, offset);
}
