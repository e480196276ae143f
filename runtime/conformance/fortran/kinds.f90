! SPDX-License-Identifier: Apache-2.0
!
! The routines of omp_lib with the module's own kinds, threadprivate data with copyin, tasks,
! and constructs that exchange values. Flang's module has other kinds than gfortran's
! for some arguments; here each variable has the kind that the module names.
program kinds
  use omp_lib
  use check_module
  implicit none
  integer, save :: own = 7
  !$omp threadprivate(own)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest_lock
  integer(omp_sched_kind) :: kind
  integer :: chunk, count, i
  real(8) :: total, from
  logical :: was_dynamic
  call start_watchdog()

  call omp_set_num_threads(3)
  call omp_set_schedule(omp_sched_guided, 5)
  call omp_get_schedule(kind, chunk)
  call check(iand(kind, 7) == omp_sched_guided .and. chunk == 5, "schedule")
  was_dynamic = omp_get_dynamic()
  call omp_set_dynamic(.true.)
  call check(omp_get_dynamic(), "dynamic")
  call omp_set_dynamic(was_dynamic)
  from = omp_get_wtime()
  call check(omp_get_wtick() > 0d0 .and. omp_get_wtime() >= from, "clock")
  call check(.not. omp_in_parallel() .and. omp_get_level() == 0, "outside a region")

  own = 11
  count = 0
  total = 0
  !$omp parallel copyin(own) reduction(+ : count, total)
  count = count + own + omp_get_thread_num()
  total = total + 0.5d0 * omp_get_num_threads()
  own = own + 1
  !$omp end parallel
  call check(count == 3 * 11 + 3 .and. abs(total - 4.5d0) < 1d-12, "copyin and reductions")

  call omp_init_lock(lock)
  call omp_init_nest_lock(nest_lock)
  count = 0
  !$omp parallel do schedule(runtime)
  do i = 1, 100
    call omp_set_lock(lock)
    call omp_set_nest_lock(nest_lock)
    call omp_set_nest_lock(nest_lock)
    count = count + 1
    call omp_unset_nest_lock(nest_lock)
    call omp_unset_nest_lock(nest_lock)
    call omp_unset_lock(lock)
  end do
  !$omp end parallel do
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest_lock)
  call check(count == 100, "locks")

  count = 0
  !$omp parallel
  !$omp single
  do i = 1, 40
    !$omp task shared(count)
    !$omp atomic
    count = count + 1
    !$omp end task
  end do
  !$omp taskwait
  call check(count == 40, "tasks")
  !$omp taskgroup
  !$omp task shared(count)
  !$omp atomic
  count = count + 1
  !$omp end task
  !$omp end taskgroup
  call check(count == 41, "a group of tasks")
  !$omp end single
  !$omp end parallel

  count = 0
  !$omp parallel
  !$omp critical (counter)
  count = count + 1
  !$omp end critical (counter)
  !$omp barrier
  !$omp sections
  !$omp section
  !$omp atomic
  count = count + 10
  !$omp section
  !$omp atomic
  count = count + 100
  !$omp end sections
  !$omp end parallel
  call check(count == 113, "critical and sections")
end program kinds
