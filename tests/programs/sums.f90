! SPDX-License-Identifier: Apache-2.0
! Runs a reduction over a dynamic loop, and tasks, from Fortran.
program sums
    use omp_lib
    implicit none
    integer, parameter :: steps = 100000
    integer :: i
    integer(8) :: sum, squares(10)
    sum = 0
    !$omp parallel do reduction(+:sum) schedule(dynamic, 1000)
    do i = 1, steps
        sum = sum + i
    end do
    !$omp parallel
    !$omp single
    do i = 1, 10
        !$omp task firstprivate(i)
        squares(i) = int(i, 8) * i
        !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    print '(i0, 1x, i0, 1x, i0)', sum, squares(10), omp_get_max_threads()
    if (any(squares /= [(int(i, 8) * i, i = 1, 10)])) stop 1
end program
