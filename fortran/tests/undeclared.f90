! SPDX-License-Identifier: Apache-2.0
!
! Two tasks change a variable that they have not declared: `myr check` says which, and where.
module bodies
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), target, save :: both(20) = 0, other(5) = 0
contains
  subroutine change(x) bind(c)
    real(c_double), intent(inout) :: x(:)
    x = x + 1
    ! Not declared:
    other(3) = other(3) + 1
  end subroutine
end module

program undeclared
  use bodies
  use myrmidon
  implicit none
  integer :: i
  do i = 1, 11, 10
    call myr_spawn(change, myr_inout(both(i:i + 9)))
  end do
  call myr_wait()
  print *, other(3)
end program
