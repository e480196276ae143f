! SPDX-License-Identifier: Apache-2.0
!
! The map kinds of Fortran that descriptors.f90 does not have.
program kinds
  use omp_lib
  use iso_c_binding
  implicit none
  integer :: failures = 0
  call always()
  call late_allocation()
  call pointers()
  call addresses()
  call optional_arguments(3)
  if (failures == 0) print '(i0, a)', omp_get_num_devices(), " devices, ok"
  if (failures /= 0) stop 1
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print *, "wrong: ", what
    failures = failures + 1
  end subroutine

  subroutine always()
    real, allocatable :: grid(:, :)
    real :: seen
    allocate (grid(4, 3), source=1.0)
    !$omp target enter data map(to: grid)
    grid(2, 2) = 5
    !$omp target map(always, to: grid) map(from: seen)
    seen = grid(2, 2)
    grid(3, 3) = 6
    !$omp end target
    call check(seen == 5, "always, to")
    !$omp target map(always, from: grid)
    grid(1, 1) = 7
    !$omp end target
    call check(grid(3, 3) == 6 .and. grid(1, 1) == 7, "always, from")
    !$omp target exit data map(release: grid)
  end subroutine

  ! Allocated while the descriptor is present.
  subroutine late_allocation()
    integer, allocatable :: array(:)
    !$omp target data map(tofrom: array)
    allocate (array, source=[1, 2, 3])
    !$omp target
    if (allocated(array)) array = 2*array
    !$omp end target
    !$omp end target data
    call check(all(array == [2, 4, 6]), "allocated in a data region")
  end subroutine

  subroutine pointers()
    integer, target :: first(4), second(6)
    integer, pointer :: to(:)
    logical :: associates
    first = 1
    second = 2
    to => first
    !$omp target data map(tofrom: first, second)
    !$omp target
    to(2) = 10
    !$omp end target
    to => second
    !$omp target map(tofrom: to)
    to(6) = 20
    !$omp end target
    !$omp end target data
    call check(first(2) == 10 .and. second(6) == 20, "a pointer with another target")
    nullify (to)
    !$omp target map(from: associates)
    associates = associated(to)
    !$omp end target
    call check(.not. associates, "a pointer without target")
  end subroutine

  subroutine addresses()
    integer, target :: array(4)
    integer, allocatable, target :: block(:)
    integer :: total
    array = [1, 2, 3, 4]
    allocate (block, source=[5, 6])
    total = 0
    !$omp target data map(to: array, block) use_device_addr(array, block)
    call sum_there(c_loc(array), c_loc(block), total)
    !$omp end target data
    call check(total == 21, "use_device_addr")
  end subroutine

  subroutine sum_there(array, block, total)
    type(c_ptr) :: array, block
    integer :: total
    !$omp target is_device_ptr(array, block) map(tofrom: total)
    total = sum_at(array, 4) + sum_at(block, 2)
    !$omp end target
  end subroutine

  integer function sum_at(address, count)
    !$omp declare target
    type(c_ptr), value :: address
    integer, value :: count
    integer, pointer :: numbers(:)
    call c_f_pointer(address, numbers, [count])
    sum_at = sum(numbers)
  end function

  subroutine optional_arguments(given, absent)
    integer, optional :: given, absent
    integer :: number
    number = 0
    !$omp target map(to: given, absent) map(tofrom: number)
    if (present(given)) number = number + given
    if (present(absent)) number = number + 100
    !$omp end target
    call check(number == 3, "optional arguments")
    !$omp target data map(to: given) use_device_addr(given, absent)
    if (present(absent)) number = -1
    !$omp end target data
    call check(number == 3, "use_device_addr of absent arguments")
  end subroutine
end program
