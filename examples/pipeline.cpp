// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/2-data.md: frames are decoded and encoded in order, and filtered side by side.
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>
#include <vector>

struct Frame {
  int number = 0;
  std::vector<int> pixels;
};

struct Source {
  int next = 0;
};
struct Sink {
  long sum = 0;
  int frames = 0;
  bool in_order = true;
};

void decode(Source& source, Frame& frame) {
  frame.number = source.next++;
  frame.pixels.assign(1'000, frame.number);
}
void filter(Frame& frame) {
  for (int& pixel : frame.pixels) pixel = pixel * 3 % 257;
}
void encode(const Frame& frame, Sink& sink) {
  for (const int pixel : frame.pixels) sink.sum += pixel;
  sink.in_order = sink.in_order && frame.number == sink.frames;
  sink.frames += 1;
}

int main() {
  Source source;
  Sink sink;
  std::vector<Frame> ring(8);  // so many under way
  for (std::size_t i = 0; i < 1'000; ++i) {
    Frame& frame = ring[i % ring.size()];
    myr::spawn(decode, myr::inout(source), myr::out(frame));
    myr::spawn(filter, myr::inout(frame));
    myr::spawn(encode, myr::in(frame), myr::inout(sink));
  }
  myr::wait_all();
  std::printf("%ld, %s\n", sink.sum, sink.in_order ? "in order" : "out of order");
}
