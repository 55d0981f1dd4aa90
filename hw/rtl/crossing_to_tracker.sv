// SPDX-License-Identifier: Apache-2.0
//
// From valid and ready to a queue of the tracker that takes a word at each edge with write high,
// and must not be written while it is full. Latency: none; no state.
module crossing_to_tracker #(
  parameter int unsigned Width = 32
) (
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             write_o,
  input  logic             full_i,
  output logic [Width-1:0] data_o
);

  assign write_o    = in_valid_i && !full_i;
  assign in_ready_o = !full_i;
  assign data_o     = in_data_i;

endmodule
