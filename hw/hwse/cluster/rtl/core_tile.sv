// SPDX-License-Identifier: Apache-2.0
//
// A core of the cluster: cv32e40x (RV32IM), without interrupts, debugger or extension units. All
// tiles are the same module without parameters, so that Verilator compiles it once.
// Two outputs are for the simulator. stack_fault_o: the stack pointer is set, and outside of the
// core's stack. pc_o: the address of the instruction that is decoded, for as many cycles as it is;
// or, with the lowest bit set, of the one that the core has not got yet.
module core_tile (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [31:0] hart_i,
  input  logic [31:0] boot_address_i,
  output logic instr_req_o,
  input  logic instr_gnt_i,
  output logic [31:0] instr_addr_o,
  input  logic instr_rvalid_i,
  input  logic [31:0] instr_rdata_i,
  output logic data_req_o,
  input  logic data_gnt_i,
  output logic [31:0] data_addr_o,
  output logic data_we_o,
  output logic [3:0] data_be_o,
  output logic [31:0] data_wdata_o,
  input  logic data_rvalid_i,
  input  logic [31:0] data_rdata_i,
  output logic stack_fault_o,
  output logic [31:0] pc_o
);
  /* verilator hier_block */

  if_xif unused_units ();
  assign unused_units.compressed_ready = 1'b0;
  assign unused_units.compressed_resp  = '0;
  assign unused_units.issue_ready      = 1'b0;
  assign unused_units.issue_resp       = '0;
  assign unused_units.mem_valid        = 1'b0;
  assign unused_units.mem_req          = '0;
  assign unused_units.result_valid     = 1'b0;
  assign unused_units.result           = '0;

  cv32e40x_core #(
    .DBG_NUM_TRIGGERS(0)
  ) u_core (
    .clk_i,
    .rst_ni,
    .scan_cg_en_i       (1'b0),
    .boot_addr_i        (boot_address_i),
    .dm_exception_addr_i('0),
    .dm_halt_addr_i     ('0),
    .mhartid_i          (hart_i),
    .mimpid_patch_i     ('0),
    .mtvec_addr_i       (boot_address_i),
    .instr_req_o,
    .instr_gnt_i,
    .instr_rvalid_i,
    .instr_addr_o,
    .instr_memtype_o    (),
    .instr_prot_o       (),
    .instr_dbg_o        (),
    .instr_rdata_i,
    .instr_err_i        (1'b0),
    .data_req_o,
    .data_gnt_i,
    .data_rvalid_i,
    .data_addr_o,
    .data_be_o,
    .data_we_o,
    .data_wdata_o,
    .data_memtype_o     (),
    .data_prot_o        (),
    .data_dbg_o         (),
    .data_atop_o        (),
    .data_rdata_i,
    .data_err_i         (1'b0),
    .data_exokay_i      (1'b0),
    .mcycle_o           (),
    .xif_compressed_if  (unused_units),
    .xif_issue_if       (unused_units),
    .xif_commit_if      (unused_units),
    .xif_mem_if         (unused_units),
    .xif_mem_result_if  (unused_units),
    .xif_result_if      (unused_units),
    .irq_i              ('0),
    .wu_wfe_i           (1'b0),
    .clic_irq_i         (1'b0),
    .clic_irq_id_i      ('0),
    .clic_irq_level_i   ('0),
    .clic_irq_priv_i    ('0),
    .clic_irq_shv_i     (1'b0),
    .fencei_flush_req_o (),
    .fencei_flush_ack_i (1'b1),
    .debug_req_i        (1'b0),
    .debug_havereset_o  (),
    .debug_running_o    (),
    .debug_halted_o     (),
    .fetch_enable_i     (1'b1),
    .core_sleep_o       ()
  );

  // Core i's stack, as link.ld has it: so many bytes from the base + i times as many on.
  localparam logic [31:0] StackBase = 32'h1000_0000;
  localparam int unsigned StackShift = 12;
  logic [31:0] stack_pointer, last_byte;
  assign stack_pointer = u_core.register_file_wrapper_i.register_file_i.mem[2];
  assign last_byte     = stack_pointer - 32'd1;
  assign stack_fault_o = stack_pointer != '0 &&
      last_byte >> StackShift != (StackBase >> StackShift) + hart_i;

  assign pc_o = u_core.if_id_pipe.instr_valid ? u_core.if_id_pipe.pc : u_core.pc_if | 32'd1;

endmodule

// The core has its clock gate from outside. Cores here never sleep, so it is a wire.
module cv32e40x_clock_gate #(
  parameter int LIB = 0
) (
  input  logic clk_i,
  input  logic en_i,
  input  logic scan_cg_en_i,
  output logic clk_o
);
  logic unused;
  assign unused = &{1'b0, en_i, scan_cg_en_i, LIB != 0};
  assign clk_o  = clk_i;
endmodule
