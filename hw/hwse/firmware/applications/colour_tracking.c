/* SPDX-License-Identifier: Apache-2.0
 *
 * An orange disc on a noisy ground, followed through some frames, a row a band. */
#include "hwse/colour_tracking/colour_tracking.h"

#include "application.h"

enum { WIDTH = 16, HEIGHT = 16, FRAMES = 2, PIXELS = WIDTH * HEIGHT, RADIUS = 4 };
static struct colour_tracking program;

static void run(void) { colour_tracking_tasks(&program); }

static void paint(uint8_t* pixel, int frame, uint32_t* state) {
  const int centre_x = 6 + 2 * frame, centre_y = 6 + 2 * frame;
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < WIDTH; ++x, pixel += TRACKING_CHANNELS) {
      const int dx = x - centre_x, dy = y - centre_y;
      const int disc = dx * dx + dy * dy < RADIUS * RADIUS;
      *state = *state * 1664525 + 1013904223;
      const uint8_t noise = (uint8_t)(*state >> 27);
      pixel[0] = (uint8_t)((disc ? 210 : 90) + noise);
      pixel[1] = (uint8_t)((disc ? 120 : 90) + noise / 2);
      pixel[2] = (uint8_t)(disc ? 20 : 100 + noise + x);
    }
  }
}

int main(void) {
  uint8_t* const frames = new_zeros(FRAMES * PIXELS * TRACKING_CHANNELS);
  uint32_t state = 2014;
  for (int i = 0; i < FRAMES; ++i) paint(frames + i * PIXELS * TRACKING_CHANNELS, i, &state);
  program = (struct colour_tracking){
      .width = WIDTH,
      .height = HEIGHT,
      .frame_count = FRAMES,
      .band_rows = 1,
      .band_count = HEIGHT,
      .loops = LOOPS,
      .range = {{14, 150, 100}, {32, 255, 255}},
      .frames = frames,
      .hsv = new_zeros(TRACKING_SLOTS * PIXELS * TRACKING_CHANNELS),
      .marks = new_zeros(TRACKING_SLOTS * PIXELS),
      .band_sums = new_zeros(TRACKING_SLOTS * HEIGHT * sizeof(struct tracking_sums)),
      .track = new_zeros(FRAMES * sizeof(struct tracking_sums)),
  };
  tracking_fill(&program.reciprocals);
  run_timed(run);
  for (int i = 0; i < FRAMES; ++i) report("marked", (unsigned)program.track[i].count);
  report("track", digest(program.track, FRAMES * sizeof(struct tracking_sums)));
  return 0;
}
