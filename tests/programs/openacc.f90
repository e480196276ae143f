! SPDX-License-Identifier: Apache-2.0
! OpenACC in Fortran: constructs, and the routines of the module for each kind of argument.
program openacc_in_fortran
  use openacc
  use iso_c_binding, only: c_int32_t, c_int64_t, c_size_t
  implicit none
  integer, parameter :: n = 100
  integer :: a(n, n), b(n, n), i, j, total
  integer, allocatable :: nothing(:)
  character(len=20) :: name

  a = 1
  total = 0
  !$acc data copyin(a) copyout(b)
  !$acc parallel loop collapse(2) reduction(+:total)
  do j = 1, n
    do i = 1, n
      b(i, j) = a(i, j) + i
      total = total + a(i, j)
    end do
  end do
  !$acc end data
  if (total /= n * n .or. b(n, 1) /= n + 1) error stop "wrong sums"

  if (acc_get_num_devices(acc_device_host) /= 1) error stop "devices"
  if (acc_get_device_type() /= acc_device_host) error stop "type"
  if (.not. acc_on_device(acc_device_host)) error stop "on device"
  call acc_copyin(a)
  call acc_copyin(a, 4_c_int32_t)
  call acc_create(a, 4_c_int64_t)
  if (.not. acc_is_present(a)) error stop "array"
  if (.not. acc_is_present(a(1:n, 2:3))) error stop "section"
  if (.not. acc_is_present(a, 4_c_int32_t)) error stop "32"
  if (acc_is_present(a, 0_c_int64_t)) error stop "64"
  allocate(nothing(0))
  if (acc_is_present(nothing)) error stop "nothing"
  call acc_update_device(a)
  call acc_update_self_async(a, 1)
  call acc_wait(1)
  if (.not. acc_async_test_all()) error stop "queues"
  call acc_copyout_finalize(a)
  call acc_delete(b)
  call acc_get_property_string(0, acc_device_host, acc_property_vendor, name)
  if (len_trim(name) == 0) error stop "vendor"
  if (acc_get_property(0, acc_device_host, acc_property_memory) /= 0_c_size_t) error stop "memory"
  print '(a)', "ok"
end program
