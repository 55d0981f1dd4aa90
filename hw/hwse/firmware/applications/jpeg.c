/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding a part of a photograph with a restart marker before each row of MCUs, a row a chunk. */
#include "application.h"
#include "hwse/jpeg/decoder.h"
#include "picture.h"

static struct jpeg_decoder program;

static void run(void) { jpeg_tasks(&program); }

int main(void) {
  const struct jpeg_plan plan = {LOOPS ? JPEG_LOOPS : JPEG_TASKS, 1};
  const uint8_t* const file = bring_in(kPicture, sizeof(kPicture));
  const int refused = jpeg_open(&program, file, sizeof(kPicture), plan) != NULL;
  report("refused", (unsigned)refused);
  if (refused) return 1;
  run_timed(run);
  const size_t pixels = (size_t)program.frame.width * program.frame.height;
  report("rows", (unsigned)program.chunk_count);
  report("damaged", jpeg_fault(&program) != NULL);
  report("pixels", digest(program.pixels, pixels * JPEG_CHANNELS));
  return 0;
}
