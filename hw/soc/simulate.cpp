// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on the simulated system, cycle by cycle: gives it memory and a console, and ends
// when it says so.
//
// Usage: simulate PROGRAM.bin [CYCLES-MAX]
//   Status: the program's own; 3 if it took longer than CYCLES-MAX; 4 if the scheduler reports an
//   error. The last line on standard error is "cycles: N".
#include <Vsoc.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "axi.hpp"

namespace {

using myr::hw::AxiFromSystem;
using myr::hw::AxiSlave;
using myr::hw::kBeatBytes;

constexpr std::uint64_t kMemoryBase = 0x80000000;
constexpr std::uint64_t kMemoryBytes = 64 << 20;
constexpr std::uint64_t kConsole = 0x60000000;  // a byte to print
constexpr std::uint64_t kExit = 0x60000008;     // the status to end with
// From the request to the first word, besides what the system itself takes: 100 ns at 80 MHz.
constexpr unsigned kMemoryLatencyCycles = 8;
constexpr unsigned kDeviceLatencyCycles = 1;
constexpr unsigned kResetCycles = 20;
constexpr std::uint64_t kCyclesMax = 2'000'000'000;
constexpr int kStatusTooLong = 3;
constexpr int kStatusSchedulerError = 4;

[[noreturn]] void fail(const char* what, std::uint64_t number, int status) {
  std::fprintf(stderr, "simulate: %s: %llx\n", what, static_cast<unsigned long long>(number));
  std::exit(status);
}

class Memory {
 public:
  explicit Memory(const char* path) : bytes_(kMemoryBytes) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    if (image.empty() || image.size() > bytes_.size()) fail("no program, or too large", 0, 2);
    std::memcpy(bytes_.data(), image.data(), image.size());
  }
  [[nodiscard]] std::uint64_t read(std::uint64_t address) const {
    std::uint64_t word;
    std::memcpy(&word, &bytes_[place(address)], kBeatBytes);
    return word;
  }
  void write(std::uint64_t address, std::uint64_t data, unsigned strobes) {
    for (unsigned i = 0; i < kBeatBytes; ++i) {
      if ((strobes >> i & 1) != 0) {
        bytes_[place(address) + i] = static_cast<std::uint8_t>(data >> 8 * i);
      }
    }
  }

 private:
  static std::size_t place(std::uint64_t address) {
    if (address < kMemoryBase || address - kMemoryBase >= kMemoryBytes) {
      fail("the program is outside of memory, at address", address, 2);
    }
    return address - kMemoryBase;
  }
  std::vector<std::uint8_t> bytes_;
};

class Console {
 public:
  [[nodiscard]] static std::uint64_t read(std::uint64_t) { return 0; }
  void write(std::uint64_t address, std::uint64_t data, unsigned) {
    if (address == kConsole) std::putchar(static_cast<int>(data & 0xFF));
    if (address == kExit) {
      status_ = static_cast<int>(data & 0xFF);
      over_ = true;
    }
  }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] int status() const { return status_; }

 private:
  bool over_ = false;
  int status_ = 0;
};

// The system's ports have names, not types: PORT is mem or mmio.
#define READ_PORT(dut, PORT)                                                            \
  AxiFromSystem{(dut).PORT##_axi4_0_aw_valid != 0,   (dut).PORT##_axi4_0_w_valid != 0,  \
                (dut).PORT##_axi4_0_b_ready != 0,    (dut).PORT##_axi4_0_ar_valid != 0, \
                (dut).PORT##_axi4_0_r_ready != 0,    (dut).PORT##_axi4_0_aw_bits_addr,  \
                (dut).PORT##_axi4_0_ar_bits_addr,    (dut).PORT##_axi4_0_w_bits_data,   \
                (dut).PORT##_axi4_0_aw_bits_id,      (dut).PORT##_axi4_0_ar_bits_id,    \
                (dut).PORT##_axi4_0_ar_bits_len,     (dut).PORT##_axi4_0_w_bits_strb,   \
                (dut).PORT##_axi4_0_w_bits_last != 0}
#define DRIVE_PORT(dut, PORT, out)                  \
  do {                                              \
    (dut).PORT##_axi4_0_aw_ready = (out).aw_ready;  \
    (dut).PORT##_axi4_0_w_ready = (out).w_ready;    \
    (dut).PORT##_axi4_0_b_valid = (out).b_valid;    \
    (dut).PORT##_axi4_0_b_bits_id = (out).b_id;     \
    (dut).PORT##_axi4_0_b_bits_resp = 0;            \
    (dut).PORT##_axi4_0_ar_ready = (out).ar_ready;  \
    (dut).PORT##_axi4_0_r_valid = (out).r_valid;    \
    (dut).PORT##_axi4_0_r_bits_id = (out).r_id;     \
    (dut).PORT##_axi4_0_r_bits_data = (out).r_data; \
    (dut).PORT##_axi4_0_r_bits_resp = 0;            \
    (dut).PORT##_axi4_0_r_bits_last = (out).r_last; \
  } while (false)

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "Usage: simulate PROGRAM.bin [CYCLES-MAX]\n");
    return 2;
  }
  Verilated::commandArgs(argc, argv);  // Rocket looks for options of its own; there are none
  const std::uint64_t cycles_max = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : kCyclesMax;
  Memory memory(argv[1]);
  Console console;
  AxiSlave memory_port(memory, kMemoryLatencyCycles);
  AxiSlave console_port(console, kDeviceLatencyCycles);
  const auto dut = std::make_unique<Vsoc>();

  std::uint64_t cycle = 0;
  for (; !console.over(); ++cycle) {
    dut->reset = cycle < kResetCycles;
    const auto memory_out = memory_port.outputs();
    const auto console_out = console_port.outputs();
    DRIVE_PORT(*dut, mem, memory_out);
    DRIVE_PORT(*dut, mmio, console_out);
    dut->eval();
    const AxiFromSystem memory_in = READ_PORT(*dut, mem);
    const AxiFromSystem console_in = READ_PORT(*dut, mmio);
    dut->clock = 1;
    dut->eval();
    dut->clock = 0;
    if (cycle >= kResetCycles) {
      memory_port.clock(memory_in);
      console_port.clock(console_in);
      if (dut->error != 0) fail("the scheduler reports error", dut->error, kStatusSchedulerError);
    }
    if (cycle == cycles_max) fail("not done after so many cycles", cycle, kStatusTooLong);
  }
  std::fprintf(stderr, "cycles: %llu\n", static_cast<unsigned long long>(cycle));
  dut->final();
  return console.status();
}
