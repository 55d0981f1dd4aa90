// SPDX-License-Identifier: Apache-2.0
//
// A core's side of the scheduler: executes the seven instructions of table I, which arrive over
// the RoCC interface, by asking the manager. All but Retire Task answer at once, with a failure if
// the manager cannot do what they ask; Retire Task stays until the manager has taken it.
// Latency: none from instruction to manager and to answer. An instruction without a destination
// register (xd = 0) gets no answer. Reset: no request open, nothing fetched.
`include "checks.svh"

module picos_delegate (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Instructions and answers, as RoCC has them.
  input  logic        cmd_valid_i,
  output logic        cmd_ready_o,
  input  logic [6:0]  cmd_funct_i,
  input  logic        cmd_xd_i,
  input  logic [4:0]  cmd_rd_i,
  input  logic [63:0] cmd_rs1_i,
  input  logic [63:0] cmd_rs2_i,
  output logic        resp_valid_o,
  input  logic        resp_ready_i,
  output logic [4:0]  resp_rd_o,
  output logic [63:0] resp_data_o,
  // Submission: a request, then triples.
  output logic        request_valid_o,
  input  logic        request_ready_i,
  output picos_pkg::triple_count_t request_triples_o,
  output logic        request_sure_o,
  output logic        triple_valid_o,
  input  logic        triple_ready_i,
  output logic        triple_last_o,
  output picos_pkg::triple_t triple_o,
  // Ready tasks: a request, then a task at the front of the core's queue.
  output logic        fetch_valid_o,
  input  logic        fetch_ready_i,
  input  logic        ready_valid_i,
  output logic        ready_pop_o,
  input  picos_pkg::ready_task_t ready_task_i,
  // Retirement.
  output logic        retire_valid_o,
  input  logic        retire_ready_i,
  output picos_pkg::packet_t retire_id_o,
  // What the software did wrong in this cycle.
  output logic [picos_pkg::ErrorWidth-1:0] error_o
);

  logic active, fire, is_retire, fetch_pops;
  logic [5:0] left_q;     // packets that the open request has announced and that are not here yet
  logic [1:0] partial_q;  // packets that wait for the rest of their triple
  logic [63:0] waiting_q; // the first of them in the low half if it is alone, else in the high half
  logic name_fetched_q;
  logic count_good, submits, submits_three, announced, completes, accepted;
  logic [5:0] given;
  logic [2:0] collected;
  logic unused_rs2;

  assign unused_rs2 = ^cmd_rs2_i[63:32];

  assign is_retire    = cmd_funct_i == picos_pkg::FnRetireTask;
  assign active       = cmd_valid_i && (!cmd_xd_i || resp_ready_i);
  assign cmd_ready_o  = (!cmd_xd_i || resp_ready_i) && (!is_retire || retire_ready_i);
  assign fire         = cmd_valid_i && cmd_ready_o;
  assign resp_valid_o = cmd_valid_i && cmd_xd_i && (!is_retire || retire_ready_i);
  assign resp_rd_o    = cmd_rd_i;

  assign retire_valid_o = active && is_retire;
  assign retire_id_o    = cmd_rs1_i[31:0];

  // Submission Request. 11/32 is close enough to 1/3 for 0 to 48.
  assign request_triples_o = 5'((10'(cmd_rs1_i[5:0]) * 10'd11) >> 5);
  assign request_sure_o = cmd_rs1_i[picos_pkg::RequestSureBit];
  assign count_good = cmd_rs1_i[63:7] == '0 && cmd_rs1_i[5:0] != '0 &&
      (!request_sure_o || cmd_rs1_i[5:0] == 6'd3) &&
      cmd_rs1_i[5:0] <= 6'(picos_pkg::PacketsPerTask) &&
      cmd_rs1_i[5:0] == 6'(request_triples_o) * 6'd3;
  assign request_valid_o =
      active && cmd_funct_i == picos_pkg::FnSubmissionRequest && count_good && left_q == '0;

  // Submit: single packets and triples may be mixed, so a triple may end inside an instruction.
  assign submits_three = cmd_funct_i == picos_pkg::FnSubmitThreePackets;
  assign submits   = submits_three || cmd_funct_i == picos_pkg::FnSubmitPacket;
  assign given     = submits_three ? 6'd3 : 6'd1;
  assign announced = left_q >= given;
  assign collected = 3'(partial_q) + 3'(given);
  assign completes = collected >= 3'd3;
  assign accepted  = submits && announced && (!completes || triple_ready_i);
  assign triple_valid_o = active && submits && announced && completes;
  // What is left after this triple are the packets of the instruction behind it.
  assign triple_last_o = left_q + 6'(partial_q) == 6'd3;

  always_comb begin
    unique case (partial_q)
      2'd0:    triple_o = {cmd_rs1_i, cmd_rs2_i[31:0]};
      2'd1:    triple_o = {waiting_q[31:0], cmd_rs1_i};
      default: triple_o = {waiting_q, submits_three ? cmd_rs1_i[63:32] : cmd_rs1_i[31:0]};
    endcase
  end

  // Ready Task Request and the two Fetches.
  assign fetch_valid_o = active && cmd_funct_i == picos_pkg::FnReadyTaskRequest;
  assign fetch_pops    = cmd_funct_i == picos_pkg::FnFetchPicosId && ready_valid_i && name_fetched_q;
  assign ready_pop_o   = active && fetch_pops;

  always_comb begin
    resp_data_o = picos_pkg::FlagFailed;
    unique case (cmd_funct_i)
      picos_pkg::FnSubmissionRequest:
        if (request_valid_o && request_ready_i) resp_data_o = picos_pkg::FlagDone;
      picos_pkg::FnSubmitPacket, picos_pkg::FnSubmitThreePackets:
        if (accepted) resp_data_o = picos_pkg::FlagDone;
      picos_pkg::FnReadyTaskRequest:
        if (fetch_ready_i) resp_data_o = picos_pkg::FlagDone;
      picos_pkg::FnFetchSwId:
        resp_data_o = ready_valid_i ? ready_task_i.sw_id : picos_pkg::NothingToFetch;
      picos_pkg::FnFetchPicosId:
        resp_data_o = fetch_pops ? 64'(ready_task_i.picos_id) : picos_pkg::NothingToFetch;
      default: ;
    endcase
  end

  always_comb begin
    error_o = picos_pkg::ErrNone;
    if (active) begin
      unique case (cmd_funct_i)
        picos_pkg::FnSubmissionRequest:
          if (!count_good) error_o = picos_pkg::ErrPacketCount;
          else if (left_q != '0) error_o = picos_pkg::ErrRequestTwice;
        picos_pkg::FnSubmitPacket, picos_pkg::FnSubmitThreePackets:
          if (!announced) error_o = picos_pkg::ErrPacketUnasked;
        picos_pkg::FnReadyTaskRequest, picos_pkg::FnFetchSwId, picos_pkg::FnFetchPicosId,
        picos_pkg::FnRetireTask: ;
        default: error_o = picos_pkg::ErrInstruction;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q         <= '0;
      partial_q      <= '0;
      name_fetched_q <= 1'b0;
    end else if (fire) begin
      if (request_valid_o && request_ready_i) left_q <= cmd_rs1_i[5:0];
      if (accepted) begin
        left_q    <= left_q - given;
        partial_q <= completes ? 2'(collected - 3'd3) : 2'(collected);
      end
      if (fetch_pops) name_fetched_q <= 1'b0;
      else if (cmd_funct_i == picos_pkg::FnFetchSwId) name_fetched_q <= ready_valid_i;
    end
  end

  // The packets that wait after this instruction are the last ones given: with three at once those
  // are in {rs1, rs2[31:0]}, as many as waited before.
  always_ff @(posedge clk_i) begin
    if (fire && accepted) begin
      if (submits_three) waiting_q <= partial_q == 2'd1 ? {32'd0, cmd_rs2_i[31:0]} :
                                      {cmd_rs1_i[31:0], cmd_rs2_i[31:0]};
      else waiting_q <= {waiting_q[31:0], cmd_rs1_i[31:0]};
    end
  end

  `MYR_CHECK(LeftInBounds, left_q <= 6'(picos_pkg::PacketsPerTask))
  `MYR_CHECK(PartialInBounds, partial_q <= 2'd2)
  `MYR_CHECK(PartialIsAnnounced, partial_q == 2'd0 || left_q != '0)
  `MYR_CHECK(FetchedIsThere, !name_fetched_q || ready_valid_i)

endmodule
