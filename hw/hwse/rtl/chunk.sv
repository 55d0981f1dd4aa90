// SPDX-License-Identifier: Apache-2.0
//
// The loop datapath: the next chunk of a work-share, for a thread that asks now. Bounds are signed
// and distances unsigned, so a loop may span all numbers. Combinational.
//   dynamic: the next `step` iterations.
//   guided:  what is left, divided by the team's size (rounded up to a power of two), but at least
//            `step`.
//   static:  each thread takes every size-th chunk, its own rank first. `next_i` stays the loop's
//            start; `position_i`, where the thread's last chunk ended, tells how far it is.
// The last chunk may be shorter, unless whole_i.
module chunk #(
  parameter int unsigned Width = 32
) (
  input  logic [Width-1:0] next_i,
  input  logic [Width-1:0] end_i,
  input  logic [Width-1:0] step_i,      // not zero
  input  logic             down_i,      // the loop counts down
  input  logic [1:0]       schedule_i,  // schedule_e
  input  logic             whole_i,
  input  hwse_pkg::rank_t  size_i,      // of the team, not zero
  input  hwse_pkg::rank_t  rank_i,
  input  logic             fresh_i,     // the thread's first chunk
  input  logic [Width-1:0] position_i,
  output logic             over_o,      // nothing is left
  output logic [Width-1:0] start_o,
  output logic [Width-1:0] end_o
);

  // A team has at most 16 threads, so a thread passes over at most 15 chunks.
  localparam int unsigned TurnsWidth = hwse_pkg::RankWidth - 1;
  localparam int unsigned OffsetWidth = Width + TurnsWidth;

  logic is_static;
  logic [Width-1:0] mirror, next, last, position, begins;
  logic [Width-1:0] left_all, done, left, share, grain, amount;
  logic [OffsetWidth-1:0] offset;
  logic [TurnsWidth-1:0] turns;
  logic [2:0] shift;

  // To count down is to count up among the numbers with all bits turned over.
  assign mirror   = {Width{down_i}};
  assign next     = next_i ^ mirror;
  assign last     = end_i ^ mirror;
  assign position = position_i ^ mirror;

  assign is_static = schedule_i == hwse_pkg::ScheduleStatic;
  assign left_all  = last - next;

  // How far from `next` this thread's chunk begins.
  assign done  = fresh_i ? '0 : position - next;
  assign turns = TurnsWidth'(fresh_i ? rank_i : size_i - 1'b1);
  always_comb begin
    offset = '0;
    if (is_static) begin
      offset = OffsetWidth'(done);
      for (int unsigned i = 0; i < TurnsWidth; i++) begin
        if (turns[i]) offset = offset + (OffsetWidth'(step_i) << i);
      end
    end
  end

  assign left = left_all - offset[Width-1:0];

  always_comb begin
    shift = '0;
    for (int unsigned i = 0; i < hwse_pkg::RankWidth; i++) begin
      if (32'(size_i) > (32'd1 << i)) shift = 3'(i + 1);
    end
  end
  assign share  = left >> shift;
  assign grain  = schedule_i == hwse_pkg::ScheduleGuided && share > step_i ? share : step_i;
  assign amount = grain > left ? left : grain;

  assign over_o  = offset >= OffsetWidth'(left_all) || (whole_i && grain > left);
  assign begins  = next + offset[Width-1:0];
  assign start_o = begins ^ mirror;
  assign end_o   = (begins + amount) ^ mirror;

endmodule
