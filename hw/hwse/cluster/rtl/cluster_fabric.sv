// SPDX-License-Identifier: Apache-2.0
//
// All of the cluster but its cores: their instruction caches, the scratchpad, the scheduling
// engine, the DMA engine, and one way outside that all share.
// Protocol: OBI for each core's instructions and data. Outside: an access is taken in the cycle in
// which it shows, and answered in any order between tags; a tag below Cores is a core's instruction
// cache and the one after it, up to twice Cores, its data; then comes the DMA engine's, which alone
// has several under way, and these are answered in order. Reads are answered with the line of the
// address, instructions' and the DMA engine's whole, data's with the word in the lowest bits.
// Latency: data_router and l1_bank for the scratchpad, hwse_engine for the engine. Reset: all empty.
`include "checks.svh"

module cluster_fabric #(
  parameter int unsigned Cores      = 16,  // at most 16
  parameter int unsigned Banks      = 32,
  parameter int unsigned RowWidth   = 11,
  parameter int unsigned CacheLines = 64,
  parameter int unsigned QueueDepth = 32,
  parameter int unsigned TagWidth   = $clog2(2 * Cores + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Cores-1:0] instr_req_i,
  output logic [Cores-1:0] instr_gnt_o,
  input  logic [Cores*32-1:0] instr_addr_i,
  output logic [Cores-1:0] instr_rvalid_o,
  output logic [Cores*32-1:0] instr_rdata_o,
  input  logic [Cores-1:0] data_req_i,
  output logic [Cores-1:0] data_gnt_o,
  input  logic [Cores*32-1:0] data_addr_i,
  input  logic [Cores-1:0] data_we_i,
  input  logic [Cores*4-1:0] data_be_i,
  input  logic [Cores*32-1:0] data_wdata_i,
  output logic [Cores-1:0] data_rvalid_o,
  output logic [Cores*32-1:0] data_rdata_o,
  output logic out_valid_o,
  output logic [TagWidth-1:0] out_tag_o,
  output logic out_write_o,
  output logic [3:0] out_be_o,
  output logic [31:0] out_address_o,
  output logic [31:0] out_data_o,
  input  logic back_valid_i,
  input  logic [TagWidth-1:0] back_tag_i,
  input  logic [cluster_pkg::LineWidth-1:0] back_line_i,
  output logic [31:0] error_o  // of the engine
);

  localparam int unsigned AccessWidth = cluster_pkg::AccessWidth;
  localparam int unsigned DmaTag = 2 * Cores;
  localparam int unsigned Tags = DmaTag + 1;

  // What goes outside, by tag.
  logic [Tags-1:0] out_req, out_gnt, back_q;
  logic [Tags*(TagWidth+AccessWidth)-1:0] out_access;
  logic [cluster_pkg::LineWidth-1:0] line_q;
  cluster_pkg::access_t out;

  // The cores' data, by target.
  logic [Cores-1:0] l1_req, l1_rvalid, engine_req, engine_gnt, engine_rvalid, dma_req;
  logic [Cores-1:0] dma_gnt, dma_rvalid_q;
  logic [Cores-1:0] l1_set;
  logic [Cores:0] l1_gnt, l1_rvalids;  // the DMA engine's last
  logic [Cores*AccessWidth-1:0] accesses;
  logic [(Cores+1)*32-1:0] l1_rdata;
  logic [31:0] engine_rdata, dma_rdata;
  logic dma_l1_req;
  cluster_pkg::access_t dma_access;
  assign l1_rvalid = l1_rvalids[Cores-1:0];

  for (genvar i = 0; i < Cores; i++) begin : g_core
    logic [31:0] line_address;

    instruction_cache #(
      .Lines(CacheLines)
    ) u_cache (
      .clk_i,
      .rst_ni,
      .req_i         (instr_req_i[i]),
      .gnt_o         (instr_gnt_o[i]),
      .address_i     (instr_addr_i[i*32+:32]),
      .rvalid_o      (instr_rvalid_o[i]),
      .rdata_o       (instr_rdata_o[i*32+:32]),
      .line_req_o    (out_req[i]),
      .line_gnt_i    (out_gnt[i]),
      .line_address_o(line_address),
      .line_valid_i  (back_q[i]),
      .line_i        (line_q)
    );

    data_router u_router (
      .clk_i,
      .rst_ni,
      .req_i   (data_req_i[i]),
      .gnt_o   (data_gnt_o[i]),
      .region_i(data_addr_i[i*32+20+:12]),
      .rvalid_o(data_rvalid_o[i]),
      .rdata_o (data_rdata_o[i*32+:32]),
      .req_o   ({out_req[Cores+i], dma_req[i], engine_req[i], l1_req[i]}),
      .gnt_i   ({out_gnt[Cores+i], dma_gnt[i], engine_gnt[i], l1_gnt[i]}),
      .rvalid_i({back_q[Cores+i], dma_rvalid_q[i], engine_rvalid[i], l1_rvalid[i]}),
      .rdata_i ({line_q[31:0], dma_rdata, engine_rdata, l1_rdata[i*32+:32]})
    );

    assign l1_set[i] = data_addr_i[i*32+20+:12] == cluster_pkg::RegionTestAndSet;
    assign accesses[i*AccessWidth+:AccessWidth] = {
      data_we_i[i], data_be_i[i*4+:4], data_addr_i[i*32+:32], data_wdata_i[i*32+:32]
    };
    assign out_access[i*(TagWidth+AccessWidth)+:TagWidth+AccessWidth] = {
      TagWidth'(i), 1'b0, 4'hF, line_address, 32'd0
    };
    assign out_access[(Cores+i)*(TagWidth+AccessWidth)+:TagWidth+AccessWidth] = {
      TagWidth'(Cores + i), accesses[i*AccessWidth+:AccessWidth]
    };
  end

  l1_memory #(
    .Ports   (Cores + 1),
    .Banks   (Banks),
    .RowWidth(RowWidth)
  ) u_l1 (
    .clk_i,
    .rst_ni,
    .req_i    ({dma_l1_req, l1_req}),
    .gnt_o    (l1_gnt),
    .set_i    ({1'b0, l1_set}),
    .write_i  ({dma_access.write, data_we_i}),
    .be_i     ({dma_access.be, data_be_i}),
    .address_i({dma_access.address, data_addr_i}),
    .data_i   ({dma_access.data, data_wdata_i}),
    .rvalid_o (l1_rvalids),
    .rdata_o  (l1_rdata)
  );

  logic [Cores*hwse_pkg::AddressWidth-1:0] engine_address;
  for (genvar i = 0; i < Cores; i++) begin : g_engine_port
    assign engine_address[i*hwse_pkg::AddressWidth+:hwse_pkg::AddressWidth] =
        data_addr_i[i*32+2+:hwse_pkg::AddressWidth];
  end

  hwse_engine #(
    .Cores       (Cores),
    .Teams       (2),
    .QueueDepth  (QueueDepth),
    // One for each task, each core, and tasks that have left children behind.
    .Counters    (QueueDepth + 17 < 128 ? QueueDepth + 17 : 128),
    .CounterWidth($clog2(QueueDepth) + 1),  // as many children as there are tasks, and one more
    // Queues hold addresses of descriptors of 128 bytes, behind the cores' stacks.
    .WordWidth   ($clog2(QueueDepth) + 7),
    .WordLow     (7),
    .WordBase    (32'h1001_0000)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .req_valid_i  (engine_req),
    .req_ready_o  (engine_gnt),
    .req_write_i  (data_we_i),
    .req_address_i(engine_address),
    .req_data_i   (data_wdata_i),
    .resp_valid_o (engine_rvalid),
    .resp_data_o  (engine_rdata),
    .error_o
  );

  // The DMA engine's registers: one access a cycle.
  logic dma_any;
  cluster_pkg::access_t dma_register;
  logic unused;
  assign unused = &{1'b0, dma_register};

  round_robin_arbiter #(
    .Producers(Cores),
    .Width    (AccessWidth)
  ) u_dma_arbiter (
    .clk_i,
    .rst_ni,
    .in_valid_i (dma_req),
    .in_ready_o (dma_gnt),
    .in_data_i  (accesses),
    .out_valid_o(dma_any),
    .out_ready_i(1'b1),
    .out_data_o (dma_register)
  );
  always_ff @(posedge clk_i) dma_rvalid_q <= rst_ni ? dma_req & dma_gnt : '0;

  dma u_dma (
    .clk_i,
    .rst_ni,
    .req_i       (dma_any),
    .write_i     (dma_register.write),
    .register_i  (dma_register.address[3:2]),
    .data_i      (dma_register.data[31:6]),
    .rdata_o     (dma_rdata),
    .access_o    (dma_access),
    .l1_req_o    (dma_l1_req),
    .l1_gnt_i    (l1_gnt[Cores]),
    .l1_rvalid_i (l1_rvalids[Cores]),
    .l1_rdata_i  (l1_rdata[Cores*32+:32]),
    .out_req_o   (out_req[DmaTag]),
    .out_gnt_i   (out_gnt[DmaTag]),
    .out_rvalid_i(back_q[DmaTag]),
    .out_line_i  (line_q)
  );
  assign out_access[DmaTag*(TagWidth+AccessWidth)+:TagWidth+AccessWidth] = {
    TagWidth'(DmaTag), dma_access
  };

  round_robin_arbiter #(
    .Producers(Tags),
    .Width    (TagWidth + AccessWidth)
  ) u_out_arbiter (
    .clk_i,
    .rst_ni,
    .in_valid_i (out_req),
    .in_ready_o (out_gnt),
    .in_data_i  (out_access),
    .out_valid_o,
    .out_ready_i(1'b1),
    .out_data_o ({out_tag_o, out})
  );
  assign out_write_o   = out.write;
  assign out_be_o      = out.be;
  assign out_address_o = out.address;
  assign out_data_o    = out.data;
  // Answers pass a register, so that no path leads from outside to the cores.
  always_ff @(posedge clk_i) begin
    line_q <= back_line_i;
    for (int unsigned i = 0; i < Tags; i++) begin
      back_q[i] <= rst_ni && back_valid_i && 32'(back_tag_i) == i;
    end
  end

endmodule
