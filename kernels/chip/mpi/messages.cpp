// SPDX-License-Identifier: Apache-2.0
//
// The calls of mpi.h except for the collective ones.
#include "chip/mpi/call.hpp"

using myr::ranks::Call;
using myr::ranks::Order;
using myr::ranks::Request;

namespace {

MPI_Request handle_of(Request& request) { return reinterpret_cast<MPI_Request>(&request); }

// Waits for a request, which may be none, and forgets it.
void wait_for(const Call& call, MPI_Request* handle, MPI_Status* status) {
  if (*handle == MPI_REQUEST_NULL) {
    if (status != MPI_STATUS_IGNORE) {
      *status = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};
    }
    return;
  }
  auto& request = *reinterpret_cast<Request*>(*handle);
  if (!call.exchange().is_own(request)) call.fail("the request does not belong to this rank");
  call.finish(request, status);
  *handle = MPI_REQUEST_NULL;
}

double hertz(const Call& call) {
  return static_cast<double>(call.virtual_clock().chip().costs().hertz);
}

}  // namespace

int MPI_Init(int*, char***) {
  const Call call("MPI_Init");
  return MPI_SUCCESS;
}

int MPI_Finalize() {
  const Call call("MPI_Finalize");
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  Call("MPI_Abort", comm).fail("the program aborts with code {}", code);
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = static_cast<int>(Call("MPI_Comm_rank", comm).rank());
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = static_cast<int>(Call("MPI_Comm_size", comm).rank_count());
  return MPI_SUCCESS;
}

double MPI_Wtime() {
  const Call call("MPI_Wtime");
  return static_cast<double>(call.virtual_clock().clock()) / hertz(call);
}

double MPI_Wtick() { return 1 / hertz(Call("MPI_Wtick")); }

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
  const Call call("MPI_Send", comm);
  const Order order = call.send_order(target, tag, call.bytes_of(count, type));
  call.finish(call.exchange().send(order, buffer), MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const Call call("MPI_Recv", comm);
  const Order order = call.receive_order(source, tag, call.bytes_of(count, type));
  call.finish(call.exchange().receive(order, buffer), status);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int target,
                 int send_tag, void* receive_buffer, int receive_count, MPI_Datatype receive_type,
                 int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Sendrecv", comm);
  const Order in =
      call.receive_order(source, receive_tag, call.bytes_of(receive_count, receive_type));
  const Order out = call.send_order(target, send_tag, call.bytes_of(send_count, send_type));
  Request& receive = call.exchange().receive(in, receive_buffer);
  call.finish(call.exchange().send(out, send_buffer), MPI_STATUS_IGNORE);
  call.finish(receive, status);
  return MPI_SUCCESS;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Call call("MPI_Isend", comm);
  const Order order = call.send_order(target, tag, call.bytes_of(count, type));
  *request = handle_of(call.exchange().send(order, buffer));
  return MPI_SUCCESS;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Call call("MPI_Irecv", comm);
  const Order order = call.receive_order(source, tag, call.bytes_of(count, type));
  *request = handle_of(call.exchange().receive(order, buffer));
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  wait_for(Call("MPI_Wait"), request, status);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Call call("MPI_Waitall");
  for (int i = 0; i < count; ++i) {
    wait_for(call, &requests[i],
             statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
  }
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  const Call call("MPI_Get_count");
  const std::size_t bytes = call.bytes_of(1, type);
  if (status->bytes % bytes != 0) {
    call.fail("{} bytes are not a whole number of values of {}", status->bytes, bytes);
  }
  *count = static_cast<int>(status->bytes / bytes);
  return MPI_SUCCESS;
}
