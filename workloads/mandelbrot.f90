! SPDX-License-Identifier: Apache-2.0
!
! The Mandelbrot set, one loop iteration per row, under every loop schedule. Rows near the middle cost far more than
! those at the edge, so the schedule decides how evenly the threads are loaded.
program mandelbrot
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use omp_lib, only: omp_get_max_threads, omp_get_wtime
  use options
  implicit none

  character(*), parameter :: about = 'counts the iterations of z*z+c over a grid of the Mandelbrot set, one loop ' // &
    'iteration per row (the customary uneven loop), under every OpenMP loop schedule'
  character(*), parameter :: schedules = 'static|static-chunk|dynamic|dynamic-monotonic|dynamic-nonmonotonic|guided|' // &
    'guided-monotonic|guided-nonmonotonic|runtime|auto'
  type(option) :: known(4)
  integer :: rows, chunk, limit
  integer(int64) :: total
  integer(int64), allocatable :: counts(:)
  real(real64) :: start, time_s

  known(1) = option('rows', 'rows and columns of the grid', 1, 20000, [200, 800, 2000])
  known(2) = option('limit', 'most iterations per point', 1, 1000000, [200, 500, 1000])
  known(3) = option('chunk', 'iterations (rows) per chunk', 1, 20000, [4, 4, 4])
  known(4) = option('schedule', 'the schedule clause; runtime takes OMP_SCHEDULE', 1, 10, [3, 3, 3], schedules)
  call parse_arguments('mandelbrot', about, known)
  rows = int(known(1)%value)
  limit = int(known(2)%value)
  chunk = int(known(3)%value)

  allocate (counts(rows), source=0_int64)
  start = omp_get_wtime()
  call compute(int(known(4)%value))
  time_s = omp_get_wtime() - start
  total = sum(counts)
  if (check_wanted()) call check()
  call report(time_s, omp_get_max_threads(), total)

contains

  integer(int64) function row_iterations(row)
    integer, intent(in) :: row
    integer :: column, iteration
    complex(real64) :: c, z
    row_iterations = 0
    do column = 1, rows
      c = cmplx(-2 + 2.5_real64 * column / rows, -1.25_real64 + 2.5_real64 * row / rows, real64)
      z = 0
      do iteration = 1, limit
        z = z * z + c
        if (real(z)**2 + aimag(z)**2 > 4) exit
      end do
      row_iterations = row_iterations + min(iteration, limit)
    end do
  end function row_iterations

  ! A schedule is part of the directive, so each needs a loop of its own.
  subroutine compute(schedule)
    integer, intent(in) :: schedule
    integer :: row
    select case (schedule)
    case (1)
      !$omp parallel do schedule(static)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (2)
      !$omp parallel do schedule(static, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (3)
      !$omp parallel do schedule(dynamic, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (4)
      !$omp parallel do schedule(monotonic: dynamic, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (5)
      !$omp parallel do schedule(nonmonotonic: dynamic, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (6)
      !$omp parallel do schedule(guided, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (7)
      !$omp parallel do schedule(monotonic: guided, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (8)
      !$omp parallel do schedule(nonmonotonic: guided, chunk)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case (9)
      !$omp parallel do schedule(runtime)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    case default
      !$omp parallel do schedule(auto)
      do row = 1, rows
        counts(row) = row_iterations(row)
      end do
    end select
  end subroutine compute

  subroutine check()
    integer :: row
    character(64) :: message
    do row = 1, rows
      write (message, '(a,i0,a,i0)') 'row ', row, ' took iterations: ', counts(row)
      call expect(counts(row) == row_iterations(row), trim(message))
    end do
  end subroutine check

end program mandelbrot
