// SPDX-License-Identifier: Apache-2.0
//
// Copies between the scratchpad and what is outside, in bursts of 16 words, one copy at a time.
// Registers, by words: 0 from where (W), 1 where to (W), 2 how many bytes: writing it begins, and
// reading it tells how many are left. Addresses and bytes are multiples of 64; lower bits are
// dropped. What is written during a copy is dropped.
// Protocol: registers are accessed at once and answered a cycle later; both memories as l1_memory,
// but what is outside answers a read with a line. Reset: nothing is copied.
`include "checks.svh"

module dma (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic req_i,
  input  logic write_i,
  input  logic [1:0] register_i,
  input  logic [31:6] data_i,
  output logic [31:0] rdata_o,
  output cluster_pkg::access_t access_o,  // to either memory
  output logic l1_req_o,
  input  logic l1_gnt_i,
  input  logic l1_rvalid_i,
  input  logic [31:0] l1_rdata_i,
  output logic out_req_o,
  input  logic out_gnt_i,
  input  logic out_rvalid_i,
  input  logic [cluster_pkg::LineWidth-1:0] out_line_i
);

  localparam logic [4:0] Burst = 5'd16;  // words
  localparam logic [4:0] Line = 5'(cluster_pkg::LineWords);

  logic [31:6] from_q, to_q, left_q;
  logic storing_q;        // or else fetching
  logic [4:0] asked_q, come_q;  // words of this burst
  logic [31:0] words[16];

  logic busy, is_l1, asks, last;
  logic [31:6] side;
  logic [4:0] step, comes;

  assign busy   = left_q != '0;
  assign side   = storing_q ? to_q : from_q;
  assign is_l1 = side[31:20] == cluster_pkg::RegionL1;
  assign step   = is_l1 || storing_q ? 5'd1 : Line;
  assign asks   = busy && asked_q != Burst;

  assign access_o.write   = storing_q;
  assign access_o.be      = '1;
  assign access_o.address = {side, asked_q[3:0], 2'b0};
  assign access_o.data    = words[asked_q[3:0]];
  assign l1_req_o         = asks && is_l1;
  assign out_req_o        = asks && !is_l1;

  assign comes = busy && (is_l1 ? l1_rvalid_i : out_rvalid_i) ? step : 5'd0;
  assign last  = busy && come_q + comes == Burst;

  always_ff @(posedge clk_i) begin
    rdata_o <= {left_q, 6'b0};
    if (comes != '0 && !storing_q) begin
      if (is_l1) words[come_q[3:0]] <= l1_rdata_i;
      else begin
        for (int unsigned i = 0; i < cluster_pkg::LineWords; i++) begin
          words[come_q[3:0]+4'(i)] <= out_line_i[i*32+:32];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      from_q    <= '0;
      to_q      <= '0;
      left_q    <= '0;
      storing_q <= 1'b0;
      asked_q   <= '0;
      come_q    <= '0;
    end else if (!busy) begin
      if (req_i && write_i) begin
        case (register_i)
          2'd0: from_q <= data_i[31:6];
          2'd1: to_q <= data_i[31:6];
          2'd2: left_q <= data_i[31:6];
          default: ;
        endcase
      end
    end else begin
      if ((l1_req_o && l1_gnt_i) || (out_req_o && out_gnt_i)) asked_q <= asked_q + step;
      come_q <= come_q + comes;
      if (last) begin
        storing_q <= !storing_q;
        asked_q   <= '0;
        come_q    <= '0;
        if (storing_q) begin
          from_q <= from_q + 1'b1;
          to_q   <= to_q + 1'b1;
          left_q <= left_q - 1'b1;
        end
      end
    end
  end

  `MYR_CHECK(NothingComesUnasked, come_q <= asked_q && asked_q <= Burst)

endmodule
