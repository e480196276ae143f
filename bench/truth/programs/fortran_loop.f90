! SPDX-License-Identifier: Apache-2.0
!
! The loop of loop.c with schedule(dynamic, 1), in Fortran.
program fortran_loop
    use iso_c_binding
    implicit none
    interface
        subroutine glue_begin(us, grains) bind(C)
            import :: c_double, c_int64_t
            real(c_double), value :: us
            integer(c_int64_t), value :: grains
        end subroutine
        subroutine glue_grain(grains, a) bind(C)
            import :: c_int64_t
            integer(c_int64_t), value :: grains, a
        end subroutine
        subroutine glue_region(ends) bind(C)
            import :: c_int
            integer(c_int), value :: ends
        end subroutine
        subroutine glue_end() bind(C)
        end subroutine
    end interface
    character(len=32) :: word
    real(c_double) :: us = 20
    integer(c_int64_t) :: grains = 200, i

    if (command_argument_count() >= 2) then
        call get_command_argument(1, word)
        read (word, *) us
        call get_command_argument(2, word)
        read (word, *) grains
    end if
    call glue_begin(us, grains)
    call glue_region(0)
    !$omp parallel do schedule(dynamic, 1)
    do i = 0, grains - 1
        if (i < grains - grains / 4) then
            call glue_grain(1_c_int64_t, i)
        else
            call glue_grain(3_c_int64_t, i)
        end if
    end do
    !$omp end parallel do
    call glue_region(1)
    call glue_end()
end program
