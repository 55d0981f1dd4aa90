// SPDX-License-Identifier: Apache-2.0
//
// The scratchpad: banks with words interleaved, and the crossbar that takes each port to the bank
// of its address. Accesses to different banks are served at the same time.
// Protocol: a request until it is granted; the answer, also to a write, comes a cycle later.
// Latency: as l1_bank. Reset: nothing is under way.
`include "checks.svh"

module l1_memory #(
  parameter int unsigned Ports    = 17,
  parameter int unsigned Banks    = 32,  // a power of two
  parameter int unsigned RowWidth = 11
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Ports-1:0] req_i,
  output logic [Ports-1:0] gnt_o,
  input  logic [Ports-1:0] set_i,  // test-and-set, if it is a read
  input  logic [Ports-1:0] write_i,
  input  logic [Ports*4-1:0] be_i,
  input  logic [Ports*32-1:0] address_i,
  input  logic [Ports*32-1:0] data_i,
  output logic [Ports-1:0] rvalid_o,
  output logic [Ports*32-1:0] rdata_o
);

  localparam int unsigned BankWidth = $clog2(Banks);

  logic [Ports*RowWidth-1:0] row;
  logic [Ports*BankWidth-1:0] bank, bank_q;
  logic [Banks*Ports-1:0] valid, ready;
  logic [Banks*32-1:0] words;

  // The bytes within a word are be_i's, and what is above the memory's size is not looked at.
  logic unused;
  assign unused = &{1'b0, address_i};

  for (genvar i = 0; i < Ports; i++) begin : g_port
    assign bank[i*BankWidth+:BankWidth] = address_i[i*32+2+:BankWidth];
    assign row[i*RowWidth+:RowWidth] = address_i[i*32+2+BankWidth+:RowWidth];
    assign rdata_o[i*32+:32] = words[32'(bank_q[i*BankWidth+:BankWidth])*32+:32];
  end

  always_comb begin
    valid = '0;
    gnt_o = '0;
    for (int unsigned i = 0; i < Ports; i++) begin
      valid[32'(bank[i*BankWidth+:BankWidth])*Ports+i] = req_i[i];
      gnt_o[i] = ready[32'(bank[i*BankWidth+:BankWidth])*Ports+i];
    end
  end

  for (genvar b = 0; b < Banks; b++) begin : g_bank
    l1_bank #(
      .Ports   (Ports),
      .RowWidth(RowWidth)
    ) u_bank (
      .clk_i,
      .rst_ni,
      .valid_i(valid[b*Ports+:Ports]),
      .ready_o(ready[b*Ports+:Ports]),
      .write_i,
      .set_i,
      .be_i,
      .row_i  (row),
      .data_i,
      .data_o (words[b*32+:32])
    );
  end

  always_ff @(posedge clk_i) begin
    bank_q   <= bank;
    rvalid_o <= rst_ni ? req_i & gnt_o : '0;
  end

  `MYR_CHECK(GrantIsAsked, (gnt_o & ~req_i) == '0)

endmodule
