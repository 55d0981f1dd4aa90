! SPDX-License-Identifier: Apache-2.0
!
! What a task costs: nanoseconds from its spawn to the end of the wait for all, with bodies that do
! next to nothing. The best of five runs. No test: it asserts no time.
module cost_bodies
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine add_one(x) bind(c)
    integer(c_int), intent(inout) :: x
    x = x + 1
  end subroutine
  subroutine add_to_first(x) bind(c)
    real(c_double), intent(inout) :: x(:)
    x(1) = x(1) + 1
  end subroutine
  subroutine add_to_tile(x) bind(c)
    real(c_double), intent(inout) :: x(:, :)
    x(1, 1) = x(1, 1) + 1
  end subroutine
  subroutine add_product(a, b, c, factor) bind(c)
    real(c_double), intent(in) :: a(:), b(:), factor
    real(c_double), intent(inout) :: c(:)
    c(1) = c(1) + factor * a(1) * b(1)
  end subroutine
end module

program cost
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use cost_bodies
  use myrmidon
  implicit none
  integer, parameter :: tasks = 100000, places = 1000
  integer(c_int), target, save :: one(16, places)
  real(c_double), target, save :: array(64, places), tile(64, 64)
  real(c_double), target, save :: a(64), b(64)
  character(len=*), parameter :: kinds(5) = [character(len=40) :: 'a scalar', &
    'a chain of one scalar', 'a contiguous section', 'a tile of 16 columns', &
    'three arrays and a value']
  integer :: kind, run, i
  integer(int64) :: begin, end, rate
  real(c_double) :: best
  one = 0
  array = 0
  tile = 0
  a = 1
  b = 1
  do kind = 1, size(kinds)
    best = huge(best)
    do run = 1, 5
      call system_clock(begin, rate)
      do i = 1, tasks
        select case (kind)
        case (1)
          call myr_spawn(add_one, myr_inout(one(1, mod(i, places) + 1)))
        case (2)
          call myr_spawn(add_one, myr_inout(one(1, 1)))
        case (3)
          call myr_spawn(add_to_first, myr_inout(array(:, mod(i, places) + 1)))
        case (4)
          call myr_spawn(add_to_tile, myr_inout(tile(1 + 32 * mod(i, 2):32 + 32 * mod(i, 2), 1:16)))
        case (5)
          call myr_spawn(add_product, myr_in(a), myr_in(b), &
            myr_inout(array(:, mod(i, places) + 1)), myr_value(2.0_c_double))
        end select
      end do
      call myr_wait()
      call system_clock(end)
      best = min(best, real(end - begin, c_double) / real(rate, c_double) * 1e9 / tasks)
    end do
    print '(a40, f8.0, a)', kinds(kind), best, ' ns'
  end do
end program
