! SPDX-License-Identifier: Apache-2.0
!
! What gfortran makes of OpenMP, on Myrmidon's library: calls that C programs do not make, or make
! otherwise, such as WORKSHARE, reductions of arrays and procedures of omp_lib.
module omp_state
  implicit none
  integer :: own = 0
  !$omp threadprivate(own)
  type :: pair
    integer :: low = huge(0), high = -huge(0)
  end type
  interface operator(.joined.)
    procedure joined
  end interface
  !$omp declare reduction(.joined. : pair : omp_out = omp_out .joined. omp_in) &
  !$omp   initializer(omp_priv = pair())
contains
  pure type(pair) function joined(a, b)
    type(pair), intent(in) :: a, b
    joined = pair(min(a%low, b%low), max(a%high, b%high))
  end function
  recursive subroutine fib(n, x)
    integer, intent(in) :: n
    integer, intent(out) :: x
    integer :: a, b
    if (n < 2) then
      x = n
      return
    end if
    !$omp task shared(a) final(n < 6) mergeable
    call fib(n - 1, a)
    !$omp end task
    !$omp task shared(b)
    call fib(n - 2, b)
    !$omp end task
    !$omp taskwait
    x = a + b
  end subroutine
end module

program omp
  use omp_lib
  use omp_state
  use expectations, only: check
  implicit none
  integer :: round
  do round = 1, 20
    call loops()
    call reductions()
    call workshares()
    call tasks()
    call dependences()
    call taskloops()
    call doacross()
    call ordered_loop()
    call threads_own()
    call locks()
    call cancelled()
    call nested()
  end do
  print '(a)', 'all right'
contains

  subroutine loops()
    integer :: hits(1000), i, j, last, table(30, 20)
    integer(8) :: k, sum_of_long
    hits = 0
    !$omp parallel
    !$omp do schedule(static, 7)
    do i = 1, 1000
      hits(i) = hits(i) + 1
    end do
    !$omp end do
    !$omp do schedule(dynamic, 3)
    do i = 1000, 1, -1
      hits(i) = hits(i) + 1
    end do
    !$omp end do nowait
    !$omp barrier
    !$omp do schedule(guided) lastprivate(last)
    do i = 1, 1000
      hits(i) = hits(i) + 1
      last = i
    end do
    !$omp do schedule(runtime)
    do i = 1, 1000, 3
      hits(i) = hits(i) + 1
    end do
    !$omp do collapse(2) schedule(dynamic)
    do j = 1, 20
      do i = 1, 30
        table(i, j) = i * j
      end do
    end do
    !$omp end parallel
    call check(sum(hits) == 3334 .and. last == 1000, 'loops')
    call check(sum(table) == 465 * 210, 'a loop of two')
    sum_of_long = 0
    !$omp parallel do schedule(dynamic, 1000) reduction(+ : sum_of_long)
    do k = 5000000000_8, 5000010000_8, 2_8
      sum_of_long = sum_of_long + (k - 5000000000_8)
    end do
    call check(sum_of_long == 25005000, 'a loop of long integers')
  end subroutine

  subroutine reductions()
    use omp_state, only: pair, joined, operator(.joined.)
    integer :: i, total, lowest, bits, histogram(0:9)
    integer, allocatable :: grown(:)
    logical :: all_even
    complex(8) :: z
    type(pair) :: range
    total = 1
    lowest = 100
    bits = 0
    histogram = 0
    all_even = .true.
    z = 0
    range = pair()
    allocate (grown(4), source=0)
    !$omp parallel do reduction(+ : total, histogram, z, grown) reduction(min : lowest) &
    !$omp   reduction(ior : bits) reduction(.and. : all_even) reduction(.joined. : range)
    do i = 1, 100
      total = total + i
      histogram(mod(i, 10)) = histogram(mod(i, 10)) + 1
      lowest = min(lowest, abs(i - 50))
      bits = ior(bits, i)
      all_even = all_even .and. mod(2 * i, 2) == 0
      z = z + cmplx(i, -i, 8)
      range = joined(range, pair(i, i))
      grown(mod(i, 4) + 1) = grown(mod(i, 4) + 1) + 1
    end do
    call check(total == 5051 .and. all(histogram == 10) .and. lowest == 0 .and. bits == 127, 'sums')
    call check(all_even .and. nint(real(z)) == 5050 .and. all(grown == 25), 'other sums')
    call check(range%low == 1 .and. range%high == 100, 'a reduction of our own')
    total = 0
    !$omp parallel do reduction(inscan, + : total)
    do i = 1, 1
      total = total + i
      !$omp scan inclusive(total)
      bits = total
    end do
    call check(total == 1, 'a scan')
  end subroutine

  subroutine workshares()
    real(8) :: a(200, 30), b(200, 30), rows(30)
    integer :: i, total
    total = 0
    !$omp parallel shared(a, b, rows, total)
    !$omp workshare
    a = 2
    b(:, :) = a + 1
    where (b > 2.5d0)
      a = b * 2
    elsewhere
      a = -1
    end where
    forall (i=1:30) rows(i) = sum(a(:, i)) + i
    !$omp atomic
    total = total + 1
    !$omp end workshare
    !$omp end parallel
    call check(all(nint(a) == 6) .and. all(nint(rows) == [(1200 + i, i = 1, 30)]), 'workshare')
    call check(total == 1, 'an atomic update in a workshare')
  end subroutine

  subroutine tasks()
    integer :: x, i, total
    !$omp parallel
    !$omp single
    call fib(13, x)
    !$omp end single
    !$omp end parallel
    call check(x == 233, 'tasks in tasks')
    total = 0
    !$omp parallel
    !$omp single
    !$omp taskgroup task_reduction(+ : total)
    do i = 1, 50
      !$omp task in_reduction(+ : total) firstprivate(i) priority(i)
      total = total + i
      !$omp end task
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
    call check(total == 1275, 'a reduction of tasks')
  end subroutine

  subroutine dependences()
    integer :: x(10), y, i, step, total
    x = 0
    y = 0
    total = 0
    !$omp parallel
    !$omp master
    do step = 1, 20
      do i = 2, 10
        !$omp task depend(in : x(i - 1)) depend(inout : x(i)) firstprivate(i) shared(x)
        x(i) = x(i) + x(i - 1) + 1
        !$omp end task
      end do
    end do
    do i = 1, 10
      !$omp task depend(mutexinoutset : y) shared(y) firstprivate(i)
      y = y + i
      !$omp end task
    end do
    !$omp task depend(iterator(i = 1 : 10), in : x(i)) depend(in : y) shared(x, y, total)
    total = x(2) + y
    !$omp end task
    !$omp taskwait depend(in : y)
    !$omp end master
    !$omp end parallel
    call check(total == 20 + 55, 'dependences')
  end subroutine

  subroutine taskloops()
    integer :: hits(500), i, j, total
    hits = 0
    total = 0
    !$omp parallel
    !$omp single
    !$omp taskloop grainsize(13) reduction(+ : total)
    do i = 1, 500
      hits(i) = hits(i) + 1
      total = total + i
    end do
    !$omp taskloop num_tasks(9) collapse(2) nogroup
    do i = 1, 50
      do j = 1, 10
        hits(10 * (i - 1) + j) = hits(10 * (i - 1) + j) + 1
      end do
    end do
    !$omp end single
    !$omp end parallel
    call check(all(hits == 2) .and. total == 125250, 'taskloops')
  end subroutine

  subroutine doacross()
    integer :: a(0:40, 0:30), i, j
    a = 1
    !$omp parallel do ordered(2) schedule(dynamic) collapse(1)
    do j = 1, 30
      do i = 1, 40
        !$omp ordered depend(sink : j - 1, i) depend(sink : j, i - 1)
        a(i, j) = mod(a(i - 1, j) + a(i, j - 1), 1009)
        !$omp ordered depend(source)
      end do
    end do
    !$omp end parallel do
    call check(a(2, 2) == 6 .and. a(40, 1) == 41 .and. a(1, 30) == 31, 'doacross')
  end subroutine

  subroutine ordered_loop()
    integer :: order(100), place, i
    place = 0
    !$omp parallel do ordered schedule(dynamic)
    do i = 1, 100
      !$omp ordered
      place = place + 1
      order(place) = i
      !$omp end ordered
    end do
    call check(all(order == [(i, i = 1, 100)]), 'ordered')
  end subroutine

  subroutine threads_own()
    integer :: given, total, sections_done
    integer :: block_value
    common /block/ block_value
    !$omp threadprivate(/block/)
    own = 5
    block_value = 7
    total = 0
    sections_done = 0
    !$omp parallel copyin(own, /block/) private(given) reduction(+ : total, sections_done)
    !$omp single
    given = 11
    !$omp end single copyprivate(given)
    own = own + omp_get_thread_num()
    if (own == 5 + omp_get_thread_num() .and. block_value == 7 .and. given == 11) total = total + 1
    !$omp sections
    !$omp section
    sections_done = sections_done + 1
    !$omp section
    sections_done = sections_done + 10
    !$omp section
    sections_done = sections_done + 100
    !$omp end sections
    total = total * merge(1, 0, omp_in_parallel() .or. omp_get_num_threads() == 1)
    !$omp end parallel
    call check(total >= 1 .and. sections_done == 111, 'variables of threads')
    call check(own == 5, 'that of the first')
  end subroutine

  subroutine locks()
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind), volatile :: nests(3)  ! what is beside them stays as it was
    integer :: counter, nested_counter, named, i
    counter = 0
    nested_counter = 0
    named = 0
    nests = 42
    call omp_init_lock(lock)
    call omp_init_nest_lock(nests(2))
    !$omp parallel do
    do i = 1, 200
      call omp_set_lock(lock)
      counter = counter + 1
      call omp_unset_lock(lock)
      call omp_set_nest_lock(nests(2))
      if (omp_test_nest_lock(nests(2)) == 2) then
        nested_counter = nested_counter + 1
        call omp_unset_nest_lock(nests(2))
      end if
      call omp_unset_nest_lock(nests(2))
      !$omp critical (name)
      named = named + 1
      !$omp end critical (name)
    end do
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nests(2))
    call check(counter == 200 .and. nested_counter == 200 .and. named == 200, 'locks')
    call check(nests(1) == 42 .and. nests(3) == 42, 'what is beside a lock')
  end subroutine

  subroutine cancelled()
    integer :: i, found
    found = 0
    !$omp parallel
    !$omp do schedule(dynamic)
    do i = 1, 1000
      if (i == 10) then
        !$omp atomic write
        found = i
        !$omp cancel do
      end if
      !$omp cancellation point do
    end do
    !$omp end do
    !$omp end parallel
    call check(found == 10, 'cancel')
  end subroutine

  subroutine nested()
    integer :: total
    total = 0
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(2) reduction(+ : total)
    !$omp parallel num_threads(2) reduction(+ : total)
    total = total + omp_get_level()
    !$omp end parallel
    !$omp end parallel
    call omp_set_max_active_levels(1)
    call check(mod(total, 2) == 0 .and. total >= 2, 'regions in regions')
  end subroutine
end program
