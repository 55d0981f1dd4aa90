// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/rank.hpp"

#include <dlfcn.h>
#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "plat/clock.hpp"
#include "plat/cpu_quota.hpp"
#include "plat/this_cpu.hpp"
#include "plat/thread.hpp"
#include "transport/mpi/bell.hpp"

namespace myr::transport::mpi {

namespace {

// This process's, while it is a rank: before other threads use it, and until they have ended.
Bell* own_bell = nullptr;
bool all_ring_it = false;

Bell* bell_of(const myr_mpi_job& job, unsigned rank) { return static_cast<Bell*>(job.bells[rank]); }

std::optional<unsigned> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  const std::string_view digits(text);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return number;
}

// The folder of the library, or of the program that contains it.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  const std::string path(info.dli_fname);
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// Not closed again: MPI leaves threads and handlers behind. Global, as the parts that an MPI loads
// by itself look for its functions.
void* load(const std::string& file) {
  constexpr int kMode = RTLD_NOW | RTLD_GLOBAL;
  void* const beside = dlopen((own_folder() + file).c_str(), kMode);
  return beside != nullptr ? beside : dlopen(file.c_str(), kMode);
}

}  // namespace

std::optional<Launched> launched() {
  if (const auto rank = number_in("OMPI_COMM_WORLD_RANK")) {
    return Launched{"openmpi", *rank, number_in("OMPI_COMM_WORLD_SIZE").value_or(0)};
  }
  if (const auto rank = number_in("PMI_RANK")) {
    return Launched{"mpich", *rank, number_in("PMI_SIZE").value_or(0)};
  }
  const char* const chosen = std::getenv("MYR_MPI");
  if (const auto rank = number_in("PMIX_RANK")) {
    return Launched{chosen == nullptr || *chosen == 0 ? "openmpi" : chosen, *rank};
  }
  return {};
}

base::Result<std::unique_ptr<Rank>> Rank::join(const std::string& mpi) {
  const std::string file = "libmyrmidon-" + mpi + ".so";
  void* const library = load(file);
  if (library == nullptr) {
    const std::string_view package = mpi == "openmpi" ? "libopenmpi-dev" : "libmpich-dev";
    return base::Error{
        base::format("the launcher is that of {}, but {} cannot be loaded: {}. It is built and "
                     "installed with Myrmidon, beside libmyrmidon.so, where the package {} is; "
                     "programs with the static library need its folder in LD_LIBRARY_PATH",
                     mpi, file, dlerror(), package)};
  }
  const auto* const plugin =
      static_cast<const myr_mpi_plugin*>(dlsym(library, MYR_MPI_PLUGIN_SYMBOL));
  if (plugin == nullptr || plugin->version != MYR_MPI_PLUGIN_VERSION) {
    return base::Error{file + " is of another version of Myrmidon; install both from one build"};
  }
  myr_mpi_job job{};
  if (plugin->start(&job) != 0) {
    return base::Error{base::format(
        "this build of {} serves one thread only; one with MPI_THREAD_SERIALIZED is needed", mpi)};
  }
  // Naps end when they should, not 50 us later. Also those of threads that this one starts.
  constexpr unsigned long kSlackNs = 1'000;
  prctl(PR_SET_TIMERSLACK, kSlackNs);
  return std::unique_ptr<Rank>(new Rank(*plugin, job));
}

Rank::Rank(const myr_mpi_plugin& plugin, const myr_mpi_job& job)
    : plugin_(plugin),
      job_(job),
      processors_(plat::usable_cpu_count()),
      sent_counts_(static_cast<std::size_t>(job.size)) {
  own_bell = bell_of(job_, self());
  all_ring_it = job_.size_here == job_.size;
  unsigned first_here = 0;
  while (bell_of(job_, first_here) == nullptr) first_here += 1;
  base::share_last_words(bell_of(job_, first_here)->last_words());
}

void Rank::leave() {
  own_bell = nullptr;
  base::share_last_words(nullptr);
  plugin_.finish();
}

void Rank::ring(unsigned rank) noexcept {
  if (Bell* const bell = bell_of(job_, rank)) bell->ring();
}

void Rank::send(unsigned to, Bytes bytes) {
  sent_counts_[to] += 1;
  send(to, std::move(bytes), sent_counts_[to] % kAcknowledgedEach == 0);
}

void Rank::send(unsigned to, Bytes bytes, bool is_acknowledged) {
  Sent& sent = sent_.emplace_back(Sent{nullptr, std::move(bytes), is_acknowledged});
  sent.request = plugin_.send(sent.bytes.data(), sent.bytes.size(), static_cast<int>(to),
                              is_acknowledged ? 1 : 0);
  ring(to);
  unacknowledged_ += is_acknowledged ? 1 : 0;
  long_ones_ += sent.is_long() ? 1 : 0;
}

// The other side may wait for either before it goes on.
myr_mpi_request Rank::fetch(std::span<const Range> ranges, unsigned from) {
  myr_mpi_request request =
      plugin_.receive_ranges(ranges.data(), ranges.size(), static_cast<int>(from));
  ring(from);
  return request;
}

myr_mpi_request Rank::give(std::span<const Range> ranges, unsigned to) {
  myr_mpi_request request = plugin_.send_ranges(ranges.data(), ranges.size(), static_cast<int>(to));
  ring(to);
  return request;
}

std::optional<Received> Rank::receive() {
  if (!early_.empty()) {
    std::optional<Received> early(std::move(early_.front()));
    early_.pop_front();
    return early;
  }
  int from = 0;
  std::size_t size = 0;
  if (plugin_.probe(&from, &size) == 0) return {};
  Received received{.from = static_cast<unsigned>(from), .bytes = Bytes(size)};
  plugin_.receive(received.bytes.data(), size, from);
  return received;
}

bool Rank::settle() {
  while (!sent_.empty() && plugin_.test(sent_.front().request) != 0) {
    unacknowledged_ -= sent_.front().is_acknowledged ? 1 : 0;
    long_ones_ -= sent_.front().is_long() ? 1 : 0;
    sent_.pop_front();
  }
  return sent_.empty();
}

// An acknowledged message tells that all before it have been received, and a barrier that this
// holds for all ranks.
bool Rank::is_drained(std::span<const unsigned> to, const Bytes& farewell) {
  if (!std::exchange(is_draining_, true)) {
    for (const unsigned rank : to) send(rank, farewell, true);
  }
  if (!settle()) return false;
  if (barrier_ == nullptr) barrier_ = plugin_.barrier();
  if (plugin_.test(barrier_) == 0) return false;
  barrier_ = nullptr;
  is_draining_ = false;
  return true;
}

Patience::Patience(bool spins, Who who) noexcept
    : spins_(spins),
      who_(who),
      is_under_way_(!all_ring_it),
      heard_(own_bell == nullptr ? 0 : own_bell->rings()) {
  if (who == Who::WaiterForHelper) own_bell->let_helper_rest(true);
}

// The helper has to look now at what has come since the last look, and is under way: it has not
// been woken for that.
Patience::~Patience() {
  if (who_ != Who::WaiterForHelper) return;
  own_bell->let_helper_rest(false);
  if (is_under_way_ || own_bell->rings() != heard_) own_bell->ring();
}

bool Patience::may_rest() noexcept { return own_bell->helper_rests(); }

void Patience::expect(bool is_under_way) noexcept {
  is_under_way_ = is_under_way || !all_ring_it;
  if (is_under_way) reset();
}

void Patience::pause() noexcept {
  constexpr std::uint64_t kSpinNs = 100'000;
  constexpr std::uint64_t kLongSpinNs = 10'000'000;  // MPI moves what is long a piece a look
  constexpr std::uint64_t kFirstNapNs = 10'000;
  constexpr unsigned kDoublings = 5;
  constexpr std::uint64_t kRestNs = 5'000'000;
  if (spins_ && naps_ == 0) {
    const std::uint64_t now = plat::now_ns();
    if (spin_end_ns_ == 0) spin_end_ns_ = now + (is_under_way_ ? kLongSpinNs : kSpinNs);
    if (now < spin_end_ns_) return plat::cpu_relax();
  }
  // By default the kernel lets a thread that naps sleep for 50 us longer, to wake several at once.
  thread_local const int is_woken_in_time = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  static_cast<void>(is_woken_in_time);
  // Not sched_yield(): among many programs it would take a slice of each of them, while one that
  // sleeps is woken in time.
  const unsigned doublings = is_under_way_ ? std::min(naps_, kDoublings) : kDoublings;
  naps_ += 1;
  const std::uint64_t nap_ns =
      who_ == Who::Helper && may_rest() ? kRestNs : kFirstNapNs << doublings;
  if (own_bell != nullptr) {
    own_bell->nap(who_ == Who::Helper ? Bell::kHelper : Bell::kWaiter, heard_, nap_ns);
    const std::uint32_t heard = std::exchange(heard_, own_bell->rings());
    if (spins_ && heard_ != heard && own_bell->rung_from() == plat::this_cpu()) {
      plat::leave_this_cpu();
    }
  } else {
    const timespec nap{.tv_sec = 0, .tv_nsec = static_cast<long>(nap_ns)};
    nanosleep(&nap, nullptr);
  }
}

}  // namespace myr::transport::mpi
