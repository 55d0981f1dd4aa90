// SPDX-License-Identifier: Apache-2.0
//
// Decides which task waits for which. A version of an address is one writer and the readers after
// it; versions of an address form a chain. It is complete once its writer and its readers have
// retired, and then the writer of the next version no longer waits for it. Readers that come while
// the writer runs hang in a list from the version and are told one by one when it retires.
//
// Invariants
//   1. Each dependence of a task is counted down exactly once: at once if it waits for no task,
//      else by the completion of a version or by the list of a writer.
//   2. A version in the dependence memory is the youngest of its address and not complete.
//   3. A task has at most one slot a version: an address that it names twice is one dependence,
//      which writes if one of the two does. So no task waits for itself.
//   5. A dependence on address 0 is none: it is met at once and leaves no trace. So software whose
//      pointers may be null submits them all and need not count first.
//   4. Retirement needs nothing that may be short (no new entry, no room in a queue); it comes
//      before registration, which waits for what retirement frees. So tasks that are registered
//      always end, and then there is room for all dependences of one more.
//
// One step a cycle. Registering a dependence takes two cycles (look up, then change), a head one, and
// so does a dependence on address 0.
// Retirement takes a cycle, one for each dependence, and one for each reader that is told.
// Latency from retirement to the count of the first follower: two cycles. Reset: no tasks.
`include "checks.svh"

module tracker_engine #(
  parameter int unsigned Tasks    = 256,
  parameter int unsigned Versions = 512,
  parameter int unsigned Sets     = 32,
  parameter int unsigned Ways     = 16,
  parameter int unsigned DepsMax  = picos_pkg::DepsMax,
  localparam int unsigned TaskWidth = Tasks > 1 ? $clog2(Tasks) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  // Steps of the task that is being submitted. A step stays until it is taken.
  input  logic step_valid_i,
  output logic step_ready_o,
  input  logic step_is_head_i,
  input  picos_pkg::name_t step_name_i,
  input  logic step_writes_i,
  // Tasks that have run.
  input  logic retire_valid_i,
  output logic retire_ready_o,
  input  logic [TaskWidth-1:0] retire_task_i,
  output logic room_o,  // for one more task
  // A new task: its name, and how much it has to wait for.
  output logic new_valid_o,
  output logic [TaskWidth-1:0] new_task_o,
  // One dependence less to wait for.
  output logic met_valid_o,
  output logic [TaskWidth-1:0] met_task_o
);

  localparam int unsigned VersionWidth = $clog2(Versions);
  localparam int unsigned DepWidth = picos_pkg::DepCountWidth;
  localparam int unsigned SlotWidth = TaskWidth + DepWidth;
  localparam int unsigned Slots = 1 << SlotWidth;
  localparam int unsigned EntryWidth = (Sets > 1 ? $clog2(Sets) : 1) + $clog2(Ways);

  typedef logic [TaskWidth-1:0] task_t;
  typedef logic [VersionWidth-1:0] version_id_t;
  typedef logic [SlotWidth-1:0] slot_id_t;  // a task and which of its dependences

  typedef struct packed {
    logic                  writer_runs;  // has not retired
    logic [TaskWidth:0]    readers;      // that have not retired
    logic                  listed;       // readers wait for the writer
    slot_id_t              first_listed;
    logic [EntryWidth-1:0] entry;        // of the address in the dependence memory
  } version_t;

  typedef struct packed {
    version_id_t version;
    logic        writes;
    logic        followed;  // there is another reader in the list
    slot_id_t    next_listed;
  } slot_t;

  localparam int unsigned VersionBits = 2 + TaskWidth + 1 + SlotWidth + EntryWidth;
  localparam int unsigned SlotBits = VersionWidth + 2 + SlotWidth;

  typedef enum logic [2:0] {
    StIdle,
    StRegister,    // enter the dependence that was looked up
    StNewVersion,  // write the second version that registering changes
    StRelease,     // one dependence of a task that retires
    StTell         // one reader of a list
  } state_e;

  state_e state_q, state_d;

  // Memories, each with one read and one write a cycle.
  logic [VersionBits-1:0] versions[Versions];
  logic [SlotBits-1:0] slots[Slots];
  logic [TaskWidth:0] chain[Versions];  // whether there is a next version, and who writes it
  logic [DepWidth-1:0] slot_counts[Tasks];

  version_id_t version_index;
  version_t version, version_new;
  logic version_write;
  slot_id_t slot_index, slot_write_index;
  slot_t slot, slot_new;
  logic slot_write;
  picos_pkg::dep_count_t slot_written;

  // The task that is being registered.
  task_t task_q;
  picos_pkg::dep_count_t slot_count_q;
  logic [DepsMax*VersionWidth-1:0] own_version_q;
  logic [DepsMax-1:0] own_writes_q;
  logic [DepsMax-1:0] same;  // the slot with the version that was found
  picos_pkg::dep_count_t same_index;
  logic [EntryWidth-1:0] found_entry_q;
  version_id_t found_version_q, second_version_q;
  logic found_hit_q, found_room_q;

  // The task that retires.
  task_t retired_q;
  picos_pkg::dep_count_t release_index_q, release_count_q;
  version_id_t release_version_q;
  logic release_writes_q;
  slot_id_t tell_slot_q;
  logic last_release, completes;

  // What a step does.
  logic task_free, take_task, give_task, take_version, give_version, version_free;
  task_t free_task, give_task_id;
  version_id_t free_version, change_version;
  logic insert, replace, remove, supersede;
  logic hit, room;
  logic chain_write, superseded;
  task_t next_writer;
  version_id_t new_version;
  logic [EntryWidth-1:0] entry, change_entry;
  version_id_t youngest;
  logic met;
  task_t met_task;
  logic adds_slot, rewrites_slot;
  picos_pkg::dep_count_t retire_slots;

  id_pool #(
    .Count(Tasks)
  ) u_tasks (
    .clk_i,
    .rst_ni,
    .free_o   (task_free),
    .free_id_o(free_task),
    .take_i   (take_task),
    .give_i   (give_task),
    .give_id_i(give_task_id)
  );

  id_pool #(
    .Count(Versions)
  ) u_versions (
    .clk_i,
    .rst_ni,
    .free_o   (version_free),
    .free_id_o(free_version),
    .take_i   (take_version),
    .give_i   (give_version),
    .give_id_i(release_version_q)
  );

  dependence_memory #(
    .Sets        (Sets),
    .Ways        (Ways),
    .VersionWidth(VersionWidth),
    .WaysMin     (DepsMax)
  ) u_addresses (
    .clk_i,
    .rst_ni,
    .address_i       (step_name_i),
    .hit_o           (hit),
    .room_o          (room),
    .entry_o         (entry),
    .version_o       (youngest),
    .insert_i        (insert),
    .replace_i       (replace),
    .remove_i        (remove),
    .change_entry_i  (change_entry),
    .change_address_i(step_name_i),
    .change_version_i(change_version)
  );

  assign version      = versions[version_index];
  assign {superseded, next_writer} = chain[release_version_q];
  assign slot         = slots[slot_index];
  assign retire_slots = slot_counts[retire_task_i];

  always_comb begin
    same = '0;
    same_index = '0;
    for (int unsigned i = 0; i < DepsMax; i++) begin
      if (i < 32'(slot_count_q) && found_hit_q &&
          own_version_q[i*VersionWidth+:VersionWidth] == found_version_q) begin
        same[i] = 1'b1;
        same_index = same_index | 4'(i);
      end
    end
  end

  assign version_index = state_q == StRelease ? release_version_q : found_version_q;

  always_comb begin
    unique case (state_q)
      StRegister: slot_index = {task_q, same_index};
      StRelease:  slot_index = {retired_q, release_index_q + 4'd1};
      StTell:     slot_index = tell_slot_q;
      default:    slot_index = {retire_task_i, 4'd0};
    endcase
  end

  assign last_release = release_index_q == release_count_q - 4'd1;
  // No task is left in the version whose slot is being released.
  assign completes = release_writes_q ? version.readers == '0 :
                                             version.readers == 1 && !version.writer_runs;

  always_comb begin
    state_d          = state_q;
    step_ready_o     = 1'b0;
    retire_ready_o   = 1'b0;
    take_task        = 1'b0;
    give_task        = 1'b0;
    give_task_id     = retired_q;
    take_version     = 1'b0;
    give_version     = 1'b0;
    insert           = 1'b0;
    replace          = 1'b0;
    remove           = 1'b0;
    change_entry     = found_entry_q;
    change_version   = free_version;
    supersede        = 1'b0;
    met              = 1'b0;
    met_task         = task_q;
    adds_slot        = 1'b0;
    rewrites_slot    = 1'b0;
    slot_new         = '0;
    slot_new.version = free_version;
    slot_new.writes  = step_writes_i;
    version_write    = 1'b0;
    version_new      = version;

    unique case (state_q)
      StIdle: begin
        if (retire_valid_i) begin
          retire_ready_o = 1'b1;
          give_task_id   = retire_task_i;
          if (retire_slots == '0) give_task = 1'b1;
          else state_d = StRelease;
        end else if (step_valid_i && step_is_head_i) begin
          step_ready_o = task_free;
          take_task    = task_free;
        end else if (step_valid_i && step_name_i == '0) begin
          step_ready_o = 1'b1;
          met          = 1'b1;
        end else if (step_valid_i) begin
          state_d = StRegister;
        end
      end

      StRegister: begin
        state_d = StIdle;
        if (!found_hit_q) begin
          // No task uses the address.
          if (found_room_q && version_free) begin
            step_ready_o  = 1'b1;
            take_version  = 1'b1;
            insert        = 1'b1;
            adds_slot     = 1'b1;
            version_write = 1'b1;
            met           = 1'b1;
            version_new             = '0;
            version_new.writer_runs = step_writes_i;
            version_new.readers[0]  = !step_writes_i;
            version_new.entry       = found_entry_q;
          end
        end else if (|same && (|(same & own_writes_q) || !step_writes_i)) begin
          // The task has named the address before and asks for nothing more.
          step_ready_o = 1'b1;
          met          = 1'b1;
        end else if (|same && !version.writer_runs && version.readers == 1) begin
          // The task reads it and is the only one: it becomes the writer.
          step_ready_o            = 1'b1;
          met                     = 1'b1;
          version_write           = 1'b1;
          version_new.writer_runs = 1'b1;
          version_new.readers     = '0;
          rewrites_slot           = 1'b1;
          slot_new.version        = found_version_q;
        end else if (|same) begin
          // The task reads it, as others do: it moves on to a version of its own. If it waited for
          // the writer it is the first in the list, and now waits for the version instead.
          if (version_free) begin
            step_ready_o        = 1'b1;
            met                 = version.writer_runs;
            take_version        = 1'b1;
            replace             = 1'b1;
            supersede           = 1'b1;
            version_write       = 1'b1;
            version_new.readers = version.readers - 1'b1;
            if (version.writer_runs) begin
              version_new.listed       = slot.followed;
              version_new.first_listed = slot.next_listed;
            end
            rewrites_slot       = 1'b1;
            state_d             = StNewVersion;
          end
        end else if (!step_writes_i) begin
          step_ready_o        = 1'b1;
          met                 = !version.writer_runs;
          adds_slot           = 1'b1;
          slot_new.version    = found_version_q;
          version_write       = 1'b1;
          version_new.readers = version.readers + 1'b1;
          if (version.writer_runs) begin
            slot_new.followed        = version.listed;
            slot_new.next_listed     = version.first_listed;
            version_new.listed       = 1'b1;
            version_new.first_listed = {task_q, slot_count_q};
          end
        end else if (version_free) begin
          step_ready_o  = 1'b1;
          take_version  = 1'b1;
          replace       = 1'b1;
          supersede     = 1'b1;
          adds_slot     = 1'b1;
          state_d       = StNewVersion;
        end
      end

      StNewVersion: begin
        version_write           = 1'b1;
        version_new             = '0;
        version_new.writer_runs = 1'b1;
        version_new.entry       = found_entry_q;
        state_d                 = StIdle;
      end

      StRelease: begin
        version_write = 1'b1;
        if (release_writes_q) begin
          version_new.writer_runs = 1'b0;
          version_new.listed      = 1'b0;
        end else begin
          version_new.readers = version.readers - 1'b1;
        end
        if (completes) begin
          give_version = 1'b1;
          change_entry = version.entry;
          met_task     = next_writer;
          if (superseded) met = 1'b1;
          else remove = 1'b1;
        end
        give_task = last_release;
        if (release_writes_q && version.listed) state_d = StTell;
        else if (last_release) state_d = StIdle;
      end

      StTell: begin
        met      = 1'b1;
        met_task = tell_slot_q[SlotWidth-1:DepWidth];
        if (!slot.followed) state_d = release_count_q == release_index_q ? StIdle : StRelease;
      end

      default: state_d = StIdle;
    endcase
  end

  assign slot_write       = adds_slot || rewrites_slot;
  assign slot_written     = rewrites_slot ? same_index : slot_count_q;
  assign slot_write_index = {task_q, slot_written};

  // A version is the last of its chain at first.
  assign new_version = state_q == StNewVersion ? second_version_q : free_version;
  assign chain_write = supersede || insert || state_q == StNewVersion;

  always_ff @(posedge clk_i) begin
    if (version_write) begin
      versions[insert || state_q == StNewVersion ? new_version : version_index] <= version_new;
    end
    if (chain_write) chain[supersede ? found_version_q : new_version] <= {supersede, task_q};
    if (slot_write) slots[slot_write_index] <= slot_new;
    if (take_task || adds_slot) begin
      slot_counts[take_task ? free_task : task_q] <= take_task ? '0 : slot_count_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    found_hit_q      <= hit;
    found_room_q     <= room;
    found_entry_q    <= state_q == StIdle ? entry : found_entry_q;
    found_version_q  <= youngest;
    second_version_q <= free_version;
    if (take_task) task_q <= free_task;
    for (int unsigned i = 0; i < DepsMax; i++) begin
      if (slot_write && 32'(slot_written) == i) begin
        own_version_q[i*VersionWidth+:VersionWidth] <= slot_new.version;
        own_writes_q[i] <= slot_new.writes;
      end
    end
    if (state_q == StIdle || state_q == StRelease) begin
      release_version_q <= slot.version;
      release_writes_q  <= slot.writes;
    end
    if (state_q == StIdle) begin
      retired_q       <= retire_task_i;
      release_count_q <= retire_slots;
      release_index_q <= '0;
    end else if (state_q == StRelease) begin
      release_index_q <= release_index_q + 1'b1;
    end
    if (state_q == StRelease) tell_slot_q <= version.first_listed;
    else if (state_q == StTell) tell_slot_q <= slot.next_listed;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      slot_count_q <= '0;
    end else begin
      state_q <= state_d;
      if (take_task) slot_count_q <= '0;
      else if (adds_slot) slot_count_q <= slot_count_q + 1'b1;
    end
  end

  assign room_o      = task_free;
  assign new_valid_o = take_task;
  assign new_task_o  = free_task;

  always_ff @(posedge clk_i) begin
    met_valid_o <= rst_ni && met;
    met_task_o  <= met_task;
  end

  `MYR_CHECK(OneSlotAVersion, (same & (same - 1'b1)) == '0)
  `MYR_CHECK(SlotsInBounds, 32'(slot_count_q) <= DepsMax)
  `MYR_CHECK(LastIsFirstOfList,
      !(state_q == StRegister && step_valid_i && |same && step_writes_i && !rewrites_slot
        && version.writer_runs && !(|(same & own_writes_q)))
      || version.first_listed == {task_q, same_index} || !version_free)
  `MYR_CHECK(ReadersOfCompleteAreGone, !(state_q == StRelease && !release_writes_q)
             || version.readers != '0)
  `MYR_CHECK(WriterWasRunning, !(state_q == StRelease && release_writes_q)
             || version.writer_runs)

endmodule
