/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding the codes of T.81, annex F.2.2. Behind the end of the data the reader makes up zero
 * bits and counts them; a decoder that used one of them had too few data.
 */
#include "hwse/jpeg/huffman.h"

#include <string.h>

enum {
  DC_BITS_MAX = 11, /* of a difference, with 8 bits a sample */
  RUN_OF_ZEROS = 15 /* the run of a symbol without a coefficient that skips 16 of them */
};

bool jpeg_huffman_build(struct jpeg_huffman* table, const uint8_t* counts, const uint8_t* symbols,
                        unsigned total) {
  memset(table, 0, sizeof *table);
  memcpy(table->symbols, symbols, total);
  int32_t code = 0;
  int32_t symbol = 0;
  for (unsigned length = 1; length <= JPEG_CODE_BITS_MAX; ++length, code *= 2) {
    table->first_symbol[length] = symbol - code;
    for (unsigned i = 0; i < counts[length - 1]; ++i, ++code, ++symbol) {
      if (code >= 1 << length) return false;
      if (length > JPEG_LOOKUP_BITS) continue;
      const unsigned spare = JPEG_LOOKUP_BITS - length;
      for (unsigned rest = 0; rest < 1u << spare; ++rest) {
        table->lookup[((unsigned)code << spare) + rest] =
            (uint16_t)(length << 8 | table->symbols[symbol]);
      }
    }
    table->code_end[length] = code;
  }
  table->defined = true;
  return true;
}

void jpeg_reader_start(struct jpeg_reader* reader, const struct jpeg_scan* scan, size_t interval) {
  memset(reader, 0, sizeof *reader);
  reader->scan = scan;
  reader->next = interval == 0 ? scan->begin : scan->restarts[interval - 1];
  reader->restart_count = interval;
  reader->mcus_to_restart = scan->restart_interval;
}

/* Gets at least 32 bits, enough for a code and the number behind it. */
static void fill(struct jpeg_reader* reader) {
  const uint8_t* end = reader->scan->end;
  while (reader->bit_count <= 56) {
    unsigned byte = 0;
    if (reader->next < end && *reader->next != 0xff) {
      byte = *reader->next++;
    } else {
      /* A byte of all ones is followed by a zero; else it belongs to a marker. */
      const uint8_t* behind = reader->next;
      while (behind < end && *behind == 0xff) ++behind;
      if (behind < end && *behind == 0 && behind != reader->next) {
        byte = 0xff;
        reader->next = behind + 1;
      } else {
        reader->padding += 8;
      }
    }
    reader->bits = reader->bits << 8 | byte;
    reader->bit_count += 8;
  }
}

static unsigned peek(const struct jpeg_reader* reader, unsigned count) {
  return (unsigned)(reader->bits >> (reader->bit_count - count)) & ((1u << count) - 1);
}

/* The next symbol, with at least 16 bits left for what follows it; -1 if no code fits. */
static int next_symbol(struct jpeg_reader* reader, const struct jpeg_huffman* table) {
  if (reader->bit_count < 32) fill(reader);
  const unsigned found = table->lookup[peek(reader, JPEG_LOOKUP_BITS)];
  if (found != 0) {
    reader->bit_count -= found >> 8;
    return (int)(found & 255);
  }
  unsigned length = JPEG_LOOKUP_BITS + 1;
  while (length <= JPEG_CODE_BITS_MAX && (int32_t)peek(reader, length) >= table->code_end[length]) {
    ++length;
  }
  if (length > JPEG_CODE_BITS_MAX) return -1;
  reader->bit_count -= length;
  const int32_t code = (int32_t)(reader->bits >> reader->bit_count) & ((1 << length) - 1);
  return table->symbols[code + table->first_symbol[length]];
}

/* A number of `count` bits, of which the first tells the sign. */
static int next_number(struct jpeg_reader* reader, unsigned count) {
  if (count == 0) return 0;
  const int value = (int)peek(reader, count);
  reader->bit_count -= count;
  return value >> (count - 1) != 0 ? value : value - (1 << count) + 1;
}

static void read_block(struct jpeg_reader* reader, unsigned component, int16_t* block) {
  const struct jpeg_scan* scan = reader->scan;
  memset(block, 0, JPEG_BLOCK * sizeof *block);
  const int dc_bits = next_symbol(reader, &scan->dc[component]);
  if (dc_bits < 0 || dc_bits > DC_BITS_MAX) {
    reader->fault = "the picture data have a bad code";
    return;
  }
  /* Wraps like libjpeg's, which only happens in a broken file. */
  reader->dc[component] = (int16_t)(reader->dc[component] + next_number(reader, (unsigned)dc_bits));
  block[0] = (int16_t)reader->dc[component];
  for (unsigned i = 1; i < JPEG_BLOCK; ++i) {
    const int symbol = next_symbol(reader, &scan->ac[component]);
    const unsigned run = (unsigned)symbol >> 4;
    const unsigned bits = (unsigned)symbol & 15;
    if (symbol < 0 || i + run >= JPEG_BLOCK) {
      reader->fault = "the picture data have a bad code";
      return;
    }
    if (bits == 0 && run != RUN_OF_ZEROS) break;
    i += run;
    block[jpeg_zigzag[i]] = (int16_t)next_number(reader, bits);
  }
  if (reader->padding > reader->bit_count) reader->fault = "the picture data end too early";
}

/* Before each MCU: at the end of a restart interval, goes to the next. jpeg_parse() has seen to it
 * that there is one. */
static void restart_if_due(struct jpeg_reader* reader) {
  if (reader->scan->restart_interval == 0) return;
  if (reader->mcus_to_restart == 0) {
    jpeg_reader_start(reader, reader->scan, reader->restart_count + 1);
  }
  --reader->mcus_to_restart;
}

/* The rows of a scan whose MCUs are those of the frame. */
static void read_mcus(const struct jpeg_frame* frame, struct jpeg_reader* reader,
                      struct jpeg_rows rows, int16_t* coefs) {
  const struct jpeg_scan* scan = reader->scan;
  const size_t mcu_count = rows.count * frame->mcus_across;
  for (size_t mcu = 0; mcu < mcu_count && reader->fault == NULL; ++mcu) {
    int16_t* blocks = coefs + mcu * frame->blocks_per_mcu * JPEG_BLOCK;
    restart_if_due(reader);
    for (unsigned i = 0; i < scan->component_count; ++i) {
      const struct jpeg_component* component = &frame->components[scan->components[i]];
      int16_t* block = blocks + component->first_block * JPEG_BLOCK;
      for (unsigned j = 0; j < component->h * component->v && reader->fault == NULL; ++j) {
        read_block(reader, i, block + j * JPEG_BLOCK);
      }
    }
  }
}

/* The rows of a scan of one component: its blocks line by line, without those that only fill up
 * MCUs. */
static void read_single(const struct jpeg_frame* frame, struct jpeg_reader* reader,
                        struct jpeg_rows rows, int16_t* coefs) {
  const struct jpeg_component* component = &frame->components[reader->scan->components[0]];
  const size_t across = jpeg_parts(component->width, JPEG_SIDE);
  const size_t down = jpeg_parts(component->height, JPEG_SIDE);
  const size_t last = (rows.first + rows.count) * component->v;
  for (size_t y = rows.first * component->v; y < last && y < down; ++y) {
    for (size_t x = 0; x < across && reader->fault == NULL; ++x) {
      const size_t mcu = (y / component->v - rows.first) * frame->mcus_across + x / component->h;
      const size_t block = mcu * frame->blocks_per_mcu + component->first_block +
                           y % component->v * component->h + x % component->h;
      restart_if_due(reader);
      read_block(reader, 0, coefs + block * JPEG_BLOCK);
    }
  }
}

void jpeg_read_rows(const struct jpeg_frame* frame, struct jpeg_reader* reader,
                    struct jpeg_rows rows, int16_t* coefs) {
  if (jpeg_is_single(frame, reader->scan)) {
    read_single(frame, reader, rows, coefs);
  } else {
    read_mcus(frame, reader, rows, coefs);
  }
}
