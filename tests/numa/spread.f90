! SPDX-License-Identifier: Apache-2.0
! A program in Fortran that cannot be changed: spread_fortran SPREAD NODES, as judge.h has them.
program spread
    use iso_c_binding
    implicit none

    interface
        subroutine judge_start(name, kind, nodes) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*), kind(*), nodes(*)
        end subroutine
        subroutine judge_block(name, block, bytes) bind(c)
            import :: c_char, c_ptr, c_size_t
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), value :: block
            integer(c_size_t), value :: bytes
        end subroutine
        function judge_end() bind(c) result(status)
            import :: c_int
            integer(c_int) :: status
        end function
    end interface

    character(len=200) :: kind, nodes
    real(8), allocatable, target :: matrix(:, :), vector(:)
    integer :: turn

    call get_command_argument(1, kind)
    call get_command_argument(2, nodes)
    call judge_start("Fortran" // c_null_char, trim(kind) // c_null_char, trim(nodes) // c_null_char)
    do turn = 1, 3
        allocate (matrix(600, 500))
        matrix = real(turn, 8)
        call judge_block("allocate" // c_null_char, c_loc(matrix), int(600 * 500 * 8, c_size_t))
        deallocate (matrix)
    end do
    allocate (vector(400000), source=1.0d0)
    call judge_block("allocate with a source" // c_null_char, c_loc(vector), int(400000 * 8, c_size_t))
    if (abs(sum(vector) - 400000.0d0) > 0.5d0) error stop "the sum is wrong"
    if (judge_end() /= 0) error stop "memory lies elsewhere"
end program
