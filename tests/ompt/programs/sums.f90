! SPDX-License-Identifier: Apache-2.0
! Fortran: loops, workshare, sections, tasks, critical, locks.
!
! count: work.loop_dynamic.begin T
! count: task_create.explicit 10
! count: schedule.complete 10
! count: acquired.critical T
! count: released.critical T
! count: acquired.lock T
! count: released.lock T
! count: lock_init.lock 1
! count: lock_destroy.lock 1
program sums
  use omp_lib
  implicit none
  integer :: i, total, entered, tasks
  integer(omp_lock_kind) :: lock
  total = 0
  entered = 0
  tasks = 0
  call omp_init_lock(lock)
  !$omp parallel
  !$omp do schedule(dynamic, 3) reduction(+:total)
  do i = 1, 20
    total = total + i
  end do
  !$omp end do
  !$omp critical
  entered = entered + 1
  !$omp end critical
  call omp_set_lock(lock)
  entered = entered + 1
  call omp_unset_lock(lock)
  !$omp single
  do i = 1, 10
    !$omp task shared(tasks)
    !$omp atomic
    tasks = tasks + 1
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  call omp_destroy_lock(lock)
  if (total /= 210 .or. tasks /= 10 .or. entered < 2) error stop
end program sums
