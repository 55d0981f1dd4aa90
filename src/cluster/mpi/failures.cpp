// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/failures.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "base/contract.hpp"
#include "myr/exception.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr std::size_t kTypeBytes = 256;
constexpr std::size_t kTextBytes = 1024;

struct Told {
  PlaceInModule kind;
  PlaceInModule site;
  std::uint64_t number;  // of the one that is kept; 0: none
  proto::AgentId keeper;
  char type[kTypeBytes];
  char what[kTextBytes];
};

}  // namespace

proto::FailurePtr Failures::to_message(const proto::SerialTime& time, base::Failure failure,
                                       bool is_kept) {
  Told told{};
  const myr_exception& thrown = failure.exception.get();
  told.kind = modules_.place_of(thrown.kind);
  told.site = modules_.place_of(failure.site);
  thrown.kind->name(thrown.object, told.type, sizeof told.type, told.what, sizeof told.what);
  if (is_kept) {
    told.keeper = self_;
    told.number = ++kept_count_;
    kept_.emplace(told.number, std::move(failure));
  }
  auto message = std::make_shared<proto::Failure>();
  message->time = time;
  const auto* const first = reinterpret_cast<const std::byte*>(&told);
  const std::size_t used = offsetof(Told, what) + std::strlen(told.what) + 1;
  message->bytes.assign(first, first + used);
  return message;
}

base::Failure Failures::from_message(const proto::Failure& message) {
  Told told{};
  MYR_ASSERT(message.bytes.size() > offsetof(Told, what) && message.bytes.size() <= sizeof told);
  std::memcpy(&told, message.bytes.data(), message.bytes.size());
  MYR_ASSERT(told.type[kTypeBytes - 1] == 0 && told.what[kTextBytes - 1] == 0);
  if (told.number != 0 && told.keeper == self_) {
    return std::move(kept_.extract(told.number).mapped());
  }
  const auto* kind = static_cast<const myr_exception_kind*>(modules_.address_of(told.kind));
  if (kind == nullptr) kind = myr::detail::exception_kind();  // from a library that came later
  const myr_exception revived{kind->revive(told.type, told.what), kind};
  return {base::Exception(revived), static_cast<const myr_site*>(modules_.address_of(told.site))};
}

}  // namespace myr::cluster::mpi
