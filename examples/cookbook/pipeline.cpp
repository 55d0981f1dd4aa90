// SPDX-License-Identifier: Apache-2.0
//
// A pipeline: one stage runs in turn, one beside itself, one in turn again.
#include <array>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>
#include <string>

struct Reader {
  int next = 0;
};
struct Writer {
  unsigned sum = 0;
  int blocks = 0;
};

void read_block(Reader& reader, std::string& block) {
  block = "block " + std::to_string(reader.next++) + std::string(1'000, '.');
}
void compress(std::string& block) {
  std::string shorter;
  for (const char letter : block) {
    if (shorter.empty() || shorter.back() != letter) shorter += letter;
  }
  block = shorter;
}
void write_block(const std::string& block, Writer& writer) {
  for (const char letter : block) writer.sum = writer.sum * 31 + static_cast<unsigned char>(letter);
  writer.blocks += 1;
}

int main() {
  Reader reader;
  Writer writer;
  std::array<std::string, 6> slots;  // at most so many blocks under way
  for (std::size_t i = 0; i < 2'000; ++i) {
    std::string& slot = slots[i % slots.size()];
    myr::spawn(read_block, myr::inout(reader), myr::out(slot));  // in turn: reader
    myr::spawn(compress, myr::inout(slot));                      // beside each other
    myr::spawn(write_block, myr::in(slot), myr::inout(writer));  // in turn: writer
  }
  myr::wait_all();
  std::printf("%d blocks, %08x\n", writer.blocks, writer.sum);
}
