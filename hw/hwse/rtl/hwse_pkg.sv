// SPDX-License-Identifier: Apache-2.0
//
// Words and codes of the scheduling engine. Its registers' and errors' codes are those of
// hw/hwse/include/hwse.h; hw/rtl/lint.py compares the two.
package hwse_pkg;

  // A register's address, in words: what to do, and to which of several (a queue, a counter, a
  // size).
  localparam int unsigned OpWidth = 5;
  localparam int unsigned ArgWidth = 7;
  localparam int unsigned AddressWidth = OpWidth + ArgWidth;
  localparam int unsigned RankWidth = 5;  // up to 16 threads in a team
  localparam int unsigned TeamWidth = 4;  // in a context word; up to 16 teams
  localparam int unsigned SlotsPerTeam = 2;  // work-shares that a team may be in at a time

  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [TeamWidth-1:0] team_t;

  // What a core reads (R) or writes (W) at an address; see hwse.h for what each does.
  typedef enum logic [OpWidth-1:0] {
    RegTeamOpen    = 5'd0,   // R, argument: size
    RegTeamClose   = 5'd1,   // W
    RegContext     = 5'd2,   // RW
    RegChunkEnd    = 5'd3,   // RW
    RegShareInit   = 5'd4,   // R
    RegSingle      = 5'd5,   // R
    RegLoopStart   = 5'd6,   // W
    RegLoopEnd     = 5'd7,   // W
    RegLoopStatic  = 5'd8,   // W
    RegLoopDynamic = 5'd9,   // W
    RegLoopGuided  = 5'd10,  // W
    RegSections    = 5'd11,  // W
    RegShareFetch  = 5'd12,  // R
    RegShareLeave  = 5'd13,  // W
    RegSync        = 5'd14,  // R
    RegQueuePush   = 5'd15,  // W, argument: queue
    RegQueuePop    = 5'd16,  // R, argument: queue
    RegHeapStart   = 5'd17,  // W, argument: queue
    RegHeapEnd     = 5'd18,  // W, argument: queue
    RegHeapStep    = 5'd19,  // W, argument: queue
    RegCount       = 5'd20,  // RW, argument: counter
    RegCountUp     = 5'd21,  // R, argument: counter
    RegCountDown   = 5'd22,  // R, argument: counter
    RegTaken       = 5'd23,  // R
    RegError       = 5'd24   // RW
  } reg_e;

  typedef enum logic [3:0] {
    ErrNone       = 4'd0,
    ErrRegister   = 4'd1,  // there is no such register, or not in this direction
    ErrArgument   = 4'd2,  // no such queue or counter, or no such size of a team
    ErrContext    = 4'd3,  // a context that names no open team, or a rank outside of it
    ErrTeam       = 4'd4,  // closing a team that is not open, or has an open work-share or barrier
    ErrNoTeam     = 4'd5,  // a work-share or barrier outside of a team
    ErrNested     = 4'd6,  // a second work-share before leaving the first
    ErrNotInside  = 4'd7,  // fetching from a work-share, or leaving it, without being inside
    ErrNotFilling = 4'd8,  // bounds from a thread that did not come first, or too late
    ErrStep       = 4'd9,  // a step of zero; it is taken as one
    ErrCount      = 4'd10  // counting below zero, or more than a counter holds
  } error_e;

  typedef enum logic [1:0] {
    ScheduleStatic  = 2'd0,
    ScheduleDynamic = 2'd1,
    ScheduleGuided  = 2'd2
  } schedule_e;

  // Where a thread is with the work-share of its turn.
  typedef enum logic [1:0] {
    PlaceOutside = 2'd0,
    PlaceFresh   = 2'd1,  // inside, and has fetched nothing yet
    PlaceGoing   = 2'd2,
    PlaceOver    = 2'd3   // inside, and was told that nothing is left
  } place_e;

  // A thread's work-share register. Software reads and writes it as one word to enter a nested
  // team and to come back.
  typedef struct packed {
    logic       arrived;  // at the barrier, and not yet told that all are there
    logic       phase;    // the barrier's when it arrived
    logic [1:0] place;    // place_e
    logic [1:0] turn;     // which of the team's work-shares comes next: bit 0 the slot
    logic [RankWidth-1:0] rank;
    logic [TeamWidth-1:0] team;
    logic       member;   // of a team
  } context_t;
  localparam int unsigned ContextWidth = 7 + RankWidth + TeamWidth;

  // What happens to a work-share.
  typedef enum logic [3:0] {
    ShareKeep,
    ShareClaim,     // it is this thread's to fill
    ShareStart,     // the first iteration
    ShareEnd,       // the one after the last
    ShareOpen,      // the step, with the schedule; from now on it may be fetched from
    ShareSections,  // 1 to a number, one at a time; open
    ShareSingle,    // claimed, open, empty, and left by this thread
    ShareTake,      // the chunk that is shown
    ShareLeave      // this thread is done with it; the last one frees it
  } share_act_e;

endpackage
