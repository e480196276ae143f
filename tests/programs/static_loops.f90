! SPDX-License-Identifier: Apache-2.0
! Static loops of Fortran. The program writes which thread ran which iteration.
program loops
  use omp_lib
  implicit none
  integer :: n, i, j, last
  integer :: a(100), b(10,10), total
  integer(8) :: k
  n = 100
!$omp parallel do
  do i = 1, n
    a(i) = omp_get_thread_num()
  end do
!$omp end parallel do
  print *, a
!$omp parallel do schedule(static, 3)
  do k = n, 1, -2
    a(k) = 10 + omp_get_thread_num()
  end do
  print *, a
!$omp parallel do collapse(2) schedule(static, 7)
  do i = 1, 10
    do j = 1, 10
      b(j, i) = omp_get_thread_num()
    end do
  end do
  print *, b
  total = 0
!$omp parallel do simd reduction(+:total) lastprivate(last)
  do i = 1, n
    total = total + i
    last = i
  end do
  print *, total, last
!$omp parallel workshare
  a = a * 2
  b = 3
!$omp end parallel workshare
  print *, a
  call inner
  print *, a
contains
  subroutine inner
!$omp parallel
!$omp do schedule(static, 2)
    do i = 1, n
      a(i) = omp_get_thread_num() * 3
    end do
!$omp end do
!$omp do
    do i = 1, n
      a(i) = a(i) + omp_get_thread_num()
    end do
!$omp end parallel
  end subroutine
end program
