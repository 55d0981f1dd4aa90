/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that the kernels use, counted; see counts.h.
 */
#include "mpi/counts.h"

#include <mpi.h>

struct mpi_counts mpi_counts_now;

static void count_messages(int messages, int count, MPI_Datatype type) {
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  mpi_counts_now.messages += messages;
  mpi_counts_now.bytes += (int64_t)messages * count * bytes;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (target != MPI_PROC_NULL) count_messages(1, count, type);
  return PMPI_Isend(buffer, count, type, target, tag, comm, request);
}

int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int target,
                 int send_tag, void* receive_buffer, int receive_count, MPI_Datatype receive_type,
                 int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  if (target != MPI_PROC_NULL) count_messages(1, send_count, send_type);
  return PMPI_Sendrecv(send_buffer, send_count, send_type, target, send_tag, receive_buffer,
                       receive_count, receive_type, source, receive_tag, comm, status);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != root) count_messages(1, count, type);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != 0) count_messages(2, count, type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
