! SPDX-License-Identifier: Apache-2.0
!
! Used by every Fortran conformance program: check, which prints the place and ends the process, and a watchdog.
module check_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  interface
    function c_alarm(seconds) bind(c, name="alarm") result(left)
      import :: c_int
      integer(c_int), value :: seconds
      integer(c_int) :: left
    end function
    subroutine c_exit(status) bind(c, name="_exit")
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface
contains
  ! Must be called first. A hang is ended by the signal ALRM.
  subroutine start_watchdog()
    character(len=16) :: limit
    integer(c_int) :: seconds, left
    integer :: status
    seconds = 20
    call get_environment_variable("CHECK_WATCHDOG_S", limit, status=status)
    if (status == 0) read (limit, *) seconds
    left = c_alarm(seconds)
  end subroutine

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    write (error_unit, '(2a)') "failed: ", what
    flush (error_unit)
    call c_exit(1_c_int)
  end subroutine
end module
