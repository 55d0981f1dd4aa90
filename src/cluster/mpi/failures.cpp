// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/failures.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "myr/exception.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr std::size_t kTypeBytes = 256;
constexpr std::size_t kTextBytes = 1024;

struct Told {
  PlaceInModule kind;
  PlaceInModule site;
  char type[kTypeBytes];
  char what[kTextBytes];
};

}  // namespace

proto::FailurePtr to_message(const Failure& failure, const Modules& modules) {
  Told told{};
  const myr_exception& thrown = failure.what.exception.get();
  told.kind = modules.place_of(thrown.kind);
  told.site = modules.place_of(failure.what.site);
  thrown.kind->name(thrown.object, told.type, sizeof told.type, told.what, sizeof told.what);
  auto message = std::make_shared<proto::Failure>();
  message->time = failure.time;
  const auto* const first = reinterpret_cast<const std::byte*>(&told);
  const std::size_t used = offsetof(Told, what) + std::strlen(told.what) + 1;
  message->bytes.assign(first, first + used);
  return message;
}

std::unique_ptr<Failure> from_message(const proto::Failure& failure, const Modules& modules) {
  Told told{};
  std::memcpy(&told, failure.bytes.data(), failure.bytes.size());
  const auto* kind = static_cast<const myr_exception_kind*>(modules.address_of(told.kind));
  if (kind == nullptr) kind = myr::detail::exception_kind();  // from a library that came later
  const myr_exception revived{kind->revive(told.type, told.what), kind};
  const auto* const site = static_cast<const myr_site*>(modules.address_of(told.site));
  return std::make_unique<Failure>(Failure{failure.time, {base::Exception(revived), site}});
}

}  // namespace myr::cluster::mpi
