! SPDX-License-Identifier: Apache-2.0
!
! Fortran's arrays in target regions: assumed shape, allocatable, pointer, components.
module things
  implicit none
  integer :: declared(4) = [1, 2, 3, 4]
  !$omp declare target(declared)
  type :: pair
    integer :: number
    real, pointer :: values(:)
  end type
contains
  subroutine double(a)
    real, intent(inout) :: a(:)
    integer :: i
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 1, size(a)
      a(i) = 2 * a(i)
    end do
  end subroutine
end module

program descriptors
  use omp_lib
  use things
  implicit none
  real, allocatable :: a(:), grid(:, :)
  real, pointer :: p(:)
  real, target :: t(10)
  integer :: i, total, failures = 0

  allocate (a(100), grid(8, 4))
  a = 1
  call double(a)
  call check(all(a == 2), "allocatable")
  call double(a(1:99:2))
  call check(sum(a) == 300, "assumed shape")
  t = 3
  p => t(3:7)
  !$omp target map(tofrom: p)
  p = p + 1
  !$omp end target
  call check(sum(t) == 35, "pointer")
  grid = 0
  !$omp target enter data map(to: grid)
  !$omp target
  grid(2, 3) = 5
  !$omp end target
  !$omp target update from(grid)
  call check(grid(2, 3) == 5, "enter data and update")
  !$omp target exit data map(delete: grid)
  declared = 10
  !$omp target update to(declared)
  total = 0
  !$omp target map(tofrom: total)
  total = sum(declared)
  !$omp end target
  call check(total == 40, "declare target")
  total = 0
  !$omp target parallel do reduction(+: total)
  do i = 1, 100
    total = total + i
  end do
  call check(total == 5050, "reduction")
  call components()
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
  subroutine components()
    type(pair) :: it
    integer :: number
    allocate (it%values(6))
    it%values = 1.5
    it%number = 4
    number = 0
    !$omp target map(to: it%number) map(tofrom: number)
    number = it%number + 1
    !$omp end target
    call check(number == 5, "component")
    !$omp target map(tofrom: it%values(1:3))
    it%values(2) = 9
    !$omp end target
    call check(it%values(2) == 9, "section of a component")
  end subroutine
end program
