! SPDX-License-Identifier: Apache-2.0
!
! Myrmidon for Fortran: calls of subroutines as tasks that declare what they read and write.
! docs/user/fortran.md is the page of its users. What is done here is done in C, by the files beside
! this one, which get arrays as the descriptors of ISO_Fortran_binding.h.
!
! What a task uses is given by pointers that the compiler makes of the actual arguments, so these
! must have the attribute TARGET or be pointers themselves. That is no formality: the compiler must
! assume that a target changes in any call, and may keep other variables in registers across a wait.
! So no VOLATILE is needed; see docs/adr/0132-fortran.md.
module myrmidon
  use, intrinsic :: iso_c_binding, only: c_bool, c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int16, int32, int64, int8, real32, real64
  implicit none
  private

  public :: myr_access, myr_region, myr_recording, myr_root, myr_event
  public :: myr_start, myr_finish, myr_worker_count, myr_worker_index
  public :: myr_spawn, myr_for, myr_wait, myr_is_ready, myr_fail, myr_cancelled
  public :: myr_in, myr_out, myr_inout, myr_value, myr_part, myr_concurrent, myr_commutative
  public :: myr_region_new, myr_region_free, myr_region_cancel
  public :: myr_allocate, myr_memory, myr_deallocate
  public :: myr_event_new, myr_event_complete
  public :: myr_recording_new, myr_recording_free, myr_step_begin, myr_step_end

  ! How a task uses an argument: what myr_in() and the others return.
  type, bind(c) :: myr_access
    private
    integer(c_int64_t) :: words(38)
  end type

  ! A region: memory for arrays, all of which one access names.
  type, bind(c) :: myr_region
    private
    integer(c_int64_t) :: id = 0
  end type
  type(myr_region), parameter :: myr_root = myr_region(0) ! lives as long as the program

  ! A step of the program that repeats: see docs/user/replay.md.
  type, bind(c) :: myr_recording
    private
    type(c_ptr) :: state = c_null_ptr
  end type

  integer, parameter :: myr_event = c_int64_t ! the kind of an event

  ! Not of bind(c), whose dummy procedures must have it, and an interface.
  interface
    ! Spawns a task: call body(...) with what the accesses name, after all earlier tasks that it
    ! depends on. `body` has bind(c), and a dummy argument for each access: of an array an
    ! assumed-shape one of its kind and rank, of anything else a scalar; none with VALUE. Ready
    ! tasks of a higher priority run first; 0 is the default.
    subroutine myr_spawn(body, &
      a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, priority)
      import
      external :: body
      type(myr_access), intent(in), optional :: &
        a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16
      integer, intent(in), optional :: priority
    end subroutine
    ! Spawns a loop: call body(first, last, ...) for parts of it, each after what it depends on.
    ! Accesses behind myr_part() are cut with the loop; the body gets their arrays whole. No part
    ! has fewer than `grain` iterations; 0: as many as take some microseconds.
    subroutine myr_for(body, first, last, &
      a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, grain)
      import
      external :: body
      integer, intent(in) :: first, last
      type(myr_access), intent(in), optional :: &
        a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16
      integer, intent(in), optional :: grain
    end subroutine
  end interface

  ! The task reads: an array, a section or a scalar; what lies
  ! behind c_loc(x), so many bytes, of which the body gets the address; all that is in a region.
  interface myr_in
    function in_i1(x) bind(c, name='myr_fortran_in') result(access)
      import; integer(int8), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_i2(x) bind(c, name='myr_fortran_in') result(access)
      import; integer(int16), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_i4(x) bind(c, name='myr_fortran_in') result(access)
      import; integer(int32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_i8(x) bind(c, name='myr_fortran_in') result(access)
      import; integer(int64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_r4(x) bind(c, name='myr_fortran_in') result(access)
      import; real(real32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_r8(x) bind(c, name='myr_fortran_in') result(access)
      import; real(real64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_c4(x) bind(c, name='myr_fortran_in') result(access)
      import; complex(real32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_c8(x) bind(c, name='myr_fortran_in') result(access)
      import; complex(real64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_l1(x) bind(c, name='myr_fortran_in') result(access)
      import; logical(c_bool), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_l4(x) bind(c, name='myr_fortran_in') result(access)
      import; logical(kind(.true.)), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function in_bytes(x, bytes) bind(c, name='myr_fortran_in_bytes') result(access)
      import; type(c_ptr), value :: x; integer(c_int64_t), value :: bytes
      type(myr_access) :: access
    end function
    function in_region(x) bind(c, name='myr_fortran_in_region') result(access)
      import; type(myr_region), intent(in) :: x; type(myr_access) :: access
    end function
  end interface

  ! The task writes without reading: an array, a section or a scalar; what lies
  ! behind c_loc(x), so many bytes, of which the body gets the address; all that is in a region.
  interface myr_out
    function out_i1(x) bind(c, name='myr_fortran_out') result(access)
      import; integer(int8), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_i2(x) bind(c, name='myr_fortran_out') result(access)
      import; integer(int16), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_i4(x) bind(c, name='myr_fortran_out') result(access)
      import; integer(int32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_i8(x) bind(c, name='myr_fortran_out') result(access)
      import; integer(int64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_r4(x) bind(c, name='myr_fortran_out') result(access)
      import; real(real32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_r8(x) bind(c, name='myr_fortran_out') result(access)
      import; real(real64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_c4(x) bind(c, name='myr_fortran_out') result(access)
      import; complex(real32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_c8(x) bind(c, name='myr_fortran_out') result(access)
      import; complex(real64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_l1(x) bind(c, name='myr_fortran_out') result(access)
      import; logical(c_bool), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_l4(x) bind(c, name='myr_fortran_out') result(access)
      import; logical(kind(.true.)), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function out_bytes(x, bytes) bind(c, name='myr_fortran_out_bytes') result(access)
      import; type(c_ptr), value :: x; integer(c_int64_t), value :: bytes
      type(myr_access) :: access
    end function
    function out_region(x) bind(c, name='myr_fortran_out_region') result(access)
      import; type(myr_region), intent(in) :: x; type(myr_access) :: access
    end function
  end interface

  ! The task reads and writes: an array, a section or a scalar; what lies
  ! behind c_loc(x), so many bytes, of which the body gets the address; all that is in a region.
  interface myr_inout
    function inout_i1(x) bind(c, name='myr_fortran_inout') result(access)
      import; integer(int8), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_i2(x) bind(c, name='myr_fortran_inout') result(access)
      import; integer(int16), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_i4(x) bind(c, name='myr_fortran_inout') result(access)
      import; integer(int32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_i8(x) bind(c, name='myr_fortran_inout') result(access)
      import; integer(int64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_r4(x) bind(c, name='myr_fortran_inout') result(access)
      import; real(real32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_r8(x) bind(c, name='myr_fortran_inout') result(access)
      import; real(real64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_c4(x) bind(c, name='myr_fortran_inout') result(access)
      import; complex(real32), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_c8(x) bind(c, name='myr_fortran_inout') result(access)
      import; complex(real64), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_l1(x) bind(c, name='myr_fortran_inout') result(access)
      import; logical(c_bool), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_l4(x) bind(c, name='myr_fortran_inout') result(access)
      import; logical(kind(.true.)), pointer, intent(in) :: x(..); type(myr_access) :: access
    end function
    function inout_bytes(x, bytes) bind(c, name='myr_fortran_inout_bytes') result(access)
      import; type(c_ptr), value :: x; integer(c_int64_t), value :: bytes
      type(myr_access) :: access
    end function
    function inout_region(x) bind(c, name='myr_fortran_inout_region') result(access)
      import; type(myr_region), intent(in) :: x; type(myr_access) :: access
    end function
  end interface

  interface
    ! The body gets a copy of the value as it is now: a scalar or an array, of any type without
    ! allocatable components, of at most 64 bytes.
    function myr_value(x) bind(c, name='myr_fortran_value') result(access)
      import; type(*), intent(in) :: x(..); type(myr_access) :: access
    end function
    ! For a loop: iteration i uses the elements i-before to i+after of the last dimension, as far as
    ! there are such. Elements are counted from the lower bound of the array that is named.
    function myr_part(whole, before, after) bind(c, name='myr_fortran_part') result(access)
      import; type(myr_access), intent(in) :: whole
      integer(c_int32_t), intent(in), optional :: before, after; type(myr_access) :: access
    end function
    ! For myr_inout(): tasks that all use the memory so may run in any order: at the same time,
    ! which they make safe themselves, or one at a time.
    function myr_concurrent(inout) bind(c, name='myr_fortran_concurrent') result(access)
      import; type(myr_access), intent(in) :: inout; type(myr_access) :: access
    end function
    function myr_commutative(inout) bind(c, name='myr_fortran_commutative') result(access)
      import; type(myr_access), intent(in) :: inout; type(myr_access) :: access
    end function

    ! The caller's failure: text that its spawner's next call myr_wait() gets. Return behind it.
    subroutine myr_fail(message) bind(c, name='myr_fortran_fail')
      character(len=*), intent(in) :: message
    end subroutine
    function is_cancelled() bind(c, name='myr_cancelled')
      import; integer(c_int) :: is_cancelled
    end function
    ! Whether the caller may use what the accesses name now, as behind a wait.
    function myr_is_ready(a1, a2, a3, a4) bind(c, name='myr_fortran_is_ready') result(is_ready)
      import; type(myr_access), intent(in) :: a1
      type(myr_access), intent(in), optional :: a2, a3, a4
      logical(c_bool) :: is_ready
    end function
  end interface

  interface myr_wait
    ! Waits until the caller may use again what the accesses name, in the way that they say.
    subroutine wait_for(a1, a2, a3, a4) bind(c, name='myr_fortran_wait')
      import; type(myr_access), intent(in) :: a1
      type(myr_access), intent(in), optional :: a2, a3, a4
    end subroutine
    ! Waits for all tasks of the caller. If one has failed, what it said is in `errmsg`, and `stat`
    ! is not 0; without `stat`, the program ends with a message and status 70.
    subroutine wait_all(stat, errmsg) bind(c, name='myr_fortran_wait_all')
      import; integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
  end interface

  interface
    ! Starts a machine, such as 'smp', 'serial' or 'tree:1+3', in place of the first call; the
    ! environment variable MYR_ON overrides it. 0 workers: one for each processor. `stat` 0: done.
    subroutine myr_start(machine, workers, stat, errmsg) bind(c, name='myr_fortran_start')
      import; character(len=*), intent(in), optional :: machine
      integer(c_int32_t), intent(in), optional :: workers
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    ! Waits for all tasks and stops the machine; the end of the program does it, too.
    subroutine myr_finish() bind(c, name='myr_fortran_finish')
    end subroutine
    function worker_count() bind(c, name='myr_worker_count')
      import; integer(c_int) :: worker_count
    end function
    function worker_index() bind(c, name='myr_worker_index')
      import; integer(c_int) :: worker_index
    end function

    ! A region inside of another one, or of the root. `level`: see myr_region_new() of myr.h.
    function myr_region_new(parent, level) bind(c, name='myr_fortran_region_new') result(region)
      import; type(myr_region), intent(in), optional :: parent
      integer(c_int32_t), intent(in), optional :: level; type(myr_region) :: region
    end function
    ! Frees it and all that is in it, behind the tasks that use it.
    subroutine myr_region_free(region) bind(c, name='myr_fortran_region_free')
      import; type(myr_region), intent(inout) :: region
    end subroutine
    ! Tasks that use it and have not begun need not run any more.
    subroutine myr_region_cancel(region) bind(c, name='myr_fortran_region_cancel')
      import; type(myr_region), intent(in) :: region
    end subroutine

    ! That many bytes in a region, or in the root, for c_f_pointer(); no memory ends the program.
    function myr_memory(bytes, region) bind(c, name='myr_fortran_memory') result(first)
      import; integer(c_int64_t), value :: bytes
      type(myr_region), intent(in), optional :: region; type(c_ptr) :: first
    end function

    ! In a task: a new event, which holds it open until any thread completes it.
    function myr_event_new() bind(c, name='myr_fortran_event_new') result(event)
      import; integer(c_int64_t) :: event
    end function
    subroutine myr_event_complete(event) bind(c, name='myr_fortran_event_complete')
      import; integer(c_int64_t), intent(in) :: event
    end subroutine

    function myr_recording_new() bind(c, name='myr_fortran_recording_new') result(recording)
      import; type(myr_recording) :: recording
    end function
    subroutine myr_recording_free(recording) bind(c, name='myr_fortran_recording_free')
      import; type(myr_recording), intent(inout) :: recording
    end subroutine
    ! Around the spawns of the step, each time.
    subroutine myr_step_begin(recording) bind(c, name='myr_fortran_step_begin')
      import; type(myr_recording), intent(in) :: recording
    end subroutine
    subroutine myr_step_end(recording) bind(c, name='myr_fortran_step_end')
      import; type(myr_recording), intent(in) :: recording
    end subroutine
  end interface

  ! Associates a pointer with a new array of that shape in a region, or in the root. The shape of a
  ! scalar is [integer ::].
  interface myr_allocate
    subroutine allocate_i1(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; integer(int8), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_i2(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; integer(int16), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_i4(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; integer(int32), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_i8(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; integer(int64), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_r4(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; real(real32), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_r8(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; real(real64), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_c4(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; complex(real32), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_c8(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; complex(real64), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_l1(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; logical(c_bool), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
    subroutine allocate_l4(x, shape, region, stat, errmsg) bind(c, name='myr_fortran_allocate')
      import; logical(kind(.true.)), pointer, intent(out) :: x(..)
      type(*), intent(in) :: shape(..)
      type(myr_region), intent(in), optional :: region
      integer(c_int32_t), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine
  end interface

  ! Frees what myr_allocate() or myr_memory() has made, behind the tasks that use it.
  interface myr_deallocate
    subroutine deallocate_i1(x) bind(c, name='myr_fortran_deallocate')
      import; integer(int8), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_i2(x) bind(c, name='myr_fortran_deallocate')
      import; integer(int16), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_i4(x) bind(c, name='myr_fortran_deallocate')
      import; integer(int32), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_i8(x) bind(c, name='myr_fortran_deallocate')
      import; integer(int64), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_r4(x) bind(c, name='myr_fortran_deallocate')
      import; real(real32), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_r8(x) bind(c, name='myr_fortran_deallocate')
      import; real(real64), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_c4(x) bind(c, name='myr_fortran_deallocate')
      import; complex(real32), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_c8(x) bind(c, name='myr_fortran_deallocate')
      import; complex(real64), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_l1(x) bind(c, name='myr_fortran_deallocate')
      import; logical(c_bool), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_l4(x) bind(c, name='myr_fortran_deallocate')
      import; logical(kind(.true.)), pointer, intent(inout) :: x(..)
    end subroutine
    subroutine deallocate_memory(first) bind(c, name='myr_fortran_free')
      import; type(c_ptr), intent(inout) :: first
    end subroutine
  end interface

contains

  integer function myr_worker_count()
    myr_worker_count = int(worker_count())
  end function

  ! From 0.
  integer function myr_worker_index()
    myr_worker_index = int(worker_index())
  end function

  ! Whether the calling task uses something in a cancelled region, and may as well return.
  logical function myr_cancelled()
    myr_cancelled = is_cancelled() /= 0
  end function
end module myrmidon
