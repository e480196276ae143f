! SPDX-License-Identifier: Apache-2.0
! env: OMP_PLACES=threads OMP_SCHEDULE=static
! clang: its module has one width of integers only
!
! The omp_lib routines that write to standard error, and that return the numbers of a partition's places; traits
! whose number has 8 bytes.
program displays
  use check_module
  use omp_lib
  implicit none
  integer(4), allocatable :: places(:)
  integer(8), allocatable :: wide_places(:)
  type(omp_alloctrait) :: traits(1)
  integer(omp_allocator_handle_kind) :: pool
  integer :: count
  call start_watchdog()

  call omp_display_env(.false.)
  call omp_display_env(.true._8)
  call omp_display_affinity("thread %n")

  count = omp_get_partition_num_places()
  call check(count >= 1, "places in the partition")
  allocate (places(count), wide_places(count))
  call omp_get_partition_place_nums(places)
  call omp_get_partition_place_nums(wide_places)
  call check(all(places == wide_places), "place numbers of both widths")
  call check(all(places >= 0) .and. all(places < omp_get_num_places()), "place numbers")

  traits(1) = omp_alloctrait(omp_atk_fallback, omp_atv_null_fb)
  pool = omp_init_allocator(omp_default_mem_space, 1_8, traits)
  call check(pool /= omp_null_allocator, "allocator with a count of 8 bytes")
  call omp_destroy_allocator(pool)
  deallocate (places, wide_places)
end program
