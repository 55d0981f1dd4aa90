// SPDX-License-Identifier: Apache-2.0
//
// What each register does: from the request that is being served and the state that it selects,
// the answer, what changes, and what the software did wrong. Combinational: every primitive is done
// in the cycle in which it is served, so no two of them ever overlap and nothing needs a lock.
// What is wrong changes nothing.
module primitives #(
  parameter int unsigned Cores        = 16,
  parameter int unsigned Queues       = 2,
  parameter int unsigned Heaps        = 1,
  parameter int unsigned Counters     = 32,
  parameter int unsigned CounterWidth = 8
) (
  // The request.
  input  logic valid_i,
  input  logic write_i,
  input  logic [hwse_pkg::OpWidth-1:0] op_i,  // reg_e
  input  logic [hwse_pkg::ArgWidth-1:0] arg_i,
  input  logic [31:0] data_i,
  output logic [31:0] answer_o,
  output logic taken_o,  // a write was done
  output logic [3:0] error_o,  // error_e
  // The thread.
  input  hwse_pkg::context_t context_i,
  input  logic [31:0] position_i,
  input  logic last_taken_i,
  output logic context_write_o,
  output hwse_pkg::context_t context_o,
  output logic position_write_o,
  output logic [31:0] position_o,
  // The team: the one that a written context names, or else the thread's.
  output hwse_pkg::team_t team_o,
  input  logic team_free_i,
  input  hwse_pkg::team_t free_team_i,
  input  logic team_is_open_i,
  input  hwse_pkg::rank_t team_size_i,
  input  logic team_waits_i,
  input  logic team_last_i,
  input  logic team_phase_i,
  input  logic team_busy_i,  // has a work-share that is not free
  output logic team_open_o,
  output logic team_close_o,
  output logic team_arrive_o,
  // The work-share: the thread's next, or that of a heap.
  output logic share_is_heap_o,
  output logic [3:0] share_act_o,  // share_act_e
  output logic [1:0] share_schedule_o,
  input  logic share_busy_i,
  input  logic share_open_i,
  input  logic share_generation_i,
  input  logic share_over_i,
  input  logic [31:0] share_start_i,
  input  logic [31:0] share_end_i,
  // The queue and the counter that the argument names.
  input  logic queue_has_room_i,
  input  logic queue_has_word_i,
  input  logic [31:0] queue_word_i,
  output logic queue_push_o,
  output logic queue_pop_o,
  output logic queue_clear_o,
  input  logic [CounterWidth-1:0] count_i,
  input  logic [CounterWidth-1:0] count_up_i,
  input  logic [CounterWidth-1:0] count_down_i,
  output logic count_write_o,
  output logic [CounterWidth-1:0] count_o,
  input  logic [31:0] error_i,
  output logic error_clear_o
);

  hwse_pkg::context_t word;  // what is written, as a context
  logic is_member, is_inside, is_its, may_join, may_fill, may_fetch, has_heap;

  assign word = data_i[hwse_pkg::ContextWidth-1:0];
  assign team_o = op_i == hwse_pkg::RegContext || op_i == hwse_pkg::RegTeamClose ? word.team :
                  context_i.team;
  assign is_member = context_i.member && team_is_open_i;
  assign is_inside = is_member && context_i.place != hwse_pkg::PlaceOutside;
  assign is_its    = share_busy_i && share_generation_i == context_i.turn[1];
  assign may_join  = is_its && share_open_i;
  assign may_fill  = is_its && is_inside && !share_open_i;
  assign may_fetch = is_its && is_inside && share_open_i;

  assign has_heap        = 32'(arg_i) < Heaps;
  assign share_is_heap_o = has_heap && (op_i == hwse_pkg::RegQueuePop ||
                           op_i == hwse_pkg::RegHeapStart || op_i == hwse_pkg::RegHeapEnd ||
                           op_i == hwse_pkg::RegHeapStep);

  always_comb begin
    answer_o         = '0;
    error_o          = hwse_pkg::ErrNone;
    taken_o          = write_i;
    context_write_o  = 1'b0;
    context_o        = context_i;
    position_write_o = 1'b0;
    position_o       = '0;
    team_open_o      = 1'b0;
    team_close_o     = 1'b0;
    team_arrive_o    = 1'b0;
    share_act_o      = hwse_pkg::ShareKeep;
    share_schedule_o = hwse_pkg::ScheduleDynamic;
    queue_push_o     = 1'b0;
    queue_pop_o      = 1'b0;
    queue_clear_o    = 1'b0;
    count_write_o    = 1'b0;
    count_o          = '0;
    error_clear_o    = 1'b0;

    if (valid_i) begin
      case ({write_i, op_i})
        {1'b0, hwse_pkg::RegTeamOpen}: begin
          if (arg_i == '0 || 32'(arg_i) > Cores) begin
            error_o = hwse_pkg::ErrArgument;
          end else if (team_free_i) begin
            team_open_o = 1'b1;
            answer_o    = 32'({free_team_i, 1'b1});
          end
        end
        {1'b1, hwse_pkg::RegTeamClose}: begin
          if (!team_is_open_i || team_busy_i || team_waits_i) error_o = hwse_pkg::ErrTeam;
          else team_close_o = 1'b1;
        end
        {1'b0, hwse_pkg::RegContext}: answer_o = 32'(context_i);
        {1'b1, hwse_pkg::RegContext}: begin
          if (word.member && !(team_is_open_i && word.rank < team_size_i)) begin
            error_o = hwse_pkg::ErrContext;
          end else begin
            context_write_o = 1'b1;
            context_o       = word.member ? word : '0;
          end
        end
        {1'b0, hwse_pkg::RegChunkEnd}: answer_o = position_i;
        {1'b1, hwse_pkg::RegChunkEnd}: begin
          position_write_o = 1'b1;
          position_o       = data_i;
        end

        // The thread's next work-share. 0: not yet; 1: it came first; 2: it is not the first.
        {1'b0, hwse_pkg::RegShareInit}, {1'b0, hwse_pkg::RegSingle}: begin
          if (!is_member) begin
            error_o = hwse_pkg::ErrNoTeam;
          end else if (is_inside) begin
            error_o = hwse_pkg::ErrNested;
          end else if (!share_busy_i || may_join) begin
            answer_o        = share_busy_i ? 32'd2 : 32'd1;
            context_write_o = 1'b1;
            if (op_i == hwse_pkg::RegSingle) begin
              share_act_o    = share_busy_i ? hwse_pkg::ShareLeave : hwse_pkg::ShareSingle;
              context_o.turn = context_i.turn + 1'b1;
            end else begin
              if (!share_busy_i) share_act_o = hwse_pkg::ShareClaim;
              context_o.place = hwse_pkg::PlaceFresh;
            end
          end
        end
        {1'b1, hwse_pkg::RegLoopStart}, {1'b1, hwse_pkg::RegLoopEnd},
        {1'b1, hwse_pkg::RegLoopStatic}, {1'b1, hwse_pkg::RegLoopDynamic},
        {1'b1, hwse_pkg::RegLoopGuided}, {1'b1, hwse_pkg::RegSections}: begin
          if (!may_fill) begin
            error_o = hwse_pkg::ErrNotFilling;
          end else begin
            case (op_i)
              hwse_pkg::RegLoopStart: share_act_o = hwse_pkg::ShareStart;
              hwse_pkg::RegLoopEnd: share_act_o = hwse_pkg::ShareEnd;
              hwse_pkg::RegSections: share_act_o = hwse_pkg::ShareSections;
              default: begin
                share_act_o = hwse_pkg::ShareOpen;
                if (op_i == hwse_pkg::RegLoopStatic) share_schedule_o = hwse_pkg::ScheduleStatic;
                if (op_i == hwse_pkg::RegLoopGuided) share_schedule_o = hwse_pkg::ScheduleGuided;
                if (data_i == '0) error_o = hwse_pkg::ErrStep;
              end
            endcase
          end
        end
        {1'b0, hwse_pkg::RegShareFetch}: begin
          if (!may_fetch) begin
            error_o = hwse_pkg::ErrNotInside;
          end else begin
            context_write_o  = 1'b1;
            position_write_o = 1'b1;
            if (share_over_i || context_i.place == hwse_pkg::PlaceOver) begin
              context_o.place = hwse_pkg::PlaceOver;
            end else begin
              context_o.place = hwse_pkg::PlaceGoing;
              share_act_o     = hwse_pkg::ShareTake;
              answer_o        = share_start_i;
              position_o      = share_end_i;
            end
          end
        end
        {1'b1, hwse_pkg::RegShareLeave}: begin
          if (!may_fetch) begin
            error_o = hwse_pkg::ErrNotInside;
          end else begin
            share_act_o     = hwse_pkg::ShareLeave;
            context_write_o = 1'b1;
            context_o.place = hwse_pkg::PlaceOutside;
            context_o.turn  = context_i.turn + 1'b1;
          end
        end

        // The barrier. 0: not all are there; 1: all are, and the thread may go on.
        {1'b0, hwse_pkg::RegSync}: begin
          if (!is_member) begin
            error_o = hwse_pkg::ErrNoTeam;
          end else if (context_i.arrived) begin
            answer_o          = 32'(team_phase_i != context_i.phase);
            context_write_o   = 1'b1;
            context_o.arrived = team_phase_i == context_i.phase;
          end else begin
            answer_o          = 32'(team_last_i);
            team_arrive_o     = 1'b1;
            context_write_o   = 1'b1;
            context_o.arrived = !team_last_i;
            context_o.phase   = team_phase_i;
          end
        end

        {1'b1, hwse_pkg::RegQueuePush}: begin
          if (32'(arg_i) >= Queues) error_o = hwse_pkg::ErrArgument;
          else queue_push_o = 1'b1;
          taken_o = queue_has_room_i;
        end
        {1'b0, hwse_pkg::RegQueuePop}: begin
          if (32'(arg_i) >= Queues) begin
            error_o = hwse_pkg::ErrArgument;
          end else if (has_heap && !share_over_i) begin  // a bin that was never given out
            share_act_o = hwse_pkg::ShareTake;
            answer_o    = share_start_i;
          end else if (queue_has_word_i) begin
            queue_pop_o = 1'b1;
            answer_o    = queue_word_i;
          end
        end
        {1'b1, hwse_pkg::RegHeapStart}, {1'b1, hwse_pkg::RegHeapEnd},
        {1'b1, hwse_pkg::RegHeapStep}: begin
          if (!has_heap) begin
            error_o = hwse_pkg::ErrArgument;
          end else begin
            case (op_i)
              hwse_pkg::RegHeapStart: share_act_o = hwse_pkg::ShareStart;
              hwse_pkg::RegHeapEnd: share_act_o = hwse_pkg::ShareEnd;
              default: begin
                share_act_o   = hwse_pkg::ShareOpen;
                queue_clear_o = 1'b1;
                if (data_i == '0) error_o = hwse_pkg::ErrStep;
              end
            endcase
          end
        end

        {1'b0, hwse_pkg::RegCount}, {1'b1, hwse_pkg::RegCount}, {1'b0, hwse_pkg::RegCountUp},
        {1'b0, hwse_pkg::RegCountDown}: begin
          if (32'(arg_i) >= Counters) begin
            error_o = hwse_pkg::ErrArgument;
          end else if (write_i) begin
            count_write_o = data_i[31:CounterWidth] == '0;
            count_o       = data_i[CounterWidth-1:0];
            if (!count_write_o) error_o = hwse_pkg::ErrCount;
          end else begin
            count_write_o = op_i != hwse_pkg::RegCount;
            count_o       = op_i == hwse_pkg::RegCountUp ? count_up_i : count_down_i;
            answer_o      = op_i == hwse_pkg::RegCount ? 32'(count_i) : 32'(count_o);
            if (count_write_o && count_o == count_i) error_o = hwse_pkg::ErrCount;
          end
        end

        {1'b0, hwse_pkg::RegTaken}: answer_o = 32'(last_taken_i);
        {1'b0, hwse_pkg::RegError}: answer_o = error_i;
        {1'b1, hwse_pkg::RegError}: error_clear_o = 1'b1;
        default: error_o = hwse_pkg::ErrRegister;
      endcase
      if (error_o != hwse_pkg::ErrNone && error_o != hwse_pkg::ErrStep) taken_o = 1'b0;
    end
  end

endmodule
