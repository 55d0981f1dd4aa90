! SPDX-License-Identifier: Apache-2.0
!
! For the tests: ends the program where something is not as it should be.
module expectations
  implicit none
contains
  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what
    if (is_right) return
    print '(2a)', 'wrong: ', what
    error stop
  end subroutine
end module
