// SPDX-License-Identifier: Apache-2.0
//
// A bank of the scratchpad. One access a cycle is served, each port in its turn; with a read, all
// others of the same word. Test-and-set reads the word and writes all ones.
// Latency: granted in the cycle of the request, the word comes in the next. Reset: port 0 is first;
// the words are not cleared.
`include "checks.svh"

module l1_bank #(
  parameter int unsigned Ports    = 17,
  parameter int unsigned RowWidth = 11
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Ports-1:0] valid_i,
  output logic [Ports-1:0] ready_o,
  input  logic [Ports-1:0] write_i,
  input  logic [Ports-1:0] set_i,  // test-and-set, if it is a read
  input  logic [Ports*4-1:0] be_i,
  input  logic [Ports*RowWidth-1:0] row_i,
  input  logic [Ports*32-1:0] data_i,
  output logic [31:0] data_o
);

  localparam int unsigned IndexWidth = Ports > 1 ? $clog2(Ports) : 1;

  // The port that is served, and what it wants.
  logic [Ports*IndexWidth-1:0] indices;
  logic [IndexWidth-1:0] served;
  logic [Ports-1:0] granted;
  logic serves, write, test_and_set;
  logic [RowWidth-1:0] row;
  logic [3:0] be;
  logic [31:0] data;

  for (genvar i = 0; i < Ports; i++) begin : g_index
    assign indices[i*IndexWidth+:IndexWidth] = IndexWidth'(i);
  end

  round_robin_arbiter #(
    .Producers(Ports),
    .Width    (IndexWidth)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid_i),
    .in_ready_o (granted),
    .in_data_i  (indices),
    .out_valid_o(serves),
    .out_ready_i(1'b1),
    .out_data_o (served)
  );

  assign write        = write_i[served];
  assign test_and_set = set_i[served];
  assign row          = row_i[32'(served)*RowWidth+:RowWidth];
  assign be           = write ? be_i[32'(served)*4+:4] : {4{test_and_set}};
  assign data         = write ? data_i[32'(served)*32+:32] : '1;

  always_comb begin
    ready_o = granted;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (valid_i[i] && !write_i[i] && !set_i[i] && !write && !test_and_set &&
          row_i[i*RowWidth+:RowWidth] == row) begin
        ready_o[i] = 1'b1;
      end
    end
  end

  logic [31:0] words[2**RowWidth];
  always_ff @(posedge clk_i) begin
    if (serves) begin
      data_o <= words[row];
      for (int unsigned i = 0; i < 4; i++) begin
        if (be[i]) words[row][i*8+:8] <= data[i*8+:8];
      end
    end
  end

  `MYR_CHECK(OnlyAskedIsServed, (ready_o & ~valid_i) == '0)

endmodule
