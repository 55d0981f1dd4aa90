/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of MPI that programs of ranks on a simulated chip have, with the standard's names, types
 * and meanings: a program that keeps to it also compiles with any other MPI. Ranks are started by
 * myr_chip_run() of run.h. Put this folder into the include path and write #include <mpi.h>.
 *
 * There is one communicator, MPI_COMM_WORLD. Sends of up to 64 bytes do not wait for their receive,
 * longer ones do. Every error (a rank or tag that cannot be, a message longer than its buffer, ...)
 * ends the run of all ranks with a text; so the calls return MPI_SUCCESS, or not at all.
 */
#ifndef MYR_KERNELS_CHIP_MPI_MPI_H
#define MYR_KERNELS_CHIP_MPI_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

enum { MPI_SUCCESS = 0 };
enum { MPI_ANY_TAG = -1, MPI_ANY_SOURCE = -1, MPI_PROC_NULL = -2 };

typedef enum { MPI_COMM_WORLD = 1 } MPI_Comm;

typedef enum {
  MPI_BYTE = 1,
  MPI_CHAR,
  MPI_INT,
  MPI_INT64_T,
  MPI_UINT64_T,
  MPI_FLOAT,
  MPI_DOUBLE
} MPI_Datatype;

/* Those of MPI_BYTE: none. */
typedef enum { MPI_SUM = 1, MPI_MIN, MPI_MAX } MPI_Op;

typedef struct myr_chip_request* MPI_Request;
#define MPI_REQUEST_NULL ((MPI_Request)0)

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  unsigned long bytes; /* not of the standard; see MPI_Get_count() */
} MPI_Status;
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

/* Nothing is left to do for these two: a rank begins and ends with its program. */
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
/* Virtual seconds of the rank's own clock, from the start of the run. */
double MPI_Wtime(void);
double MPI_Wtick(void);

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status);
int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int target,
                 int send_tag, void* receive_buffer, int receive_count, MPI_Datatype receive_type,
                 int source, int receive_tag, MPI_Comm comm, MPI_Status* status);
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);

/* Trees: every rank has at most log2(ranks) partners. */
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm);
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
