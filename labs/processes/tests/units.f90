! SPDX-License-Identifier: Apache-2.0
!
! Cases in which several threads use Fortran's units.
program units
    use omp_lib
    implicit none
    character(20) :: which
    call get_command_argument(1, which)
    select case (which)
    case ('writes')
        call writes()
    case ('writes_own')
        call writes_own()
    case ('prints')
        call prints()
    case ('reads')
        call reads()
    case ('reads_own')
        call reads_own()
    case ('late')
        call late()
    end select
contains
    subroutine writes()
        integer :: i
        open (10, file='written')
!$omp parallel do
        do i = 0, 39
!$omp critical
            write (10, *) i, ' of the forty'
!$omp end critical
        end do
        close (10)
    end subroutine

    ! Each a file of its own, which stays open.
    subroutine writes_own()
        integer :: i, unit
        character(20) :: name
!$omp parallel private(unit, name)
        write (name, '(a,i0)') 'written', omp_get_thread_num()
        open (newunit=unit, file=name)
!$omp do
        do i = 0, 39
            write (unit, *) i, ' of the forty'
        end do
!$omp end parallel
    end subroutine

    subroutine prints()
        integer :: i
!$omp parallel do schedule(dynamic, 1)
        do i = 0, 399
!$omp critical
            print *, i
!$omp end critical
        end do
        print *, 'end', of_a_region() ! the unit is in use meanwhile
    end subroutine

    character(0) function of_a_region()
        integer :: sum
        sum = 0
!$omp parallel reduction(+:sum)
        sum = sum + 1
!$omp end parallel
        of_a_region = ''
        if (sum < 2) stop 1
    end function

    subroutine reads()
        integer :: number
        open (10, file='numbers')
!$omp parallel private(number)
        if (omp_get_thread_num() == 1) read (10, *) number
!$omp end parallel
    end subroutine

    ! All of a file, by a unit of each thread's own.
    subroutine reads_own()
        integer :: number, unit, status, sum
        sum = 0
!$omp parallel private(number, unit, status) reduction(+:sum)
        open (newunit=unit, file='numbers', action='read')
        do
            read (unit, *, iostat=status) number
            if (status /= 0) exit
            sum = sum + number
        end do
        close (unit)
!$omp end parallel
        print *, omp_get_max_threads(), sum
    end subroutine

    subroutine late()
        integer :: sum
        sum = 0
!$omp parallel reduction(+:sum)
        sum = sum + 1
!$omp end parallel
        open (11, file='written')
!$omp parallel
!$omp critical
        write (11, *) sum
!$omp end critical
!$omp end parallel
    end subroutine
end program
