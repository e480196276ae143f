! SPDX-License-Identifier: Apache-2.0
! clang: Flang 19 does not implement taskloop
!
! Tasks with dependences, taskgroup, taskloop, taskwait, recursive tasks, allocatable firstprivate.
program tasks
  use check_module
  use omp_lib
  implicit none
  integer :: x, i, total, ran
  integer, allocatable :: list(:)
  call start_watchdog()

  x = 0
  ran = 0
  total = 0
  allocate (list(50))
  !$omp parallel
  !$omp single
  do i = 1, 200
    !$omp task depend(inout: x) firstprivate(i) shared(x)
    call check(x == i - 1, "order of dependent tasks")
    x = i
    !$omp end task
  end do
  !$omp taskwait
  call check(x == 200, "last dependent task")

  !$omp taskgroup
  do i = 1, 50
    list = i
    !$omp task firstprivate(list, i) shared(ran)
    call check(size(list) == 50 .and. all(list == i), "captured array")
    !$omp atomic
    ran = ran + 1
    !$omp end task
  end do
  !$omp end taskgroup
  call check(ran == 50, "taskgroup")

  !$omp taskloop grainsize(5) reduction(+:total)
  do i = 1, 100
    total = total + i
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  call check(total == 5050, "taskloop")
  call check(fibonacci(12) == 144, "fibonacci outside of a region")
  !$omp parallel
  !$omp single
  total = fibonacci(12)
  !$omp end single
  !$omp end parallel
  call check(total == 144, "fibonacci")
  deallocate (list)

contains
  recursive function fibonacci(n) result(f)
    integer, intent(in) :: n
    integer :: f, a, b
    if (n < 2) then
      f = n
      return
    end if
    !$omp task shared(a)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b)
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function
end program
