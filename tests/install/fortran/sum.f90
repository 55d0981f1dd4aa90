! SPDX-License-Identifier: Apache-2.0
!
! The Fortran program of the install test: as sum.cpp of the project beside.
module sum_bodies
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine fill(values, factor) bind(c)
    integer(c_long), intent(out) :: values(0:)
    integer(c_int), intent(in) :: factor
    integer :: i
    values = [(int(factor, c_long) * i, i = 0, size(values) - 1)]
  end subroutine
  subroutine add(values, total) bind(c)
    integer(c_long), intent(in) :: values(:)
    integer(c_long), intent(inout) :: total
    total = total + sum(values)
  end subroutine
end module

program sums
  use sum_bodies
  use myrmidon
  implicit none
  integer(c_long), target :: values(1000, 16), total
  integer :: block
  total = 0
  do block = 1, 16
    call myr_spawn(fill, myr_out(values(:, block)), myr_value(block))
    call myr_spawn(add, myr_in(values(:, block)), myr_inout(total))
  end do
  call myr_wait(myr_in(total))
  print '(a, i0)', 'sum ', total
  call myr_wait()
end program
