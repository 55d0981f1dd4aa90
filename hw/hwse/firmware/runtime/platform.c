/* SPDX-License-Identifier: Apache-2.0 */
#include "platform.h"

#include <stdio.h>
#include <stdlib.h>

static void print_byte(char byte) { write_word(CONSOLE, (uint8_t)byte); }

void print_text(const char* text) {
  while (*text != 0) print_byte(*text++);
}

static void print_in_base(unsigned number, unsigned base) {
  char digits[10];
  unsigned count = 0;
  do digits[count++] = "0123456789abcdef"[number % base];
  while ((number /= base) != 0);
  while (count != 0) print_byte(digits[--count]);
}
void print_number(unsigned number) { print_in_base(number, 10); }

void end_program(int status) {
  write_word(EXIT, (unsigned)status);
  for (;;) {
  }
}

/* C's library needs these where a program complains and gives up. */
void exit(int status) { end_program(status); }
static int put(char byte, FILE* file) {
  (void)file;
  print_byte(byte);
  return 0;
}
static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE* const stderr = &console;

void fail(const char* what, unsigned number) {
  print_text("hwse: ");
  print_text(what);
  print_text(": ");
  print_number(number);
  print_text("\n");
  end_program(2);
}

void dma_copy(void* to, const void* from, unsigned bytes) {
  enum { FROM = 0, TO = 4, BYTES = 8 };
  if ((((uintptr_t)to | (uintptr_t)from | bytes) & 63) != 0) fail("no such copy", bytes);
  while (read_word(DMA_BASE + BYTES) != 0) {
  }
  write_word(DMA_BASE + FROM, (uintptr_t)from);
  write_word(DMA_BASE + TO, (uintptr_t)to);
  write_word(DMA_BASE + BYTES, bytes);
  while (read_word(DMA_BASE + BYTES) != 0) {
  }
}

void core_trapped(unsigned cause, unsigned place, unsigned value) {
  print_text("hwse: core ");
  print_number(core_index());
  print_text(" trapped, cause ");
  print_in_base(cause, 16);
  print_text(" at ");
  print_in_base(place, 16);
  print_text(", value ");
  print_in_base(value, 16);
  print_text("\n");
  end_program(2);
}
