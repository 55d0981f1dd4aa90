! SPDX-License-Identifier: Apache-2.0
!
! Does the compiler see what tasks write, behind the wait, and do tasks see what was written before
! the spawn? Compiled without optimisation and with much: each case gives the compiler a reason to
! keep a variable in a register, or to move an access across a call. Nothing is VOLATILE.
module visible_bodies
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine add_one(x) bind(c)
    integer(c_int), intent(inout) :: x
    x = x + 1
  end subroutine
  subroutine set_to(x, value) bind(c)
    integer(c_int), intent(out) :: x
    integer(c_int), intent(in) :: value
    x = value
  end subroutine
  subroutine copy(from, to) bind(c)
    integer(c_int), intent(in) :: from
    integer(c_int), intent(out) :: to
    to = from
  end subroutine
  subroutine fill(x, value) bind(c)
    real(c_double), intent(out) :: x(:)
    real(c_double), intent(in) :: value
    x = value
  end subroutine
  subroutine total(x, sum_of_x) bind(c)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: sum_of_x
    sum_of_x = sum(x)
  end subroutine
end module

module visible_state
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), target, save :: counter = 0
  real(c_double), target, allocatable, save :: field(:)
end module

program visible
  use, intrinsic :: iso_c_binding
  use myrmidon
  use visible_bodies
  use visible_state
  use expectations, only: check
  implicit none
  integer :: round
  do round = 1, 200
    call local_scalar(round)
    call before_the_spawn(round)
    call loop_until_done()
    call module_variable()
    call array_of_caller(round)
    call through_a_pointer(round)
    call wait_for_one(round)
    call section_beside_others(round)
  end do
  print '(a)', 'all seen'

contains

  ! The value before the spawn is a constant that the compiler knows.
  subroutine local_scalar(round)
    integer, intent(in) :: round
    integer(c_int), target :: x
    x = 5
    call myr_spawn(set_to, myr_out(x), myr_value(round))
    call myr_wait()
    call check(x == round, 'a local scalar')
    x = 7
    call myr_spawn(add_one, myr_inout(x))
    call myr_spawn(add_one, myr_inout(x))
    call myr_wait(myr_in(x))
    call check(x == 9, 'a local scalar, twice')
  end subroutine

  ! A store that nothing in this procedure reads.
  subroutine before_the_spawn(round)
    integer, intent(in) :: round
    integer(c_int), target :: from, to
    from = round
    call myr_spawn(copy, myr_in(from), myr_out(to))
    call myr_wait(myr_inout(from))
    from = -1
    call myr_wait()
    call check(to == round, 'a store before the spawn')
    call check(from == -1, 'a store behind the wait')
  end subroutine

  ! A load that an optimiser would take out of the loop.
  subroutine loop_until_done()
    integer(c_int), target :: x
    integer :: turn
    x = 0
    do turn = 1, 100
      if (x == 10) exit
      call myr_spawn(add_one, myr_inout(x))
      call myr_wait(myr_in(x))
    end do
    call check(turn == 11, 'a condition of a loop')
  end subroutine

  subroutine module_variable()
    integer(c_int) :: old
    old = counter
    call myr_spawn(add_one, myr_inout(counter))
    call myr_wait()
    call check(counter == old + 1, 'a variable of a module')
    field = [real(c_double) :: 1, 2, 3]
    call myr_spawn(fill, myr_out(field(2:3)), myr_value(8.0_c_double))
    call myr_wait()
    call check(all(nint(field) == [1, 8, 8]), 'an array of a module')
  end subroutine

  ! The task is spawned by one procedure and waited for by another: dummy arguments, which the
  ! compiler takes for different variables.
  subroutine array_of_caller(round)
    integer, intent(in) :: round
    real(c_double), target :: x(100), s
    integer :: i
    x = 1
    call spawn_fill(x, round)
    call spawn_total(x, s)
    call myr_wait()
    call check(nint(s) == 100 * round, 'what one task leaves to another')
    do i = 1, 100
      call check(nint(x(i)) == round, 'an array of the caller')
    end do
  end subroutine
  subroutine spawn_fill(x, round)
    real(c_double), intent(inout), target :: x(:)
    integer, intent(in) :: round
    call myr_spawn(fill, myr_out(x), myr_value(real(round, c_double)))
  end subroutine
  subroutine spawn_total(x, s)
    real(c_double), intent(in), target :: x(:)
    real(c_double), intent(inout), target :: s
    call myr_spawn(total, myr_in(x), myr_out(s))
  end subroutine

  subroutine through_a_pointer(round)
    integer, intent(in) :: round
    real(c_double), target :: x(10)
    real(c_double), pointer :: p(:)
    x = 0
    p => x(1:10:3)
    call myr_spawn(fill, myr_out(p), myr_value(real(round, c_double)))
    call myr_wait()
    call check(nint(x(1)) == round .and. nint(x(2)) == 0 .and. nint(x(4)) == round, 'a pointer')
  end subroutine

  ! One of two variables is free while the other's task may still run.
  subroutine wait_for_one(round)
    integer, intent(in) :: round
    integer(c_int), target :: x, y
    x = 0
    y = 0
    call myr_spawn(set_to, myr_out(x), myr_value(round))
    call myr_spawn(set_to, myr_out(y), myr_value(round + 1))
    call myr_wait(myr_inout(x))
    x = x * 2
    call myr_wait(myr_in(y))
    call check(x == 2 * round .and. y == round + 1, 'one of two')
    call myr_wait()
  end subroutine

  subroutine section_beside_others(round)
    integer, intent(in) :: round
    real(c_double), target :: x(4, 4)
    x = 1
    call myr_spawn(fill, myr_out(x(:, 2)), myr_value(real(round, c_double)))
    x(:, 3) = 3 ! the task leaves it alone
    call myr_wait()
    call check(nint(sum(x)) == 4 * (1 + round + 3 + 1), 'a section beside others')
  end subroutine
end program
