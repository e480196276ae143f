! SPDX-License-Identifier: Apache-2.0
!
! What workload.h is to the C workloads, for those in Fortran: options with sizes, a check that ends the program, and
! the final line.
module options
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  private
  public :: option, parse_arguments, check_wanted, expect, report

  ! A number; or, where `choices` is set (names joined by "|"), the position of the chosen name from 1.
  type :: option
    character(16) :: name = ''
    character(128) :: meaning = ''
    integer(int64) :: least = 0, most = 0
    integer(int64) :: preset(3) = 0
    character(160) :: choices = ''
    integer(int64) :: value = 0
  end type option

  character(6), parameter :: sizes(3) = [character(6) :: 'small', 'medium', 'large']
  character(32) :: program_name = ''
  character(6) :: size_label = 'small'
  logical :: check_flag = .true.

contains

  logical function check_wanted()
    check_wanted = check_flag
  end function check_wanted

  subroutine fail(status, message)
    integer, intent(in) :: status
    character(*), intent(in) :: message
    write (error_unit, '(3a)') trim(program_name), ': ', message
    call exit(status)
  end subroutine fail

  subroutine usage_error(message)
    character(*), intent(in) :: message
    call fail(2, message // '; see ' // trim(program_name) // ' --help')
  end subroutine usage_error

  ! Ends the program with status 1 and the message when the result is wrong.
  subroutine expect(ok, message)
    logical, intent(in) :: ok
    character(*), intent(in) :: message
    if (.not. ok) call fail(1, 'check failed: ' // message)
  end subroutine expect

  function text_of(number) result(text)
    integer(int64), intent(in) :: number
    character(:), allocatable :: text
    character(24) :: buffer
    write (buffer, '(i0)') number
    text = trim(buffer)
  end function text_of

  function argument(position) result(text)
    integer, intent(in) :: position
    character(:), allocatable :: text
    integer :: length
    call get_command_argument(position, length=length)
    allocate (character(length) :: text)
    call get_command_argument(position, text)
  end function argument

  ! The position of `name` in a list joined by "|", or 0.
  integer(int64) function choice_index(choices, name)
    character(*), intent(in) :: choices, name
    character(:), allocatable :: rest
    integer :: bar
    rest = trim(choices) // '|'
    choice_index = 0
    do while (len(rest) > 0)
      bar = index(rest, '|')
      choice_index = choice_index + 1
      if (rest(:bar - 1) == name) return
      rest = rest(bar + 1:)
    end do
    choice_index = 0
  end function choice_index

  subroutine print_help(about, known)
    character(*), intent(in) :: about
    type(option), intent(in) :: known(:)
    integer :: i
    print '(3a//a)', trim(program_name), ': ', about, 'Options (as --name VALUE or --name=VALUE):'
    do i = 1, size(known)
      print '(4a)', '  --', known(i)%name(:13), trim(known(i)%meaning)
      if (known(i)%choices /= '') then
        print '(17x,2a)', 'one of ', trim(known(i)%choices)
      else
        print '(17x,10a)', text_of(known(i)%least), '..', text_of(known(i)%most), '; small ', &
          text_of(known(i)%preset(1)), ', medium ', text_of(known(i)%preset(2)), ', large ', text_of(known(i)%preset(3))
      end if
    end do
    print '(a)', '  --size         small|medium|large: values for all options above that are not given; default small'
    print '(a)', '  --check        compare the result with a serial computation (default); exit status 1 if it is wrong'
    print '(a)', '  --no-check     do not'
    print '(a)', '  --help         print this'
    print '(a)', 'OMP_NUM_THREADS sets the number of threads.'
    call exit(0)
  end subroutine print_help

  subroutine set_value(known, text)
    type(option), intent(inout) :: known
    character(*), intent(in) :: text
    integer(int64) :: value
    integer :: status
    if (known%choices /= '') then
      known%value = choice_index(known%choices, text)
      if (known%value == 0) call usage_error('--' // trim(known%name) // " does not know '" // text // "'")
      return
    end if
    read (text, '(i32)', iostat=status) value
    if (status /= 0 .or. len(text) == 0) &
      call usage_error('--' // trim(known%name) // " wants a whole number, not '" // text // "'")
    if (value < known%least .or. value > known%most) &
      call usage_error('--' // trim(known%name) // ' must lie in ' // text_of(known%least) // '..' // &
                       text_of(known%most) // ', not ' // text)
    known%value = value
  end subroutine set_value

  subroutine use_size(known, text)
    type(option), intent(inout) :: known(:)
    character(*), intent(in) :: text
    integer :: i
    do i = 1, size(sizes)
      if (sizes(i) /= text) cycle
      known%value = known%preset(i)
      size_label = sizes(i)
      return
    end do
    call usage_error("--size must be small, medium or large, not '" // text // "'")
  end subroutine use_size

  ! Splits the argument at `position`, --name VALUE or --name=VALUE, and steps over it.
  subroutine next_pair(position, name, value)
    integer, intent(inout) :: position
    character(:), allocatable, intent(out) :: name, value
    integer :: equals
    name = argument(position)
    value = ''
    position = position + 1
    equals = index(name, '=')
    if (equals > 0) then
      value = name(equals + 1:)
      name = name(:equals - 1)
    else if (name == '--check' .or. name == '--no-check' .or. name == '--help' .or. name == '-h') then
      return
    else if (position <= command_argument_count()) then
      value = argument(position)
      position = position + 1
    else if (name(:min(2, len(name))) == '--') then
      call usage_error(name // ' wants a value, or is unknown')
    end if
  end subroutine next_pair

  subroutine apply(known, about, name, value)
    type(option), intent(inout) :: known(:)
    character(*), intent(in) :: about, name, value
    integer :: i
    select case (name)
    case ('--help', '-h'); call print_help(about, known)
    case ('--check'); check_flag = .true.
    case ('--no-check'); check_flag = .false.
    case ('--size')
    case default
      do i = 1, size(known)
        if (name /= '--' // trim(known(i)%name)) cycle
        call set_value(known(i), value)
        size_label = 'custom'
        return
      end do
      call usage_error("unknown argument '" // name // "'")
    end select
  end subroutine apply

  ! Reads the command line. --size is applied first, so that a number given anywhere overrides it.
  subroutine parse_arguments(name, about, known)
    character(*), intent(in) :: name, about
    type(option), intent(inout) :: known(:)
    character(:), allocatable :: key, value
    integer :: position
    program_name = name
    call use_size(known, 'small')
    position = 1
    do while (position <= command_argument_count())
      call next_pair(position, key, value)
      if (key == '--size') call use_size(known, value)
    end do
    position = 1
    do while (position <= command_argument_count())
      call next_pair(position, key, value)
      call apply(known, about, key, value)
    end do
  end subroutine parse_arguments

  ! The peak of this program alone, in KiB.
  integer(int64) function peak_rss_kib()
    character(256) :: line
    integer :: unit, status
    peak_rss_kib = 0
    open (newunit=unit, file='/proc/self/status', action='read', iostat=status)
    if (status /= 0) return
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line(:6) /= 'VmHWM:') cycle
      read (line(7:index(line, 'kB') - 1), *) peak_rss_kib
      exit
    end do
    close (unit)
  end function peak_rss_kib

  ! Prints the final line.
  subroutine report(time_s, threads, outcome)
    real(real64), intent(in) :: time_s
    integer, intent(in) :: threads
    integer(int64), intent(in) :: outcome
    character(24) :: time_text
    character(:), allocatable :: verdict
    write (time_text, '(f24.6)') time_s
    verdict = 'skipped'
    if (check_flag) verdict = 'ok'
    print '(12a)', trim(program_name), ' size=', trim(size_label), ' time_s=', trim(adjustl(time_text)), ' result=', &
      text_of(outcome), ' threads=', text_of(int(threads, int64)), ' peak_rss_kib=', text_of(peak_rss_kib()), &
      ' check=' // verdict
  end subroutine report

end module options
