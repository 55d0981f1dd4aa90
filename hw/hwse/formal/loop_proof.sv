// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: one loop of any bounds, step and schedule, from which two threads fetch in any
// order. For any one iteration:
//   - it is given to at most one thread, and only if it is within the bounds;
//   - when both threads have been told that nothing is left, it was given.
// And the work-share is free again when both have left, not before.
module loop_proof #(
  parameter int unsigned Width = 3
) (
  input logic clk_i,
  input logic thread_i,
  input logic leaves_i
);

  (* anyconst *) logic [Width-1:0] first, last, step, probe;
  (* anyconst *) logic [1:0] schedule;

  logic started_q = 1'b0;
  logic [2:0] phase_q = '0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && phase_q != 3'd4) phase_q <= phase_q + 1'b1;
  end

  logic busy, open, generation, over, fetches, leaves;
  logic [1:0] all_busy;
  logic [3:0] act;
  logic [Width-1:0] start, stop, data;
  logic [1:0] fresh_q = '1;
  logic [1:0] over_q = '0;
  logic [1:0] gone_q = '0;
  logic [2*Width-1:0] position_q = '0;

  assign fetches = phase_q == 3'd4 && !leaves_i && !gone_q[thread_i];
  assign leaves  = phase_q == 3'd4 && leaves_i && !gone_q[thread_i];
  always_comb begin
    act  = hwse_pkg::ShareKeep;
    data = first;
    case (phase_q)
      3'd0: act = hwse_pkg::ShareClaim;
      3'd1: act = hwse_pkg::ShareStart;
      3'd2: begin
        act  = hwse_pkg::ShareEnd;
        data = last;
      end
      3'd3: begin
        act  = hwse_pkg::ShareOpen;
        data = step;
      end
      default: begin
        if (fetches && !over) act = hwse_pkg::ShareTake;
        if (leaves) act = hwse_pkg::ShareLeave;
      end
    endcase
  end

  shares #(
    .Slots(2),
    .Heaps(1),
    .Width(Width)
  ) u_shares (
    .clk_i,
    .rst_ni      (started_q),
    .index_i     (2'd0),
    .busy_o      (busy),
    .open_o      (open),
    .generation_o(generation),
    .all_busy_o  (all_busy),
    .size_i      (5'd2),
    .rank_i      (5'(thread_i)),
    .fresh_i     (fresh_q[thread_i]),
    .position_i  (position_q[thread_i*Width+:Width]),
    .over_o      (over),
    .start_o     (start),
    .end_o       (stop),
    .act_i       (act),
    .generation_i(1'b0),
    .schedule_i  (schedule),
    .data_i      (data)
  );

  // Iterations are signed; a loop that counts down has those above its end.
  logic down, within, in_chunk;
  logic given_q = 1'b0;
  assign down     = step[Width-1];
  assign within   = down ? $signed(probe) <= $signed(first) && $signed(probe) > $signed(last) :
                    $signed(probe) >= $signed(first) && $signed(probe) < $signed(last);
  // Distances from the chunk's start, so that a chunk may reach the largest number.
  assign in_chunk = down ? Width'(start - probe) < Width'(start - stop) :
                    Width'(probe - start) < Width'(stop - start);

  always_ff @(posedge clk_i) begin
    assume (step != '0 && schedule != 2'd3);
    if (started_q) begin
      assert (all_busy[1] == 1'b0);
      if (phase_q == 3'd4) assert (busy == (gone_q != '1) && open == busy);
      if (fetches && !over) begin
        assert (start != stop);
        if (in_chunk) begin
          assert (within && !given_q);
          given_q <= 1'b1;
        end
        // A thread that was told that nothing is left is told so again.
        assert (!over_q[thread_i]);
        fresh_q[thread_i] <= 1'b0;
        position_q[thread_i*Width+:Width] <= stop;
      end
      if (fetches && over) begin
        over_q[thread_i] <= 1'b1;
      end
      if (leaves) gone_q[thread_i] <= 1'b1;
      if (over_q == '1 && within) assert (given_q);
    end
  end

endmodule
