// SPDX-License-Identifier: Apache-2.0
//
// The system of paper 4: Rocket cores with 8-way 32 KB caches, kept coherent by a hub without a
// second-level cache, and one scheduler that all of them reach by instructions. The scheduler is
// SystemVerilog (hw/rtl/picos_system.sv), a black box here; memory and console are AXI ports.
package soc

import chisel3._
import chisel3.experimental.{ExtModule, IntParam}
import chisel3.util._

import freechips.rocketchip.config.{Config, Parameters}
import freechips.rocketchip.devices.debug.DebugModuleKey
import freechips.rocketchip.devices.tilelink.PLICKey
import freechips.rocketchip.diplomacy._
import freechips.rocketchip.subsystem._
import freechips.rocketchip.system.BaseConfig
import freechips.rocketchip.tile._

object Wide {
  val word = 64
  val funct = 7
  val register = 5
}

/** What goes between a core and its delegate in the scheduler. */
class DelegatePort extends Bundle {
  val cmd = Decoupled(new Bundle {
    val funct = UInt(Wide.funct.W)
    val xd = Bool()
    val rd = UInt(Wide.register.W)
    val rs1 = UInt(Wide.word.W)
    val rs2 = UInt(Wide.word.W)
  })
  val resp = Flipped(Decoupled(new Bundle {
    val rd = UInt(Wide.register.W)
    val data = UInt(Wide.word.W)
  }))
}

/** Brings a core's RoCC port out of its tile. */
class DelegateSocket(implicit p: Parameters) extends LazyRoCC(OpcodeSet.custom0) {
  val port = BundleBridgeSource(() => new DelegatePort)
  override lazy val module = new DelegateSocketModule(this)
}

class DelegateSocketModule(outer: DelegateSocket) extends LazyRoCCModuleImp(outer) {
  private val port = outer.port.bundle
  port.cmd.valid := io.cmd.valid
  io.cmd.ready := port.cmd.ready
  port.cmd.bits.funct := io.cmd.bits.inst.funct
  port.cmd.bits.xd := io.cmd.bits.inst.xd
  port.cmd.bits.rd := io.cmd.bits.inst.rd
  port.cmd.bits.rs1 := io.cmd.bits.rs1
  port.cmd.bits.rs2 := io.cmd.bits.rs2
  io.resp.valid := port.resp.valid
  io.resp.bits.rd := port.resp.bits.rd
  io.resp.bits.data := port.resp.bits.data
  port.resp.ready := io.resp.ready
  io.busy := false.B
  io.interrupt := false.B
  io.mem.req.valid := false.B
}

/** hw/rtl/picos_system.sv. */
class Scheduler(cores: Int) extends ExtModule(Map("Cores" -> IntParam(cores))) {
  override def desiredName = "picos_system"
  val clk_i = IO(Input(Clock()))
  val rst_ni = IO(Input(Bool()))
  val cmd_valid_i = IO(Input(UInt(cores.W)))
  val cmd_ready_o = IO(Output(UInt(cores.W)))
  val cmd_funct_i = IO(Input(UInt((cores * Wide.funct).W)))
  val cmd_xd_i = IO(Input(UInt(cores.W)))
  val cmd_rd_i = IO(Input(UInt((cores * Wide.register).W)))
  val cmd_rs1_i = IO(Input(UInt((cores * Wide.word).W)))
  val cmd_rs2_i = IO(Input(UInt((cores * Wide.word).W)))
  val resp_valid_o = IO(Output(UInt(cores.W)))
  val resp_ready_i = IO(Input(UInt(cores.W)))
  val resp_rd_o = IO(Output(UInt((cores * Wide.register).W)))
  val resp_data_o = IO(Output(UInt((cores * Wide.word).W)))
  val error_o = IO(Output(UInt(4.W)))
}

class PicosSoc(implicit p: Parameters) extends RocketSubsystem
    with HasHierarchicalBusTopology
    with CanHaveMasterAXI4MemPort
    with CanHaveMasterAXI4MMIOPort {
  val sockets = rocketTiles.flatMap(_.roccs).collect { case socket: DelegateSocket => socket }
  val ports = sockets.map { socket =>
    val port = socket.port.makeSink()
    port
  }
  override lazy val module = new PicosSocModule(this)
}

class PicosSocModule(outer: PicosSoc) extends RocketSubsystemModuleImp(outer) {
  global_reset_vector := "h80000000".U
  val error = IO(Output(UInt(4.W)))

  private val ports = outer.ports.map(_.bundle)
  private val scheduler = Module(new Scheduler(ports.size))
  private def all[T <: Data](each: DelegatePort => T): UInt = Cat(ports.reverse.map(each(_).asUInt))
  scheduler.clk_i := clock
  scheduler.rst_ni := !reset.asBool
  scheduler.cmd_valid_i := all(_.cmd.valid)
  scheduler.cmd_funct_i := all(_.cmd.bits.funct)
  scheduler.cmd_xd_i := all(_.cmd.bits.xd)
  scheduler.cmd_rd_i := all(_.cmd.bits.rd)
  scheduler.cmd_rs1_i := all(_.cmd.bits.rs1)
  scheduler.cmd_rs2_i := all(_.cmd.bits.rs2)
  scheduler.resp_ready_i := all(_.resp.ready)
  ports.zipWithIndex.foreach { case (port, i) =>
    def part(signal: UInt, width: Int) = signal((i + 1) * width - 1, i * width)
    port.cmd.ready := scheduler.cmd_ready_o(i)
    port.resp.valid := scheduler.resp_valid_o(i)
    port.resp.bits.rd := part(scheduler.resp_rd_o, Wide.register)
    port.resp.bits.data := part(scheduler.resp_data_o, Wide.word)
  }
  error := scheduler.error_o
}

/** Without what simulation does not need: debug module, interrupt controller, bus monitors. */
class PicosConfig(cores: Int) extends Config(
  new WithoutTLMonitors ++
  new WithL1ICacheWays(8) ++
  new WithL1DCacheWays(8) ++
  new WithNBigCores(cores) ++
  new Config((_, _, _) => {
    case DebugModuleKey => None
    case PLICKey => None
    case BuildRoCC => Seq((p: Parameters) => {
      val socket = LazyModule(new DelegateSocket()(p))
      socket
    })
  }) ++
  new WithNoSlavePort ++
  new BaseConfig)
