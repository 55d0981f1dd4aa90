// SPDX-License-Identifier: Apache-2.0
//
// The cluster of paper 5: cores around the fabric. All start at the same address.
// Macros, since parameters of the simulator's command line go to each tile too, which has none.
`ifndef CLUSTER_CORES
`define CLUSTER_CORES 16
`endif
`ifndef CLUSTER_QUEUE_DEPTH
`define CLUSTER_QUEUE_DEPTH 32
`endif

module cluster #(
  parameter int unsigned Cores      = `CLUSTER_CORES,
  parameter int unsigned QueueDepth = `CLUSTER_QUEUE_DEPTH,
  parameter logic [31:0] BootAddress = 32'h8000_0000,
  parameter int unsigned TagWidth   = $clog2(2 * Cores + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic out_valid_o,
  output logic [TagWidth-1:0] out_tag_o,
  output logic out_write_o,
  output logic [3:0] out_be_o,
  output logic [31:0] out_address_o,
  output logic [31:0] out_data_o,
  input  logic back_valid_i,
  input  logic [TagWidth-1:0] back_tag_i,
  input  logic [cluster_pkg::LineWidth-1:0] back_line_i,
  output logic [31:0] error_o,
  output logic [Cores-1:0] stack_faults_o,  // by core; see core_tile
  output logic [31:0] pcs_o [Cores]         // likewise
);

  logic [Cores-1:0] instr_req, instr_gnt, instr_rvalid, data_req, data_gnt, data_we, data_rvalid;
  logic [Cores*32-1:0] instr_addr, instr_rdata, data_addr, data_wdata, data_rdata;
  logic [Cores*4-1:0] data_be;

  // So that nothing but the clock leads from outside to the cores in no time.
  logic rst_nq;
  always_ff @(posedge clk_i) rst_nq <= rst_ni;

  for (genvar i = 0; i < Cores; i++) begin : g_tile
    core_tile u_tile (
      .clk_i,
      .rst_ni        (rst_nq),
      .hart_i        (32'(i)),
      .boot_address_i(BootAddress),
      .instr_req_o   (instr_req[i]),
      .instr_gnt_i   (instr_gnt[i]),
      .instr_addr_o  (instr_addr[i*32+:32]),
      .instr_rvalid_i(instr_rvalid[i]),
      .instr_rdata_i (instr_rdata[i*32+:32]),
      .data_req_o    (data_req[i]),
      .data_gnt_i    (data_gnt[i]),
      .data_addr_o   (data_addr[i*32+:32]),
      .data_we_o     (data_we[i]),
      .data_be_o     (data_be[i*4+:4]),
      .data_wdata_o  (data_wdata[i*32+:32]),
      .data_rvalid_i (data_rvalid[i]),
      .data_rdata_i  (data_rdata[i*32+:32]),
      .stack_fault_o (stack_faults_o[i]),
      .pc_o          (pcs_o[i])
    );
  end

  cluster_fabric #(
    .Cores     (Cores),
    .QueueDepth(QueueDepth)
  ) u_fabric (
    .clk_i,
    .rst_ni        (rst_nq),
    .instr_req_i   (instr_req),
    .instr_gnt_o   (instr_gnt),
    .instr_addr_i  (instr_addr),
    .instr_rvalid_o(instr_rvalid),
    .instr_rdata_o (instr_rdata),
    .data_req_i    (data_req),
    .data_gnt_o    (data_gnt),
    .data_addr_i   (data_addr),
    .data_we_i     (data_we),
    .data_be_i     (data_be),
    .data_wdata_i  (data_wdata),
    .data_rvalid_o (data_rvalid),
    .data_rdata_o  (data_rdata),
    .out_valid_o,
    .out_tag_o,
    .out_write_o,
    .out_be_o,
    .out_address_o,
    .out_data_o,
    .back_valid_i,
    .back_tag_i,
    .back_line_i,
    .error_o
  );

endmodule
