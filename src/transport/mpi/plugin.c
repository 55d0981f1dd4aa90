/* SPDX-License-Identifier: Apache-2.0
 *
 * libmyrmidon-openmpi.so and libmyrmidon-mpich.so: the table of plugin.h over MPI 3.1. Memory that
 * is refused ends the job like an error of MPI.
 */
#include "transport/mpi/plugin.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct myr_mpi_operation {
  MPI_Request request;
};

/* Messages are looked for from anybody; transfers must not be found by that. */
static MPI_Comm messages = MPI_COMM_NULL;
static MPI_Comm transfers = MPI_COMM_NULL;

/* The ranks of this computer, and what they have in common. */
static MPI_Comm here = MPI_COMM_NULL;
static MPI_Win bell_window = MPI_WIN_NULL;
static void** bells = NULL;

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory != NULL) return memory;
  fputs("myrmidon: error: no memory left for messages\n", stderr);
  MPI_Abort(MPI_COMM_WORLD, 70);
  abort();
}

static myr_mpi_request new_request(void) { return allocate(sizeof(struct myr_mpi_operation)); }

static void find_bells(int size) {
  void* own = NULL;
  MPI_Win_allocate_shared(MYR_MPI_BELL_BYTES, 1, MPI_INFO_NULL, here, &own, &bell_window);
  memset(own, 0, MYR_MPI_BELL_BYTES);
  MPI_Group all, near;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(here, &near);
  bells = allocate((size_t)size * sizeof *bells);
  for (int rank = 0; rank < size; ++rank) {
    int rank_here = MPI_UNDEFINED, unit = 0;
    MPI_Aint bytes = 0;
    MPI_Group_translate_ranks(all, 1, &rank, near, &rank_here);
    bells[rank] = NULL;
    if (rank_here == MPI_UNDEFINED) continue;
    MPI_Win_shared_query(bell_window, rank_here, &bytes, &unit, &bells[rank]);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&near);
  MPI_Barrier(here); /* all are zero */
}

static int start(myr_mpi_job* job) {
  int provided = 0;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED) return -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &messages);
  MPI_Comm_dup(MPI_COMM_WORLD, &transfers);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &job->size_here);
  MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job->size);
  find_bells(job->size);
  job->bells = bells;
  return 0;
}

static void finish(void) {
  MPI_Win_free(&bell_window);
  free(bells);
  MPI_Comm_free(&here);
  MPI_Comm_free(&messages);
  MPI_Comm_free(&transfers);
  MPI_Finalize();
}

static void abort_job(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

static myr_mpi_request send_bytes(const void* bytes, size_t size, int to, int is_acknowledged) {
  myr_mpi_request sent = new_request();
  if (is_acknowledged) {
    MPI_Issend(bytes, (int)size, MPI_BYTE, to, 0, messages, &sent->request);
  } else {
    MPI_Isend(bytes, (int)size, MPI_BYTE, to, 0, messages, &sent->request);
  }
  return sent;
}

/* Open MPI answers first and then takes what has come: so a second look finds it. */
static int probe(int* from, size_t* size) {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, messages, &is_there, &status);
  if (!is_there) MPI_Iprobe(MPI_ANY_SOURCE, 0, messages, &is_there, &status);
  if (!is_there) return 0;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *size = (size_t)count;
  return 1;
}

static void receive(void* bytes, size_t size, int from) {
  MPI_Recv(bytes, (int)size, MPI_BYTE, from, 0, messages, MPI_STATUS_IGNORE);
}

/* A length is an int: longer ranges are several. */
static const uint64_t block_bytes_max = 1U << 30;

static MPI_Datatype type_of(const myr_mpi_range* ranges, size_t count) {
  size_t blocks = 0;
  for (size_t i = 0; i < count; ++i) {
    blocks += (ranges[i].bytes + block_bytes_max - 1) / block_bytes_max;
  }
  int* lengths = allocate((blocks + 1) * sizeof *lengths);
  MPI_Aint* addresses = allocate((blocks + 1) * sizeof *addresses);
  size_t block = 0;
  for (size_t i = 0; i < count; ++i) {
    for (uint64_t done = 0; done < ranges[i].bytes; done += block_bytes_max, ++block) {
      const uint64_t left = ranges[i].bytes - done;
      lengths[block] = (int)(left < block_bytes_max ? left : block_bytes_max);
      addresses[block] = (MPI_Aint)(ranges[i].address + done);
    }
  }
  MPI_Datatype type;
  MPI_Type_create_hindexed((int)blocks, lengths, addresses, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  free(lengths);
  free(addresses);
  return type;
}

/* One block needs no datatype of its own, with which some MPIs take a slower way. */
static int is_one_block(const myr_mpi_range* ranges, size_t count) {
  return count == 1 && ranges->bytes <= block_bytes_max;
}

static myr_mpi_request send_ranges(const myr_mpi_range* ranges, size_t count, int to) {
  myr_mpi_request sent = new_request();
  if (is_one_block(ranges, count)) {
    MPI_Isend((const void*)(uintptr_t)ranges->address, (int)ranges->bytes, MPI_BYTE, to, 0,
              transfers, &sent->request);
    return sent;
  }
  MPI_Datatype type = type_of(ranges, count);
  MPI_Isend(MPI_BOTTOM, 1, type, to, 0, transfers, &sent->request);
  MPI_Type_free(&type);
  return sent;
}

static myr_mpi_request receive_ranges(const myr_mpi_range* ranges, size_t count, int from) {
  myr_mpi_request received = new_request();
  if (is_one_block(ranges, count)) {
    MPI_Irecv((void*)(uintptr_t)ranges->address, (int)ranges->bytes, MPI_BYTE, from, 0, transfers,
              &received->request);
    return received;
  }
  MPI_Datatype type = type_of(ranges, count);
  MPI_Irecv(MPI_BOTTOM, 1, type, from, 0, transfers, &received->request);
  MPI_Type_free(&type);
  return received;
}

static myr_mpi_request barrier(void) {
  myr_mpi_request reached = new_request();
  MPI_Ibarrier(messages, &reached->request);
  return reached;
}

static int test(myr_mpi_request request) {
  int is_over = 0;
  MPI_Test(&request->request, &is_over, MPI_STATUS_IGNORE);
  if (is_over) free(request);
  return is_over;
}

const myr_mpi_plugin myr_mpi = {
    .version = MYR_MPI_PLUGIN_VERSION,
    .start = start,
    .finish = finish,
    .abort = abort_job,
    .send = send_bytes,
    .probe = probe,
    .receive = receive,
    .send_ranges = send_ranges,
    .receive_ranges = receive_ranges,
    .barrier = barrier,
    .test = test,
};
