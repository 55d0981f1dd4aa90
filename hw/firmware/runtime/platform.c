/* SPDX-License-Identifier: Apache-2.0 */
#include "platform.h"

#include <myr/myr.h>

static volatile uint64_t* const kConsole = (volatile uint64_t*)0x60000000;
static volatile uint64_t* const kExit = (volatile uint64_t*)0x60000008;
extern char __heap[], __memory_end[];

static void print_byte(char byte) { *kConsole = (uint8_t)byte; }

void print_text(const char* text) {
  while (*text != 0) print_byte(*text++);
}

static void print_in_base(uint64_t number, unsigned base) {
  char digits[20];
  unsigned count = 0;
  do digits[count++] = "0123456789abcdef"[number % base];
  while ((number /= base) != 0);
  while (count != 0) print_byte(digits[--count]);
}
void print_number(uint64_t number) { print_in_base(number, 10); }
void print_hex(uint64_t number) { print_in_base(number, 16); }

void end_program(int status) {
  *kExit = (uint64_t)status;
  for (;;) {
  }
}

void fail(const char* what, uint64_t number) {
  print_text("myrmidon: ");
  print_text(what);
  print_text(": ");
  print_number(number);
  print_text("\n");
  end_program(MYR_EXIT_MISUSE);
}

void* allocate(size_t bytes) {
  static char* next = __heap;
  char* const memory = next;
  const size_t lines = (bytes + CACHE_LINE - 1) / CACHE_LINE;
  if (lines > (size_t)(__memory_end - next) / CACHE_LINE) fail("no memory left for bytes", bytes);
  next += lines * CACHE_LINE;
  return memory;
}

void firmware_trapped(uint64_t cause, uint64_t place, uint64_t value) {
  print_text("myrmidon: core ");
  print_number(core_index());
  print_text(" trapped, cause ");
  print_hex(cause);
  print_text(" at ");
  print_hex(place);
  print_text(", value ");
  print_hex(value);
  print_text("\n");
  end_program(MYR_EXIT_MISUSE);
}
