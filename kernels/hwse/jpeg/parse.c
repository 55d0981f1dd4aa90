/* SPDX-License-Identifier: Apache-2.0
 *
 * The segments of a JPEG file up to the compressed data of each scan.
 */
#include <stdlib.h>
#include <string.h>

#include "hwse/jpeg/frame.h"
#include "hwse/jpeg/huffman.h"

enum {
  MARKER_SOF0 = 0xc0, /* baseline */
  MARKER_SOF1 = 0xc1, /* the same with more tables */
  MARKER_SOF2 = 0xc2, /* progressive */
  MARKER_DHT = 0xc4,
  MARKER_SOF15 = 0xcf,
  MARKER_JPG = 0xc8, /* among the SOFs, but none */
  MARKER_DAC = 0xcc, /* likewise */
  MARKER_RST0 = 0xd0,
  MARKER_RST7 = 0xd7,
  MARKER_SOI = 0xd8,
  MARKER_EOI = 0xd9,
  MARKER_SOS = 0xda,
  MARKER_DQT = 0xdb,
  MARKER_DRI = 0xdd,
  MARKER_APP0 = 0xe0,
  MARKER_APP14 = 0xee,
  MARKER_TEM = 0x01
};

static const char kTruncated[] = "the file ends within a header";

/* The part of the file that is not read yet, and the tables in force. */
struct parser {
  struct jpeg_frame* frame;
  const uint8_t* next;
  const uint8_t* end;
  uint16_t quant[JPEG_TABLES_MAX][JPEG_BLOCK];
  bool quant_defined[JPEG_TABLES_MAX];
  struct jpeg_huffman dc[JPEG_TABLES_MAX];
  struct jpeg_huffman ac[JPEG_TABLES_MAX];
  unsigned restart_interval;
  bool jfif;
  int adobe_transform; /* -1: no such segment */
};

/* What a marker's segment holds. */
struct segment {
  const uint8_t* next;
  size_t left;
};

const uint8_t jpeg_zigzag[JPEG_BLOCK] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

static unsigned byte_of(struct segment* segment) {
  segment->left -= 1;
  return *segment->next++;
}

static unsigned word_of(struct segment* segment) {
  const unsigned high = byte_of(segment);
  return high << 8 | byte_of(segment);
}

static const char* read_quantisers(struct parser* parser, struct segment segment) {
  while (segment.left > 0) {
    const unsigned head = byte_of(&segment);
    const unsigned wide = head >> 4;
    const unsigned table = head & 15;
    if (wide > 1 || table >= JPEG_TABLES_MAX) return "a quantisation table has a bad number";
    if (segment.left < JPEG_BLOCK * (wide + 1)) return "a quantisation table is too short";
    for (unsigned i = 0; i < JPEG_BLOCK; ++i) {
      const unsigned value = wide ? word_of(&segment) : byte_of(&segment);
      parser->quant[table][jpeg_zigzag[i]] = (uint16_t)value;
    }
    parser->quant_defined[table] = true;
  }
  return NULL;
}

static const char* read_huffman_tables(struct parser* parser, struct segment segment) {
  while (segment.left > 0) {
    const unsigned head = byte_of(&segment);
    const unsigned kind = head >> 4;
    const unsigned table = head & 15;
    if (kind > 1 || table >= JPEG_TABLES_MAX) return "a Huffman table has a bad number";
    if (segment.left < JPEG_CODE_BITS_MAX) return "a Huffman table is too short";
    const uint8_t* counts = segment.next;
    unsigned total = 0;
    for (unsigned i = 0; i < JPEG_CODE_BITS_MAX; ++i) total += byte_of(&segment);
    if (total > 256 || total > segment.left) return "a Huffman table is too short";
    struct jpeg_huffman* target = kind == 0 ? &parser->dc[table] : &parser->ac[table];
    if (!jpeg_huffman_build(target, counts, segment.next, total)) {
      return "a Huffman table has too many codes";
    }
    segment.next += total;
    segment.left -= total;
  }
  return NULL;
}

/* What follows from the components' sampling. */
static const char* lay_out(struct jpeg_frame* frame) {
  frame->h_max = frame->v_max = 1;
  for (unsigned i = 0; i < frame->component_count; ++i) {
    const struct jpeg_component* component = &frame->components[i];
    if (component->h > frame->h_max) frame->h_max = component->h;
    if (component->v > frame->v_max) frame->v_max = component->v;
  }
  frame->mcus_across = jpeg_parts(frame->width, JPEG_SIDE * frame->h_max);
  frame->rows = jpeg_parts(frame->height, JPEG_SIDE * frame->v_max);
  for (unsigned i = 0; i < frame->component_count; ++i) {
    struct jpeg_component* component = &frame->components[i];
    if (frame->h_max % component->h != 0 || frame->v_max % component->v != 0) {
      return "the components' sampling rates are no multiples of each other";
    }
    component->width = jpeg_parts(frame->width * component->h, frame->h_max);
    component->height = jpeg_parts(frame->height * component->v, frame->v_max);
    component->stride = frame->mcus_across * component->h * JPEG_SIDE;
    component->first_block = frame->blocks_per_mcu;
    component->first_sample = frame->samples_per_row;
    frame->blocks_per_mcu += component->h * component->v;
    frame->samples_per_row += (size_t)component->stride * component->v * JPEG_SIDE;
  }
  return NULL;
}

static const char* read_frame(struct parser* parser, struct segment segment) {
  struct jpeg_frame* frame = parser->frame;
  if (frame->component_count != 0) return "there are two frames";
  if (segment.left < 6) return kTruncated;
  if (byte_of(&segment) != 8) return "not 8 bits a sample";
  frame->height = word_of(&segment);
  frame->width = word_of(&segment);
  const unsigned count = byte_of(&segment);
  if (frame->width == 0 || frame->height == 0) return "the picture has no pixels";
  if (count == 4) return "four components (CMYK) are not supported";
  if (count != 1 && count != JPEG_COMPONENTS_MAX) return "neither one nor three components";
  if (segment.left < 3 * count) return kTruncated;
  for (unsigned i = 0; i < count; ++i) {
    struct jpeg_component* component = &frame->components[i];
    component->id = byte_of(&segment);
    const unsigned sampling = byte_of(&segment);
    component->h = sampling >> 4;
    component->v = sampling & 15;
    component->quantiser = byte_of(&segment);
    if (component->h < 1 || component->h > 4 || component->v < 1 || component->v > 4) {
      return "a component has a bad sampling rate";
    }
    if (component->quantiser >= JPEG_TABLES_MAX) return "a component has no quantisation table";
  }
  /* The only component of a frame has MCUs of one block, whatever its sampling rate says. */
  if (count == 1) frame->components[0].h = frame->components[0].v = 1;
  frame->component_count = count;
  return lay_out(frame);
}

/* Where the compressed data from `next` on end, and where they restart. */
static const char* find_restarts(struct jpeg_scan* scan, const uint8_t* next, const uint8_t* end) {
  size_t room = 0;
  scan->begin = next;
  while (next < end && (next = memchr(next, 0xff, (size_t)(end - next))) != NULL) {
    const uint8_t* marker = next;
    while (marker < end && *marker == 0xff) ++marker;
    if (marker == end) break;
    if (*marker != 0 && (*marker < MARKER_RST0 || *marker > MARKER_RST7)) {
      scan->end = next;
      return NULL;
    }
    next = marker + 1;
    if (*marker == 0) continue;
    if ((*marker - MARKER_RST0) % 8 != (int)(scan->restart_count % 8)) {
      return "the restart markers are out of order";
    }
    if (scan->restart_count == room) {
      room = room == 0 ? 64 : 2 * room;
      const uint8_t** grown = realloc(scan->restarts, room * sizeof *grown);
      if (grown == NULL) return "out of memory";
      scan->restarts = grown;
    }
    scan->restarts[scan->restart_count++] = next;
  }
  scan->end = end;
  return NULL;
}

/* Refuses data that cannot suffice, so that a small file cannot ask for much memory: no block has
 * less than two bits. */
static const char* check_amount(const struct jpeg_frame* frame, const struct jpeg_scan* scan) {
  size_t mcus;
  size_t blocks = 0;
  if (jpeg_is_single(frame, scan)) {
    const struct jpeg_component* component = &frame->components[scan->components[0]];
    mcus =
        (size_t)jpeg_parts(component->width, JPEG_SIDE) * jpeg_parts(component->height, JPEG_SIDE);
    blocks = mcus;
  } else {
    mcus = (size_t)frame->mcus_across * frame->rows;
    for (unsigned i = 0; i < scan->component_count; ++i) {
      const struct jpeg_component* component = &frame->components[scan->components[i]];
      blocks += mcus * component->h * component->v;
    }
  }
  if ((size_t)(scan->end - scan->begin) < blocks / 4) return "the picture data end too early";
  const size_t intervals = scan->restart_interval == 0
                               ? 1
                               : (mcus + scan->restart_interval - 1) / scan->restart_interval;
  if (scan->restart_count != intervals - 1) return "the number of restart markers is wrong";
  return NULL;
}

static const char* read_scan_component(struct parser* parser, struct jpeg_scan* scan,
                                       struct segment* segment) {
  struct jpeg_frame* frame = parser->frame;
  const unsigned id = byte_of(segment);
  const unsigned tables = byte_of(segment);
  unsigned index = 0;
  while (index < frame->component_count && frame->components[index].id != id) ++index;
  if (index == frame->component_count) return "a scan has an unknown component";
  struct jpeg_component* component = &frame->components[index];
  if (component->seen) return "a component is in two scans: not a baseline JPEG";
  const unsigned dc = tables >> 4;
  const unsigned ac = tables & 15;
  if (dc >= JPEG_TABLES_MAX || ac >= JPEG_TABLES_MAX || !parser->dc[dc].defined ||
      !parser->ac[ac].defined) {
    return "a Huffman table is missing";
  }
  if (!parser->quant_defined[component->quantiser]) return "a quantisation table is missing";
  component->seen = true;
  memcpy(component->quant, parser->quant[component->quantiser], sizeof component->quant);
  scan->dc[scan->component_count] = parser->dc[dc];
  scan->ac[scan->component_count] = parser->ac[ac];
  scan->components[scan->component_count++] = index;
  return NULL;
}

static const char* read_scan(struct parser* parser, struct segment segment) {
  struct jpeg_frame* frame = parser->frame;
  if (frame->component_count == 0) return "a scan comes before the frame";
  if (segment.left < 1) return kTruncated;
  const unsigned count = byte_of(&segment);
  if (count < 1 || count > frame->component_count) return "a scan has a bad number of components";
  if (segment.left < 2 * count + 3) return kTruncated;
  /* Each scan has a component that no other has, so there are no more scans than components. */
  if (frame->scan_count == JPEG_COMPONENTS_MAX) return "there are too many scans";
  struct jpeg_scan* scan = &frame->scans[frame->scan_count++];
  scan->restart_interval = parser->restart_interval;
  unsigned blocks = 0;
  for (unsigned i = 0; i < count; ++i) {
    const char* fault = read_scan_component(parser, scan, &segment);
    if (fault != NULL) return fault;
    const struct jpeg_component* component = &frame->components[scan->components[i]];
    blocks += component->h * component->v;
  }
  if (count > 1 && blocks > 10) return "an MCU has more than ten blocks";
  const char* fault = find_restarts(scan, segment.next + segment.left, parser->end);
  if (fault != NULL) return fault;
  parser->next = scan->end;
  return check_amount(frame, scan);
}

static const char* read_segment(struct parser* parser, unsigned marker, struct segment segment) {
  switch (marker) {
    case MARKER_SOF0:
    case MARKER_SOF1:
      return read_frame(parser, segment);
    case MARKER_SOF2:
      return "a progressive JPEG, not a baseline one";
    case MARKER_DHT:
      return read_huffman_tables(parser, segment);
    case MARKER_DQT:
      return read_quantisers(parser, segment);
    case MARKER_DRI:
      if (segment.left < 2) return kTruncated;
      parser->restart_interval = word_of(&segment);
      return NULL;
    case MARKER_APP0:
      if (segment.left >= 14 && memcmp(segment.next, "JFIF", 5) == 0) parser->jfif = true;
      return NULL;
    case MARKER_APP14:
      if (segment.left >= 12 && memcmp(segment.next, "Adobe", 5) == 0) {
        parser->adobe_transform = segment.next[11];
      }
      return NULL;
    case MARKER_SOS:
      return read_scan(parser, segment);
    default:
      return marker > MARKER_SOF2 && marker <= MARKER_SOF15 && marker != MARKER_JPG &&
                     marker != MARKER_DAC
                 ? "neither a baseline nor an extended Huffman JPEG"
                 : NULL;
  }
}

/* Finds the next marker and reads its segment. Answers with `*done` at the end of the picture. */
static const char* read_marker(struct parser* parser, bool* done) {
  while (parser->next < parser->end && *parser->next != 0xff) ++parser->next;
  while (parser->next < parser->end && *parser->next == 0xff) ++parser->next;
  *done = parser->next == parser->end || *parser->next == MARKER_EOI;
  if (*done) return NULL;
  const unsigned marker = *parser->next++;
  if (marker == 0 || marker == MARKER_TEM || marker == MARKER_SOI ||
      (marker >= MARKER_RST0 && marker <= MARKER_RST7)) {
    return NULL; /* these have no segment */
  }
  struct segment segment = {parser->next, (size_t)(parser->end - parser->next)};
  if (segment.left < 2) return kTruncated;
  const unsigned length = word_of(&segment);
  if (length < 2) return "a segment is shorter than its length";
  if (length - 2 > segment.left) return kTruncated;
  segment.left = length - 2;
  parser->next = segment.next + segment.left;
  return read_segment(parser, marker, segment);
}

/* How libjpeg decides, too. */
static bool is_ycc(const struct parser* parser) {
  const struct jpeg_component* components = parser->frame->components;
  if (parser->jfif) return true;
  if (parser->adobe_transform >= 0) return parser->adobe_transform != 0;
  return !(components[0].id == 'R' && components[1].id == 'G' && components[2].id == 'B');
}

static const char* read_all(struct parser* parser) {
  const size_t size = (size_t)(parser->end - parser->next);
  if (size < 4 || parser->next[0] != 0xff || parser->next[1] != MARKER_SOI)
    return "not a JPEG file";
  bool done = false;
  while (!done) {
    const char* fault = read_marker(parser, &done);
    if (fault != NULL) return fault;
  }
  if (parser->frame->component_count == 0) return "there is no frame";
  for (unsigned i = 0; i < parser->frame->component_count; ++i) {
    if (!parser->frame->components[i].seen) return "a component has no data";
  }
  parser->frame->ycc = parser->frame->component_count == 3 && is_ycc(parser);
  return NULL;
}

const char* jpeg_parse(struct jpeg_frame* frame, const uint8_t* bytes, size_t size) {
  memset(frame, 0, sizeof *frame);
  struct parser* parser = calloc(1, sizeof *parser);
  if (parser == NULL) return "out of memory";
  parser->frame = frame;
  parser->next = bytes;
  parser->end = bytes + size;
  parser->adobe_transform = -1;
  const char* fault = read_all(parser);
  free(parser);
  return fault;
}

void jpeg_frame_free(struct jpeg_frame* frame) {
  for (unsigned i = 0; i < frame->scan_count; ++i) free(frame->scans[i].restarts);
}
