! SPDX-License-Identifier: Apache-2.0
!
! The Cholesky decomposition of a matrix in one array, tile by tile: a tile is a section of it, and
! each task waits for the tiles that it reads. Compared with the same in serial, column by column.
module cholesky_bodies
  use, intrinsic :: iso_c_binding
  implicit none
contains
  pure subroutine factor(a) bind(c)
    real(c_double), intent(inout) :: a(:, :)
    integer :: j, n
    n = size(a, 1)
    do j = 1, n
      a(j, j) = sqrt(a(j, j) - dot_product(a(j, :j - 1), a(j, :j - 1)))
      a(j + 1:, j) = (a(j + 1:, j) - matmul(a(j + 1:, :j - 1), a(j, :j - 1))) / a(j, j)
      a(:j - 1, j) = 0
    end do
  end subroutine

  subroutine solve(diagonal, a) bind(c)
    real(c_double), intent(in) :: diagonal(:, :)
    real(c_double), intent(inout) :: a(:, :)
    integer :: j
    do j = 1, size(a, 2)
      a(:, j) = (a(:, j) - matmul(a(:, :j - 1), diagonal(j, :j - 1))) / diagonal(j, j)
    end do
  end subroutine

  subroutine update(left, right, a) bind(c)
    real(c_double), intent(in) :: left(:, :), right(:, :)
    real(c_double), intent(inout) :: a(:, :)
    a = a - matmul(left, transpose(right))
  end subroutine

  subroutine update_diagonal(left, a) bind(c)
    real(c_double), intent(in) :: left(:, :)
    real(c_double), intent(inout) :: a(:, :)
    a = a - matmul(left, transpose(left))
  end subroutine
end module

program cholesky
  use, intrinsic :: iso_c_binding
  use cholesky_bodies
  use myrmidon
  implicit none
  integer, parameter :: tiles = 8, width = 48, n = tiles * width
  real(c_double), allocatable, target :: a(:, :)
  real(c_double), allocatable :: serial(:, :)
  real(c_double) :: difference
  integer :: i, j, k

  allocate (a(n, n))
  do j = 1, n
    a(:, j) = [(1.0_c_double / (1 + abs(i - j)), i = 1, n)]
    a(j, j) = 10
  end do
  serial = a

  do k = 1, tiles
    call myr_spawn(factor, myr_inout(a(first(k):last(k), first(k):last(k))))
    do i = k + 1, tiles
      call myr_spawn(solve, myr_in(a(first(k):last(k), first(k):last(k))), &
        myr_inout(a(first(i):last(i), first(k):last(k))))
    end do
    do i = k + 1, tiles
      call myr_spawn(update_diagonal, myr_in(a(first(i):last(i), first(k):last(k))), &
        myr_inout(a(first(i):last(i), first(i):last(i))))
      do j = k + 1, i - 1
        call myr_spawn(update, myr_in(a(first(i):last(i), first(k):last(k))), &
          myr_in(a(first(j):last(j), first(k):last(k))), &
          myr_inout(a(first(i):last(i), first(j):last(j))))
      end do
    end do
  end do

  call factor(serial)
  call myr_wait()
  difference = 0
  do j = 1, n
    difference = max(difference, maxval(abs(a(j:, j) - serial(j:, j))))
  end do
  print '(a)', merge('right', 'wrong', difference < 1e-10)

contains

  integer function first(tile)
    integer, intent(in) :: tile
    first = (tile - 1) * width + 1
  end function

  integer function last(tile)
    integer, intent(in) :: tile
    last = tile * width
  end function
end program
