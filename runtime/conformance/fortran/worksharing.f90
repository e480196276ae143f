! SPDX-License-Identifier: Apache-2.0
!
! parallel do with all schedules, ordered, sections, workshare, reductions, critical, single.
program worksharing
  use check_module
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  integer :: i, j, total, next, team
  integer(8) :: wide
  real(8) :: a(n), b(n)
  call start_watchdog()
  call omp_set_dynamic(.false.)
  team = omp_get_max_threads()

  total = 0
  !$omp parallel do schedule(dynamic, 7) reduction(+:total)
  do i = 1, n
    total = total + i
  end do
  call check(total == n * (n + 1) / 2, "dynamic sum")

  wide = 0
  !$omp parallel do schedule(guided) reduction(+:wide) collapse(2)
  do i = 1, 30
    do j = 30, 1, -2
      wide = wide + i * j
    end do
  end do
  call check(wide == 465_8 * 240, "collapsed sum")

  next = 1
  !$omp parallel do ordered schedule(static, 3)
  do i = 1, 100
    !$omp ordered
    call check(i == next, "ordered")
    next = next + 1
    !$omp end ordered
  end do

  !$omp parallel workshare
  a = 2.0d0
  b = a * 3.0d0
  !$omp end parallel workshare
  call check(all(b == 6.0d0), "workshare")

  total = 0
  next = 0
  !$omp parallel private(i)
  !$omp sections
  !$omp section
  !$omp atomic
  total = total + 1
  !$omp section
  !$omp atomic
  total = total + 10
  !$omp end sections
  !$omp critical (counter)
  total = total + 100
  !$omp end critical (counter)
  !$omp barrier
  !$omp single
  i = 42
  next = next + 1
  !$omp end single copyprivate(i)
  call check(i == 42, "copyprivate")
  !$omp end parallel
  call check(total == 11 + 100 * team, "sections and critical")
  call check(next == 1, "single")
end program
