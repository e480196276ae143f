! SPDX-License-Identifier: Apache-2.0
!
! The lock routines: simple and nestable.
program locks
  use check_module
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer :: counted, nested, i, team
  call start_watchdog()
  call omp_set_dynamic(.false.)
  team = omp_get_max_threads()
  counted = 0
  nested = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  call check(omp_test_lock(lock), "a free lock")
  call check(.not. omp_test_lock(lock), "a held lock")
  call omp_unset_lock(lock)
  !$omp parallel private(i)
  do i = 1, 100
    call omp_set_lock(lock)
    counted = counted + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    call check(omp_test_nest_lock(nest) == 2, "nesting depth")
    nested = nested + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
  end do
  !$omp end parallel
  call check(counted == 100 * team, "simple lock")
  call check(nested == 100 * team, "nestable lock")
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
end program
