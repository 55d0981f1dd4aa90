! SPDX-License-Identifier: Apache-2.0
! Right except for one line, whose item is read by the library's part of print: test_check.py.
program omp_fortran
  use omp_lib
  implicit none
  integer :: i, total, count, shared
  integer(omp_lock_kind) :: lock
  integer, dimension(200) :: values

  total = 0
  count = 0
  shared = 0
  call omp_init_lock(lock)
  !$omp parallel do reduction(+ : total) schedule(dynamic)
  do i = 1, 200
    values(i) = i
    total = total + values(i)
  end do
  !$omp end parallel do
  call omp_set_num_threads(4)
  !$omp parallel
  call omp_set_lock(lock)
  count = count + 1
  call omp_unset_lock(lock)
  !$omp single
  do i = 1, 10
    !$omp task depend(inout : total)
    total = total + 1
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print *, total, count
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) then
    shared = 1
  else
    print *, shared
  end if
  !$omp end parallel
end program
