// SPDX-License-Identifier: Apache-2.0
#include "transport/threads/wires.hpp"

#include "base/small_vector.hpp"
#include "plat/thread.hpp"

namespace myr::transport::threads {

namespace {

// Some tens of microseconds: as long as waking a sleeper may take.
constexpr unsigned kSpinRounds = 500;

template <class T>
std::uint64_t bytes_of_list(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}
template <class T, std::uint32_t N>
std::uint64_t bytes_of_list(const base::SmallVector<T, N>& list) {
  return list.size() > N ? list.size() * sizeof(T) : 0;  // others are part of the message
}

std::uint64_t bytes_owned_by(const proto::Task& task) {
  std::uint64_t bytes =
      bytes_of_list(task.accesses) + bytes_of_list(task.written) + bytes_of_list(task.unmanaged);
  for (const proto::Access& access : task.accesses) bytes += bytes_of_list(access.path);
  return bytes;
}

// Of each list that some message has.
template <class Body>
std::uint64_t bytes_owned_by(const Body& body) {
  std::uint64_t bytes = 0;
  if constexpr (requires { body.pieces; }) bytes += bytes_of_list(body.pieces);
  if constexpr (requires { body.path; }) bytes += bytes_of_list(body.path);
  if constexpr (requires { body.access; }) bytes += bytes_of_list(body.access.path);
  if constexpr (requires { body.addresses; }) bytes += bytes_of_list(body.addresses);
  if constexpr (requires { body.runs; }) bytes += bytes_of_list(body.runs);
  if constexpr (requires { body.work; }) bytes += bytes_owned_by(body.work);
  if constexpr (requires { body.task->accesses; }) {
    if (body.task != nullptr) bytes += sizeof *body.task + bytes_owned_by(*body.task);
  }
  return bytes;
}

unsigned spin_rounds_for(AgentId agent_count) {
  return agent_count <= plat::usable_cpu_count() ? kSpinRounds : 0;
}

}  // namespace

std::uint64_t bytes_of(const proto::Message& message) {
  return sizeof message.to +
         std::visit([](const auto& body) { return sizeof body + bytes_owned_by(body); },
                    message.body);
}

Wires::Wires(AgentId agent_count, const std::vector<Edge>& edges)
    : BasicWires(agent_count, edges, spin_rounds_for(agent_count)) {}

}  // namespace myr::transport::threads
