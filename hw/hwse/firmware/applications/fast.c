/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST corners of a part of a photograph, a row a band. */
#include "hwse/fast/fast.h"

#include "application.h"
#include "photo.h"

enum { PIXELS = PHOTO_WIDTH * PHOTO_HEIGHT };
static struct fast program;

static void run(void) { fast_tasks(&program); }

int main(void) {
  program = (struct fast){
      .width = PHOTO_WIDTH,
      .height = PHOTO_HEIGHT,
      .band = 1,
      .threshold = 40,
      .loops = LOOPS,
      .pixels = bring_in(kPhoto, PIXELS),
      .scores = new_zeros(PIXELS),
      .columns = new_zeros(PIXELS * sizeof(uint16_t)),
      .counts = new_zeros(PHOTO_HEIGHT * sizeof(uint32_t)),
  };
  run_timed(run);
  unsigned corners = 0;
  for (size_t y = 0; y < PHOTO_HEIGHT; ++y) corners += program.counts[y];
  report("corners", corners);
  report("scores", digest(program.scores, PIXELS));
  report("columns", digest(program.columns, PIXELS * sizeof(uint16_t)));
  return 0;
}
