! SPDX-License-Identifier: Apache-2.0
!
! Each call of the module myrmidon, and each kind of argument.
module calls_bodies
  use, intrinsic :: iso_c_binding
  use myrmidon
  implicit none
  type, bind(c) :: point
    real(c_double) :: x, y
  end type
contains
  subroutine every_kind(i1, i2, i4, i8, r4, r8, c4, c8, l1, l4) bind(c)
    integer(c_int8_t), intent(inout) :: i1(:)
    integer(c_int16_t), intent(inout) :: i2(:)
    integer(c_int32_t), intent(inout) :: i4(:)
    integer(c_int64_t), intent(inout) :: i8(:)
    real(c_float), intent(inout) :: r4(:)
    real(c_double), intent(inout) :: r8(:)
    complex(c_float_complex), intent(inout) :: c4(:)
    complex(c_double_complex), intent(inout) :: c8(:)
    logical(c_bool), intent(inout) :: l1(:)
    logical, intent(inout) :: l4(:)
    i1 = i1 + 1_c_int8_t
    i2 = i2 + 1_c_int16_t
    i4 = i4 + 1
    i8 = i8 + 1
    r4 = r4 + 1
    r8 = r8 + 1
    c4 = c4 + (0, 1)
    c8 = c8 + (0, 1)
    l1 = .not. l1
    l4 = .not. l4
  end subroutine

  subroutine numbers(x) bind(c) ! 1, 2, ... in the order of Fortran
    real(c_double), intent(out) :: x(:, :)
    integer :: i, j
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = i + (j - 1) * size(x, 1)
      end do
    end do
  end subroutine

  subroutine seven(x) bind(c)
    integer(c_int), intent(inout) :: x(:, :, :, :, :, :, :)
    x = x + size(x)
  end subroutine

  subroutine values(i, r, z, t, list, p, table, got) bind(c)
    integer(c_int), intent(in) :: i
    real(c_double), intent(in) :: r
    complex(c_double_complex), intent(in) :: z
    logical, intent(in) :: t
    integer(c_int), intent(in) :: list(:)
    type(point), intent(in) :: p
    integer(c_int), intent(in) :: table(:, :)
    real(c_double), intent(out) :: got
    got = i + r + real(z) + aimag(z) + sum(list) + p%x + p%y + 1000 * table(1, 2)
    if (.not. t) got = -1
  end subroutine

  subroutine move_points(points, by) bind(c)
    type(point), intent(inout) :: points(3)
    real(c_double), intent(in) :: by
    points%x = points%x + by
  end subroutine

  subroutine build(region) bind(c)
    type(myr_region), intent(in) :: region
    real(c_double), pointer :: x(:)
    call myr_allocate(x, [1000], region)
    x = 1
  end subroutine

  recursive subroutine halves(x) bind(c)
    integer(c_int), intent(inout), target :: x(:)
    integer :: middle
    if (size(x) <= 4) then
      x = size(x)
      return
    end if
    middle = size(x) / 2
    call myr_spawn(halves, myr_inout(x(:middle)))
    call myr_spawn(halves, myr_inout(x(middle + 1:)))
  end subroutine

  subroutine blur(first, last, source, to) bind(c)
    integer(c_int), intent(in) :: first, last
    real(c_double), intent(in) :: source(0:)
    real(c_double), intent(out) :: to(:)
    integer :: i
    do i = first, last
      to(i) = (source(i - 1) + source(i) + source(i + 1)) / 3
    end do
  end subroutine

  subroutine columns(first, last, x, factor) bind(c)
    integer(c_int), intent(in) :: first, last, factor
    integer(c_int), intent(inout) :: x(:, -4:)
    integer :: j
    do j = first, last
      x(:, j) = factor * j
    end do
  end subroutine

  subroutine fail_if_negative(x) bind(c)
    integer(c_int), intent(in) :: x
    if (x < 0) call myr_fail('negative: the element of a test')
  end subroutine

  subroutine add(x, n) bind(c)
    integer(c_int), intent(inout) :: x
    integer(c_int), intent(in) :: n
    x = x + n
  end subroutine

  subroutine ask(x) bind(c) ! over when the answer is there
    integer(c_int), intent(out) :: x
    integer(myr_event) :: event
    event = myr_event_new()
    x = 1
    call myr_spawn(answer, myr_value(event))
  end subroutine

  subroutine answer(event) bind(c)
    integer(myr_event), intent(in) :: event
    call myr_event_complete(event)
  end subroutine

  subroutine sum_sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) bind(c)
    integer(c_int), intent(in) :: a, b, c, d, e, f, g, h, i, j, k, l, m, n, o
    integer(c_int), intent(out) :: p
    p = a + 2 * b + c + d + e + f + g + h + i + j + k + l + m + n + 15 * o
  end subroutine
end module

program calls
  use, intrinsic :: iso_c_binding
  use myrmidon
  use calls_bodies
  use expectations, only: check
  implicit none
  integer :: status
  call myr_start(stat=status)
  call check(status == 0, 'the machine starts')
  call check(myr_worker_count() >= 1 .and. myr_worker_index() >= 0, 'workers')
  call test_kinds()
  call test_sections()
  call test_values()
  call test_addresses()
  call test_regions()
  call test_loops()
  call test_failures()
  call test_ways()
  call test_steps()
  call test_events()
  call myr_finish()
  print '(a)', 'all right'

contains

  subroutine test_kinds()
    integer(c_int8_t), target :: i1(3) = 1
    integer(c_int16_t), target :: i2(3) = 2
    integer(c_int32_t), target :: i4(3) = 3
    integer(c_int64_t), target :: i8(3) = 4
    real(c_float), target :: r4(3) = 5
    real(c_double), target :: r8(3) = 6
    complex(c_float_complex), target :: c4(3) = 7
    complex(c_double_complex), target :: c8(3) = 8
    logical(c_bool), target :: l1(3) = .false.
    logical, target :: l4(3) = .true.
    call myr_spawn(every_kind, myr_inout(i1), myr_inout(i2), myr_inout(i4), myr_inout(i8), &
      myr_inout(r4), myr_inout(r8), myr_inout(c4), myr_inout(c8), myr_inout(l1), myr_inout(l4))
    call myr_wait()
    call check(all(i1 == 2) .and. all(i2 == 3) .and. all(i4 == 4) .and. all(i8 == 5), 'integers')
    call check(all(nint(r4) == 6) .and. all(nint(r8) == 7), 'reals')
    call check(all(abs(c4 - (7, 1)) < 0.1) .and. all(abs(c8 - (8, 1)) < 0.1), 'complex numbers')
    call check(all(l1) .and. .not. any(l4), 'logicals')
  end subroutine

  subroutine test_sections()
    real(c_double), target :: a(6, 5)
    real(c_double), allocatable, target :: none(:, :)
    integer(c_int), target :: x(100), big(2, 1, 2, 1, 2, 1, 2)
    a = 0
    call myr_spawn(numbers, myr_out(a(2:6:2, 5:1:-2))) ! rows 2 4 6 of columns 5 3 1
    call myr_spawn(numbers, myr_out(a(1:1, 2:2)))
    call myr_wait()
    call check(nint(a(4, 3)) == 5 .and. nint(a(6, 1)) == 9 .and. nint(a(2, 5)) == 1, 'a section')
    call check(nint(sum(a)) == 45 + 1, 'what is beside the section')
    allocate (none(0, 4))
    call myr_spawn(numbers, myr_out(none))
    x = 0
    call myr_spawn(halves, myr_inout(x))
    call myr_wait(myr_in(x))
    call check(all(x >= 3 .and. x <= 4), 'tasks in tasks')
    big = 1
    call myr_spawn(seven, myr_inout(big(:, :, 1:1, :, 2:2, :, :)))
    call myr_wait()
    call check(sum(big) == 16 + 4 * 4, 'seven dimensions')
  end subroutine

  subroutine test_values()
    real(c_double), target :: got
    integer(c_int) :: i, table(3, 3)
    integer(c_int), target :: p, one
    table = reshape([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3])
    i = 1
    call myr_spawn(values, myr_value(i), myr_value(0.5_c_double), &
      myr_value((1.0_c_double, 2.0_c_double)), myr_value(i > 0), myr_value([i, 2, 3]), &
      myr_value(point(10, 20)), myr_value(table(1:3:2, 2:3)), myr_out(got))
    i = 100 ! the task has its own
    table = 0
    call myr_wait()
    call check(abs(got - (1 + 0.5 + 3 + 6 + 30 + 7000)) < 1e-9, 'values')
    one = 1
    call myr_spawn(sum_sixteen, myr_in(one), myr_value(2), myr_in(one), myr_in(one), myr_in(one), &
      myr_in(one), myr_in(one), myr_in(one), myr_in(one), myr_in(one), myr_in(one), myr_in(one), &
      myr_in(one), myr_in(one), myr_value(3), myr_out(p))
    call myr_wait()
    call check(p == 13 + 4 + 45, 'sixteen arguments')
  end subroutine

  subroutine test_addresses()
    type(point), target :: points(3)
    points = point(1, 2)
    call myr_spawn(move_points, myr_inout(c_loc(points), 48_c_int64_t), myr_value(3.0_c_double))
    call myr_wait()
    call check(all(nint(points%x) == 4) .and. all(nint(points%y) == 2), 'a derived type')
  end subroutine

  subroutine test_regions()
    type(myr_region) :: region, inner
    integer(c_int), pointer :: x(:), s
    real(c_double), pointer :: a(:, :), nothing(:)
    type(point), pointer :: points(:)
    integer :: status
    character(len=40) :: message
    region = myr_region_new()
    inner = myr_region_new(region, level=0)
    call myr_allocate(x, [1000], region)
    call myr_allocate(a, [7_c_int64_t, 3_c_int64_t], inner)
    call myr_allocate(s, [integer ::], region)
    call myr_allocate(nothing, [0])
    call check(lbound(a, 1) == 1 .and. all(shape(a) == [7, 3]) .and. size(nothing) == 0, 'shapes')
    s = 0
    call myr_spawn(halves, myr_inout(x))
    call myr_spawn(numbers, myr_out(a))
    call myr_spawn(build, myr_inout(inner))
    call myr_spawn(add, myr_inout(s), myr_value(5))
    call myr_wait(myr_in(region))
    call c_f_pointer(myr_memory(32_c_int64_t, region), points, [2])
    points = point(1, 2)
    call check(nint(points(2)%y) == 2, 'memory for a derived type')
    call check(all(x <= 4) .and. nint(a(7, 3)) == 21 .and. s == 5, 'arrays in regions')
    call myr_allocate(nothing, [2_c_int64_t**60], region, stat=status, errmsg=message)
    call check(status /= 0 .and. index(message, 'memory') > 0, 'no memory')
    call myr_deallocate(x)
    call check(.not. associated(x), 'a freed array')
    call myr_region_cancel(inner)
    call myr_region_free(region)
    call check(.not. myr_cancelled(), 'nobody is cancelled')
  end subroutine

  subroutine test_loops()
    integer, parameter :: n = 10000
    real(c_double), allocatable, target :: source(:), to(:)
    integer(c_int), target :: x(3, -4:200)
    integer :: i, grain
    allocate (source(0:n + 1), to(n))
    source = [(real(i, c_double)**2, i = 0, n + 1)]
    do grain = 0, 1000, 500
      to = 0
      call myr_for(blur, 1, n, myr_part(myr_in(source), before=1, after=1), &
        myr_part(myr_out(to)), grain=grain)
      call myr_wait(myr_in(to))
      do i = 1, n
        call check(abs(to(i) - (real(i, c_double)**2 + 2.0_c_double / 3)) < 1e-6, 'a loop')
      end do
    end do
    x = 0
    call myr_for(columns, -3, 200, myr_part(myr_inout(x)), myr_value(10), grain=10)
    call myr_for(columns, 7, 6, myr_part(myr_inout(x)), myr_value(10))
    call myr_wait()
    do i = -4, 200
      call check(all(x(:, i) == merge(0, 10 * i, i == -4)), 'a loop over columns')
    end do
  end subroutine

  subroutine test_failures()
    integer(c_int), target :: x(3)
    integer :: i, status
    character(len=60) :: message
    x = [1, -1, -2]
    do i = 1, 3
      call myr_spawn(fail_if_negative, myr_in(x(i)))
    end do
    message = ''
    call myr_wait(stat=status, errmsg=message)
    call check(status /= 0 .and. message == 'negative: the element of a test', 'a failure')
    message = 'left alone'
    call myr_wait(stat=status, errmsg=message)
    call check(status == 0 .and. message == 'left alone', 'one that has been taken')
    x = -1
    call myr_spawn(fail_if_negative, myr_in(x(1)))
    call myr_wait(stat=status)
    call check(status /= 0, 'a failure without a text')
  end subroutine

  subroutine test_ways()
    integer(c_int), target :: x
    integer :: i
    x = 0
    do i = 1, 100
      call myr_spawn(add, myr_commutative(myr_inout(x)), myr_value(i), priority=i)
    end do
    call myr_wait(myr_in(x))
    call check(x == 5050, 'in any order')
    do while (.not. myr_is_ready(myr_inout(x)))
    end do
    call myr_spawn(add, myr_concurrent(myr_inout(x)), myr_value(-50))
    call myr_wait()
    call check(x == 5000, 'at the same time')
  end subroutine

  subroutine test_steps()
    integer(c_int), target :: x(2)
    type(myr_recording) :: recording
    integer :: step
    x = 0
    recording = myr_recording_new()
    do step = 1, 50
      call myr_step_begin(recording)
      call myr_spawn(add, myr_inout(x(1)), myr_value(step))
      call myr_spawn(add, myr_inout(x(2)), myr_in(x(1)))
      call myr_step_end(recording)
    end do
    call myr_recording_free(recording)
    call myr_wait()
    call check(x(1) == 1275 .and. x(2) == sum([(step * (step + 1) / 2, step = 1, 50)]), 'steps')
  end subroutine

  subroutine test_events()
    integer(c_int), target :: x
    call myr_spawn(ask, myr_out(x))
    call myr_wait(myr_in(x))
    call check(x == 1, 'an event')
  end subroutine
end program
