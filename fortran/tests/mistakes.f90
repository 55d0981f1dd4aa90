! SPDX-License-Identifier: Apache-2.0
!
! One mistake, which its argument names: test_fortran.py knows what is said about it, and where.
module mistakes_bodies
  use, intrinsic :: iso_c_binding
  use myrmidon
  implicit none
  integer(c_int), target, save :: x(1000) = 0
  integer(c_int), pointer :: y(:)
contains
  subroutine nothing(x) bind(c)
    integer(c_int), intent(inout) :: x(:)
    if (size(x) < 0) x = 0
  end subroutine
  subroutine of_rank_two(x) bind(c)
    integer(c_int), intent(inout) :: x(:, :)
    if (size(x) < 0) x = 0
  end subroutine
  subroutine of_reals(x) bind(c)
    real(c_double), intent(inout) :: x(:)
    if (size(x) < 0) x = 0
  end subroutine
  subroutine spawns_more(x) bind(c)
    integer(c_int), intent(inout) :: x(:)
    call myr_spawn(nothing, myr_inout(y)) ! footprint
    if (size(x) < 0) x = 0
  end subroutine
  subroutine fails(x) bind(c)
    integer(c_int), intent(inout) :: x(:)
    if (size(x) > 0) call myr_fail('this task fails')
  end subroutine
  subroutine range(first, last, x) bind(c)
    integer(c_int), intent(in) :: first, last
    integer(c_int), intent(inout) :: x(:)
    x(first:last) = 0
  end subroutine
end module

program mistakes
  use, intrinsic :: iso_c_binding
  use mistakes_bodies
  use myrmidon
  implicit none
  character(len=20) :: mistake
  integer(c_int), target :: eight(1, 1, 1, 1, 1, 1, 1, 1)
  integer(c_int), target, allocatable :: none(:), large(:, :)
  character(len=100) :: message
  integer :: status
  eight = 0
  message = ''
  call get_command_argument(1, mistake)
  print '(a)', 'before' ! it is printed, whatever comes
  select case (mistake)
  case ('rank')
    call myr_spawn(nothing, myr_inout(eight)) ! rank
  case ('unallocated')
    call myr_spawn(nothing, myr_inout(none)) ! unallocated
  case ('pieces')
    allocate (large(2, 70000))
    call myr_spawn(nothing, myr_inout(large(1, :))) ! pieces
  case ('value')
    call myr_spawn(nothing, myr_value(x)) ! value
  case ('part')
    call myr_spawn(nothing, myr_part(myr_inout(x))) ! part
  case ('loop')
    call myr_for(range, 0, 1000, myr_part(myr_inout(x))) ! loop
  case ('before')
    call myr_for(range, 1, 1000, myr_part(myr_inout(x), before=-1)) ! before
  case ('commutative')
    call myr_spawn(nothing, myr_commutative(myr_in(x))) ! commutative
  case ('footprint')
    call myr_allocate(y, [1000])
    call myr_spawn(spawns_more, myr_inout(x))
    call myr_wait()
  case ('failure')
    call myr_spawn(fails, myr_inout(x))
    call myr_wait() ! failure
  case ('lost')
    call myr_spawn(fails, myr_inout(x)) ! lost
    stop
  case ('machine')
    call myr_start('nowhere') ! machine
  case ('machine_stat')
    call myr_start('nowhere', stat=status, errmsg=message)
    print '(i0, 2a)', status, ' ', trim(message)
    stop
  case ('twice')
    call myr_start('serial')
    call myr_start('serial', stat=status, errmsg=message)
    print '(i0, 2a)', status, ' ', trim(message)
    stop
  case ('shape')
    call wrong_shape()
  case ('kind_of_body') ! with -fcheck=all
    call myr_spawn(of_reals, myr_inout(x)) ! with a message of gfortran's
    call myr_wait()
  case ('rank_of_body')
    call myr_spawn(of_rank_two, myr_inout(x))
    call myr_wait()
  end select
  print '(a)', 'nobody has said anything'
contains
  subroutine wrong_shape()
    real(c_double), pointer :: a(:, :)
    call myr_allocate(a, [3]) ! shape
  end subroutine
end program
