! SPDX-License-Identifier: Apache-2.0
! clang: its module has one width of integers and logicals only
!
! The omp_lib functions that query and set values, in both widths of their integer and logical arguments.
program queries
  use check_module
  use omp_lib
  implicit none
  integer :: team
  integer(4) :: chunk
  integer(8) :: wide_chunk
  integer(omp_sched_kind) :: kind
  real(8) :: start
  call start_watchdog()
  team = omp_get_max_threads()
  start = omp_get_wtime()
  call check(omp_get_wtick() > 0, "tick")

  call omp_set_dynamic(.true._8)
  call check(omp_get_dynamic(), "dynamic")
  call omp_set_dynamic(.false.)
  call check(.not. omp_get_dynamic(), "not dynamic")

  call omp_set_schedule(omp_sched_guided, 5)
  call omp_get_schedule(kind, chunk)
  call check(kind == omp_sched_guided .and. chunk == 5, "schedule")
  call omp_set_schedule(omp_sched_dynamic, 6_8)
  call omp_get_schedule(kind, wide_chunk)
  call check(kind == omp_sched_dynamic .and. wide_chunk == 6, "schedule of 8 bytes")

  call omp_set_max_active_levels(3_8)
  call check(omp_get_max_active_levels() == 3, "levels of 8 bytes")
  call omp_set_max_active_levels(2)
  call check(omp_get_max_active_levels() == 2, "levels")
  call check(omp_get_supported_active_levels() >= 2, "supported levels")
  call check(omp_get_num_procs() >= 1, "processors")
  call check(omp_get_thread_limit() >= 1, "thread limit")
  call check(omp_get_max_task_priority() == 0, "priority")
  call check(.not. omp_get_cancellation(), "cancellation")
  call check(omp_get_proc_bind() == omp_proc_bind_false, "binding")
  call check(.not. omp_in_final(), "final")
  call check(.not. omp_in_parallel(), "parallel")

  call omp_set_num_threads(4_8)
  call check(omp_get_max_threads() == 4, "threads of 8 bytes")
  call omp_set_num_threads(3)
  !$omp parallel
  call check(omp_in_parallel(), "in parallel")
  call check(omp_get_num_threads() == 3, "threads")
  call check(omp_get_level() == 1 .and. omp_get_active_level() == 1, "level")
  call check(omp_get_team_size(1) == 3 .and. omp_get_team_size(1_8) == 3, "team size")
  call check(omp_get_ancestor_thread_num(1) == omp_get_thread_num(), "own number")
  call check(omp_get_ancestor_thread_num(0_8) == 0, "ancestor of 8 bytes")
  !$omp end parallel
  call omp_set_nested(.true.)
  call check(omp_get_nested(), "nested")
  call omp_set_nested(.false._8)
  call check(.not. omp_get_nested(), "not nested")
  call check(omp_get_wtime() >= start, "time")
  call check(team >= 1, "team")
end program
