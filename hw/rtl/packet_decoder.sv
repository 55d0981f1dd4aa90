// SPDX-License-Identifier: Apache-2.0
//
// Reads the 48 packets of a task and turns them into steps for the engine: a head, then each
// dependence. Padding takes no step. A step is offered with the third packet of its triple, so
// that a task may be ready before its padding has arrived. A range becomes a step for each of its
// blocks: the address of the block, with zeros below.
// Latency: none. Reset: before the first packet of a task.
`include "checks.svh"

module packet_decoder (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic in_valid_i,
  output logic in_ready_o,
  input  picos_pkg::packet_t in_packet_i,
  output logic step_valid_o,
  input  logic step_ready_i,
  output logic step_is_head_o,
  output picos_pkg::name_t step_name_o,       // of the task, or the address of the dependence
  output picos_pkg::dep_count_t step_deps_o,  // head: how many dependences follow
  output logic step_writes_o,                 // dependence: writes
  output logic last_taken_o,                  // the last step of a task is taken in this cycle
  output logic [picos_pkg::ErrorWidth-1:0] error_o
);

  localparam logic [3:0] LastTriple = 4'(picos_pkg::TriplesPerTask - 1);

  logic [3:0] triple_q;
  logic [1:0] packet_q;
  picos_pkg::dep_count_t left_q;   // dependences that are still to come
  picos_pkg::dep_count_t block_q;  // of the range
  picos_pkg::dep_count_t more;     // blocks of the range after the first
  logic [picos_pkg::RangeShiftWidth-1:0] shift;
  picos_pkg::packet_t high_q, low_q;
  picos_pkg::name_t name, block;
  logic is_head, is_third, is_padding, is_step, step_taken, range_goes_on, taken;

  assign is_head    = triple_q == '0;
  assign is_third   = packet_q == 2'd2;
  assign is_padding = !is_head && left_q == '0;
  assign is_step    = is_third && !is_padding;

  assign shift = in_packet_i[picos_pkg::RangeShiftBit+:picos_pkg::RangeShiftWidth];
  assign more  = in_packet_i[picos_pkg::RangeMoreBit+:picos_pkg::DepCountWidth];
  assign name  = {high_q, low_q};
  assign block = (name >> shift) + picos_pkg::NameWidth'(block_q);

  assign step_valid_o   = in_valid_i && is_step;
  assign step_is_head_o = is_head;
  assign step_name_o    = is_head || shift == '0 ? name : block << shift;
  assign step_deps_o    = in_packet_i[3:0];
  assign step_writes_o  = in_packet_i[picos_pkg::DirectionWritesBit];
  assign step_taken     = step_valid_o && step_ready_i;
  assign range_goes_on  = !is_head && block_q != more && left_q != 4'd1;
  assign in_ready_o     = !is_step || (step_ready_i && !range_goes_on);
  assign taken          = in_valid_i && in_ready_o;

  assign last_taken_o   = step_taken && (is_head ? step_deps_o == '0 : left_q == 4'd1);

  // A head with more than 15 dependences keeps their four low bits; a packet that is not zero in
  // the padding was one dependence too many, and so is a block after the last dependence.
  assign error_o = in_valid_i &&
      ((is_head && is_third && in_packet_i[31:4] != '0) || (is_padding && in_packet_i != '0) ||
       (is_step && !is_head && more > left_q + block_q - 4'd1)) ?
      picos_pkg::ErrDepCount : picos_pkg::ErrNone;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      triple_q <= '0;
      packet_q <= '0;
      left_q   <= '0;
      block_q  <= '0;
    end else begin
      if (taken) begin
        packet_q <= is_third ? '0 : packet_q + 1'b1;
        if (is_third) triple_q <= triple_q == LastTriple ? '0 : triple_q + 1'b1;
      end
      if (step_taken) begin
        left_q  <= is_head ? step_deps_o : left_q - 1'b1;
        block_q <= range_goes_on ? block_q + 1'b1 : '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken && packet_q == 2'd0) high_q <= in_packet_i;
    if (taken && packet_q == 2'd1) low_q <= in_packet_i;
  end

  `MYR_CHECK(PacketInBounds, packet_q <= 2'd2)

endmodule
