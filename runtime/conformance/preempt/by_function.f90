! SPDX-License-Identifier: Apache-2.0
! env: OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=9 TEFF_PREEMPT=on
! stock: fails, a running task keeps its thread
! emulated: follows the code of x86-64; on AArch64 such a program is not preempted
! clang: Flang 19 does not implement these clauses of tasks
!
! As by_function.h, in Fortran: threadprivate variables of a module and of a common block.
module shared_state
  implicit none
  integer :: counter = 0
  integer :: in_block
  common /block/ in_block
  !$omp threadprivate(counter, /block/)
  integer :: begun = 0, created = 0, served = 0, disturbed = 0
contains
  integer function value_of(shared)
    integer, intent(in) :: shared
    !$omp atomic read
    value_of = shared
  end function

  subroutine wait_for(shared, least)
    integer, intent(in) :: shared, least
    do while (value_of(shared) < least)
    end do
  end subroutine

  subroutine compute_for_a_while()
    integer, volatile :: i
    do i = 1, 300000
    end do
  end subroutine

  subroutine note_disturbed(changed)
    logical, intent(in) :: changed
    if (changed) then
      !$omp atomic
      disturbed = disturbed + 1
    end if
  end subroutine

  subroutine begin(round)
    integer, intent(in) :: round
    !$omp atomic write
    begun = round
  end subroutine

  subroutine create_high(round)
    integer, intent(in) :: round
    call wait_for(begun, round)
    !$omp task priority(5)
    counter = counter + 1000
    in_block = in_block + 1000
    !$omp atomic
    served = served + 1
    !$omp end task
    !$omp atomic write
    created = round
    call wait_for(served, round)
  end subroutine

  subroutine in_module(round)
    integer, intent(in) :: round
    integer :: before
    !$omp task priority(1) firstprivate(round) private(before)
    before = counter
    call begin(round)
    call wait_for(created, round)
    call compute_for_a_while()
    call note_disturbed(counter /= before .or. value_of(served) >= round)
    !$omp end task
    call create_high(round)
  end subroutine

  subroutine in_common(round)
    integer, intent(in) :: round
    integer :: before
    !$omp task priority(1) firstprivate(round) private(before)
    before = in_block
    call begin(round)
    call wait_for(created, round)
    call compute_for_a_while()
    call note_disturbed(in_block /= before .or. value_of(served) >= round)
    !$omp end task
    call create_high(round)
  end subroutine

  subroutine computes(round)
    integer, intent(in) :: round
    !$omp task priority(1) firstprivate(round)
    call begin(round)
    call wait_for(served, round)
    !$omp end task
    call create_high(round)
  end subroutine
end module

program by_function
  use check_module
  use shared_state
  implicit none
  integer, parameter :: rounds = 60
  integer :: round
  call start_watchdog()
  !$omp parallel
  !$omp single
  do round = 1, rounds, 3
    call in_module(round)
    call in_common(round + 1)
    call computes(round + 2)
  end do
  !$omp end single
  !$omp end parallel
  call check(served == rounds, "all tasks have run")
  call check(disturbed == 0, "no task was disturbed")
end program
