// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on the simulated cluster, cycle by cycle: gives it memory and a console, and ends
// when it says so.
//
// Usage: simulate PROGRAM.bin [LATENCY [CYCLES-MAX [PROFILE FROM TO]]]
//   LATENCY: cycles from a request to the answer of the memory outside. 57, the default, makes a
//   miss of the instruction cache 59 cycles longer than a hit, as paper 5 has it.
//   PROFILE: a file for what the cores do from when core 0 has decoded the instruction at FROM, for
//   the last time, until it has decoded that at TO, two hexadecimal addresses. Its lines: CORE
//   ADDRESS DECODED MISSING, the cycles for which the core had the instruction before it, and for
//   which it waited to get it.
//   Status: the program's own; 3 if it took longer than CYCLES-MAX; 4 if the engine reports an
//   error; 5 if a core's stack pointer leaves its stack. The last line on standard error is
//   "cycles: N".
#include <Vcluster.h>
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

namespace {

// As in hw/hwse/firmware/runtime/platform.h.
constexpr std::uint32_t kMemoryBase = 0x80000000;
constexpr std::uint32_t kMemoryBytes = 16 << 20;
constexpr std::uint32_t kConsole = 0x60000000;  // a byte to print
constexpr std::uint32_t kExit = 0x60000004;     // the status to end with
constexpr std::uint32_t kCoreCount = 0x60000008;
constexpr std::uint32_t kBooted = 0x6000000c;  // a word that is 0 after reset
constexpr unsigned kCores = CORES;             // as the model was made
constexpr unsigned kLineWords = 4;
constexpr unsigned kLatencyCycles = 57;
constexpr std::uint32_t kMissing = 1;  // in an address of pcs_o: the instruction is not there yet
constexpr unsigned kResetCycles = 20;
constexpr std::uint64_t kCyclesMax = 100'000'000;
constexpr int kStatusTooLong = 3;
constexpr int kStatusEngineError = 4;
constexpr int kStatusStackFault = 5;

[[noreturn]] void fail(const char* what, std::uint64_t number, int status) {
  std::fprintf(stderr, "simulate: %s: %llx\n", what, static_cast<unsigned long long>(number));
  std::exit(status);
}

// What is outside of the cluster. It answers in order, each access after the latency, and a word a
// cycle.
class Outside {
 public:
  Outside(const char* path, unsigned latency) : words_(kMemoryBytes / 4), latency_(latency) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    if (image.empty() || image.size() > kMemoryBytes) fail("no program, or too large", 0, 2);
    std::memcpy(words_.data(), image.data(), image.size());
    image_bytes_ = static_cast<std::uint32_t>(image.size());
  }

  // Drives the inputs of a cycle.
  void drive(Vcluster& dut, std::uint64_t cycle) {
    dut.back_valid_i = !answers_.empty() && answers_.front().cycle <= cycle;
    if (dut.back_valid_i == 0) return;
    dut.back_tag_i = answers_.front().tag;
    for (unsigned i = 0; i < kLineWords; ++i) dut.back_line_i[i] = answers_.front().line[i];
    answers_.pop_front();
  }

  // Looks at the outputs of the cycle.
  void clock(const Vcluster& dut, std::uint64_t cycle) {
    if (dut.out_valid_o == 0) return;
    Answer answer{0, dut.out_tag_o, {}};
    const std::uint32_t address = dut.out_address_o;
    const bool whole_line = answer.tag < kCores || answer.tag == 2 * kCores;
    if (dut.out_write_o != 0) {
      write(address, dut.out_data_o, dut.out_be_o);
    } else {
      for (unsigned i = 0; i < (whole_line ? kLineWords : 1); ++i)
        answer.line[i] = read(address + 4 * i);
    }
    const unsigned words = whole_line && dut.out_write_o == 0 ? kLineWords : 1;
    answered_ = answer.cycle = std::max(cycle + latency_, answered_ + words);
    answers_.push_back(answer);
  }
  [[nodiscard]] std::uint32_t image_bytes() const { return image_bytes_; }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] int status() const { return status_; }

 private:
  struct Answer {
    std::uint64_t cycle;
    unsigned tag;
    std::uint32_t line[kLineWords];
  };

  std::uint32_t& word(std::uint32_t address) {
    if (address < kMemoryBase || address - kMemoryBase >= kMemoryBytes) {
      fail("the program is outside of memory, at address", address, 2);
    }
    return words_[(address - kMemoryBase) / 4];
  }
  std::uint32_t read(std::uint32_t address) {
    return address == kCoreCount ? kCores : address == kBooted ? booted_ : word(address);
  }
  void write(std::uint32_t address, std::uint32_t data, unsigned be) {
    if (address == kConsole) {
      std::putchar(static_cast<int>(data & 0xFF));
    } else if (address == kExit) {
      status_ = static_cast<int>(data & 0xFF);
      over_ = true;
    } else if (address == kBooted) {
      booted_ = data;
    } else {
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t mask = 0xFFU << 8 * i;
        if ((be >> i & 1) != 0) word(address) = (word(address) & ~mask) | (data & mask);
      }
    }
  }

  std::vector<std::uint32_t> words_;
  std::deque<Answer> answers_;
  unsigned latency_;
  std::uint32_t image_bytes_ = 0;
  std::uint32_t booted_ = 0;
  std::uint64_t answered_ = 0;  // when the last one is
  bool over_ = false;
  int status_ = 0;
};

// What each core does between two instructions of core 0.
class Profile {
 public:
  Profile(std::uint32_t from, std::uint32_t to, std::uint32_t image_bytes)
      : from_(from), to_(to), core_counts_(image_bytes / 4) {}

  // What is behind a branch that is taken may have been decoded, too.
  void clock(const Vcluster& dut) {
    const std::uint32_t now = dut.pcs_o[0];
    if (last_ == from_ && now != from_) {
      running_ = true;
      counts_.assign(kCores * core_counts_, {});
    }
    if (last_ == to_ && now != to_) running_ = false;
    last_ = now;
    for (unsigned core = 0; running_ && core < kCores; ++core) count(core, dut.pcs_o[core]);
  }
  void write(const char* path) const {
    std::ofstream file(path);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const auto& [decoded, missing] = counts_[i];
      if (decoded + missing == 0) continue;
      file << i / core_counts_ << ' ' << std::hex << kMemoryBase + 4 * (i % core_counts_)
           << std::dec << ' ' << decoded << ' ' << missing << '\n';
    }
    if (!file.flush()) fail("the profile is not written", 0, 2);
  }

 private:
  struct Cycles {
    std::uint64_t decoded = 0, missing = 0;
  };

  void count(unsigned core, std::uint32_t pc) {
    const std::size_t place = (pc - kMemoryBase) / 4;
    if (place >= core_counts_) fail("a core is outside of the program, at address", pc, 2);
    Cycles& cycles = counts_[core * core_counts_ + place];
    ((pc & kMissing) != 0 ? cycles.missing : cycles.decoded) += 1;
  }

  std::uint32_t from_, to_;
  std::size_t core_counts_;
  std::vector<Cycles> counts_;  // of core 0's instructions, then of core 1's, ...
  std::uint32_t last_ = 0;
  bool running_ = false;
};

std::uint32_t address(const char* text) {
  return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 16));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || (argc > 4 && argc != 7)) {
    std::fprintf(stderr, "Usage: simulate PROGRAM.bin [LATENCY [CYCLES-MAX [PROFILE FROM TO]]]\n");
    return 2;
  }
  const unsigned latency = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : kLatencyCycles;
  const std::uint64_t cycles_max = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : kCyclesMax;
  Outside outside(argv[1], latency);
  std::optional<Profile> profile;
  if (argc == 7) profile.emplace(address(argv[5]), address(argv[6]), outside.image_bytes());
  const auto dut = std::make_unique<Vcluster>();

  std::uint64_t cycle = 0;
  for (; !outside.over(); ++cycle) {
    dut->rst_ni = cycle >= kResetCycles;
    outside.drive(*dut, cycle);
    if (cycle >= kResetCycles) outside.clock(*dut, cycle);
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    if (profile) profile->clock(*dut);
    if (dut->error_o != 0 && cycle >= kResetCycles) {
      fail("the engine reports error", dut->error_o, kStatusEngineError);
    }
    if (dut->stack_faults_o != 0) {
      fail("a stack of 4096 bytes is too small for core", std::countr_zero(dut->stack_faults_o),
           kStatusStackFault);
    }
    if (cycle == cycles_max) fail("not done after so many cycles", cycle, kStatusTooLong);
  }
  std::fprintf(stderr, "cycles: %llu\n", static_cast<unsigned long long>(cycle));
  dut->final();
  if (profile) profile->write(argv[4]);
  return outside.status();
}
