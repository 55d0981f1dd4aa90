// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: the tracker's engine and countdown at a small size, with any tasks on two
// addresses, submitted and retired at any time. Against a table of all pairs of tasks:
//   - a task becomes ready only when no earlier task that it conflicts with is left (no dependence
//     is lost), and only once;
//   - a task that is registered and waits for no other is ready within Patience cycles, and a step
//     is taken within Patience cycles if all tasks but the one being registered have retired: so
//     nothing is lost and nothing stands still.
module tracker_proof #(
  parameter int unsigned Tasks    = 2,
  parameter int unsigned DepsMax  = 2,
  parameter int unsigned Patience = 12
) (
  input logic clk_i,
  input logic step_valid_i,
  input logic step_is_head_i,
  input logic address_i,
  input logic null_i,  // the dependence is on address 0, which is none
  input logic [1:0] deps_i,
  input logic writes_i,
  input logic retire_valid_i,
  input logic [$clog2(Tasks)-1:0] retire_task_i
);

  localparam int unsigned TaskWidth = $clog2(Tasks);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic step_ready, retire_ready, new_valid, met_valid, ready_valid;
  logic [TaskWidth-1:0] new_task, met_task, ready_task;
  picos_pkg::dep_count_t step_deps;
  picos_pkg::name_t step_name;

  assign step_deps = picos_pkg::DepCountWidth'(deps_i);
  assign step_name = picos_pkg::NameWidth'({!null_i, address_i && !null_i, 3'b000});

  tracker_engine #(
    .Tasks   (Tasks),
    .Versions(DepsMax),
    .Sets    (1),
    .Ways    (DepsMax),
    .DepsMax (DepsMax)
  ) u_engine (
    .clk_i,
    .rst_ni        (started_q),
    .step_valid_i,
    .step_ready_o  (step_ready),
    .step_is_head_i,
    .step_name_i   (step_name),
    .step_writes_i (writes_i),
    .retire_valid_i,
    .retire_ready_o(retire_ready),
    .retire_task_i,
    .new_valid_o   (new_valid),
    .new_task_o    (new_task),
    .met_valid_o   (met_valid),
    .met_task_o    (met_task)
  );

  countdown #(
    .Tasks(Tasks)
  ) u_countdown (
    .clk_i,
    .rst_ni       (started_q),
    .new_valid_i  (new_valid),
    .new_task_i   (new_task),
    .new_deps_i   (step_deps),
    .met_valid_i  (met_valid),
    .met_task_i   (met_task),
    .ready_valid_o(ready_valid),
    .ready_task_o (ready_task)
  );

  // The table: for each task whether it lives and runs, what it reads and writes (a bit an
  // address), and for which others it waits (Tasks bits a task).
  logic [Tasks-1:0] lives_q = '0;
  logic [Tasks-1:0] runs_q = '0;
  logic [Tasks*2-1:0] reads_q = '0;
  logic [Tasks*2-1:0] writes_q = '0;
  logic [Tasks*Tasks-1:0] waits_q = '0;
  logic [TaskWidth-1:0] current_q = '0;
  logic [1:0] left_q = '0;  // dependences of the current task that are still to come
  logic [Tasks*4-1:0] patience_q = '0;
  logic [3:0] step_patience_q = '0;
  logic retires, registers;

  assign retires   = retire_valid_i && retire_ready;
  assign registers = step_valid_i && step_ready && !step_is_head_i;

  // The environment: steps stay until taken, heads and dependences in order, only running tasks
  // retire.
  logic step_waits_q = 1'b0;
  logic [6:0] step_q = '0;
  logic retire_waits_q = 1'b0;
  logic [TaskWidth-1:0] retire_q = '0;
  always_ff @(posedge clk_i) begin
    step_waits_q   <= started_q && step_valid_i && !step_ready;
    step_q         <= {step_is_head_i, address_i, null_i, deps_i, writes_i, 1'b0};
    retire_waits_q <= started_q && retire_valid_i && !retire_ready;
    retire_q       <= retire_task_i;
    if (!started_q) begin
      assume (!step_valid_i && !retire_valid_i);
    end
    if (step_waits_q) begin
      assume (step_valid_i && step_q == {step_is_head_i, address_i, null_i, deps_i, writes_i, 1'b0});
    end
    if (retire_waits_q) assume (retire_valid_i && retire_task_i == retire_q);
    assume (!retire_valid_i || runs_q[retire_task_i]);
    assume (!step_valid_i || step_is_head_i == (left_q == '0));
    assume (32'(deps_i) <= DepsMax);
  end

  for (genvar t = 0; t < Tasks; t++) begin : g_task
    logic [Tasks-1:0] others, after_step;

    // Earlier tasks with which this dependence of the current task conflicts.
    for (genvar u = 0; u < Tasks; u++) begin : g_other
      assign others[u] = registers && !null_i && current_q == t && u != t && lives_q[u] &&
          (writes_q[u*2+32'(address_i)] || (writes_i && reads_q[u*2+32'(address_i)]));
      assign after_step[u] = (waits_q[t*Tasks+u] || others[u]) && !(retires && retire_task_i == u);
    end

    always_ff @(posedge clk_i) begin
      if (started_q) begin
        waits_q[t*Tasks+:Tasks] <= new_valid && new_task == t ? '0 : after_step;
        if (ready_valid && ready_task == t) begin
          assert (lives_q[t] && !runs_q[t]);
          assert (waits_q[t*Tasks+:Tasks] == '0);
          assert (current_q != t || left_q == '0);
        end
        if (lives_q[t] && !runs_q[t] && waits_q[t*Tasks+:Tasks] == '0 &&
            (current_q != t || left_q == '0)) begin
          patience_q[t*4+:4] <= patience_q[t*4+:4] + 1'b1;
        end else begin
          patience_q[t*4+:4] <= '0;
        end
        assert (32'(patience_q[t*4+:4]) < Patience);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      if (new_valid) begin
        assert (!lives_q[new_task]);
        lives_q[new_task] <= 1'b1;
        runs_q[new_task]  <= 1'b0;
        reads_q[new_task*2+:2]  <= '0;
        writes_q[new_task*2+:2] <= '0;
        current_q <= new_task;
        left_q    <= deps_i;
      end
      if (registers) begin
        left_q <= left_q - 1'b1;
        if (!null_i) reads_q[32'(current_q)*2+32'(address_i)] <= 1'b1;
        if (!null_i && writes_i) writes_q[32'(current_q)*2+32'(address_i)] <= 1'b1;
      end
      if (ready_valid) runs_q[ready_task] <= 1'b1;
      if (retires) begin
        lives_q[retire_task_i] <= 1'b0;
        runs_q[retire_task_i]  <= 1'b0;
      end
      // Alone, the task that is being registered always finds room.
      if (step_valid_i && !step_ready && !retire_valid_i &&
          (lives_q & ~(Tasks'(left_q != '0) << current_q)) == '0) begin
        step_patience_q <= step_patience_q + 1'b1;
      end else begin
        step_patience_q <= '0;
      end
      assert (32'(step_patience_q) < Patience);
    end
  end

endmodule
