// SPDX-License-Identifier: Apache-2.0
//
// From a queue of the tracker, whose word is there in the cycle after read was high (it does not
// fall through), to valid and ready. Reads ahead as far as it has room, so a word a cycle passes.
// Latency: one cycle. Reset forgets what was read.
`include "checks.svh"

module crossing_from_tracker #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             read_o,
  input  logic             empty_i,
  input  logic [Width-1:0] data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  // One word that waits, one that is on its way, and one for the cycle in which the first leaves.
  localparam int unsigned Depth = 3;

  logic [1:0] room_q;  // words that may still be read
  logic arrives_q, buffer_ready;

  assign read_o = !empty_i && room_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      room_q    <= 2'(Depth);
      arrives_q <= 1'b0;
    end else begin
      room_q    <= room_q - 2'(read_o) + 2'(out_valid_o && out_ready_i);
      arrives_q <= read_o;
    end
  end

  fifo #(
    .Width(Width),
    .Depth(Depth),
    .FallThrough(1'b1)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i(arrives_q),
    .in_ready_o(buffer_ready),
    .in_data_i (data_i),
    .out_valid_o,
    .out_ready_i,
    .out_data_o
  );

  `MYR_CHECK(RoomForWhatArrives, !arrives_q || buffer_ready)

endmodule
