! SPDX-License-Identifier: Apache-2.0
!
! Heat spreads in a rod: each task computes one band of it for one step, from its own elements and
! one of each neighbour. Nothing waits for a step as a whole. Compared with the same in serial.
module heat_bodies
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine smooth(left, here, right, next) bind(c)
    real(c_double), intent(in) :: left, here(:), right
    real(c_double), intent(out) :: next(:)
    integer :: i, n
    n = size(here)
    next(1) = (left + here(1) + here(2)) / 3
    do i = 2, n - 1
      next(i) = (here(i - 1) + here(i) + here(i + 1)) / 3
    end do
    next(n) = (here(n - 1) + here(n) + right) / 3
  end subroutine
end module

program heat
  use, intrinsic :: iso_c_binding
  use heat_bodies
  use myrmidon
  implicit none
  integer, parameter :: bands = 8, width = 1000, steps = 200, n = bands * width
  real(c_double), allocatable, target :: rod(:, :) ! one column is now, the other one next
  real(c_double), allocatable :: serial(:), next(:)
  integer :: step, band, first, last, now, then, i

  allocate (rod(0:n + 1, 2), serial(0:n + 1), next(0:n + 1))
  rod = 0
  rod(4 * width, 1) = 1000000
  serial = rod(:, 1)
  next = 0

  now = 1
  do step = 1, steps
    then = 3 - now
    do band = 1, bands
      first = (band - 1) * width + 1
      last = band * width
      call myr_spawn(smooth, myr_in(rod(first - 1, now)), myr_in(rod(first:last, now)), &
        myr_in(rod(last + 1, now)), myr_out(rod(first:last, then)))
    end do
    now = then
  end do

  do step = 1, steps
    do i = 1, n
      next(i) = (serial(i - 1) + serial(i) + serial(i + 1)) / 3
    end do
    serial = next
  end do

  call myr_wait()
  if (any(rod(:, now) /= serial)) error stop 'the rod is not what it is in serial'
  print '(f0.3)', rod(4 * width + 1, now)
end program
