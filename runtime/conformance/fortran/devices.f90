! SPDX-License-Identifier: Apache-2.0
! env: OMP_PLACES=threads
! clang: Flang 19 does not parse the clause detach
!
! The omp_lib routines for devices, teams, affinity formats, allocators, events and places, in both integer widths.
program devices
  use check_module
  use omp_lib
  implicit none
  character(len=40) :: text
  integer :: length, places, processors
  integer(4), allocatable :: ids(:)
  integer(8), allocatable :: wide_ids(:)
  integer(omp_allocator_handle_kind) :: pool
  type(omp_alloctrait) :: traits(1)
  integer(omp_event_handle_kind) :: event
  integer :: x
  call start_watchdog()

  call check(omp_is_initial_device(), "host")
  call check(omp_get_device_num() == omp_get_initial_device(), "device number")
  call omp_set_default_device(2)
  call check(omp_get_default_device() == 2, "default device")
  call omp_set_default_device(omp_get_num_devices() + 0_8)
  call check(omp_get_default_device() == omp_get_num_devices(), "default device of 8 bytes")
  call check(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0, "teams")
  call omp_set_num_teams(3)
  call check(omp_get_max_teams() == 3, "number of teams")
  call omp_set_num_teams(4_8)
  call check(omp_get_max_teams() == 4, "number of teams of 8 bytes")
  call omp_set_teams_thread_limit(2)
  call check(omp_get_teams_thread_limit() == 2, "thread limit of teams")
  call omp_set_teams_thread_limit(5_8)
  call check(omp_get_teams_thread_limit() == 5, "thread limit of teams, of 8 bytes")

  call omp_set_affinity_format("number %n")
  length = int(omp_get_affinity_format(text))
  call check(length == 9 .and. text == "number %n", "affinity format")
  length = int(omp_capture_affinity(text, "team of %N"))
  call check(length == 9 .and. text == "team of 1", "captured affinity")

  places = omp_get_num_places()
  if (places > 0) then
    processors = omp_get_place_num_procs(0)
    call check(processors == omp_get_place_num_procs(0_8), "processors of a place")
    allocate (ids(processors), wide_ids(processors))
    call omp_get_place_proc_ids(0, ids)
    call omp_get_place_proc_ids(0_8, wide_ids)
    call check(all(ids == wide_ids), "processors' numbers")
    deallocate (ids, wide_ids)
  end if
  call check(omp_get_place_num() < max(places, 1), "place")
  call check(omp_get_partition_num_places() <= places, "partition")

  traits(1) = omp_alloctrait(omp_atk_alignment, 64)
  pool = omp_init_allocator(omp_default_mem_space, 1, traits)
  call check(pool /= omp_null_allocator, "allocator")
  call omp_set_default_allocator(pool)
  call check(omp_get_default_allocator() == pool, "default allocator")
  call omp_set_default_allocator(omp_default_mem_alloc)
  call omp_destroy_allocator(pool)

  x = 0
  !$omp parallel shared(event)
  !$omp single
  !$omp task detach(event) shared(x)
  x = 1
  !$omp end task
  call omp_fulfill_event(event)
  !$omp taskwait
  call check(x == 1, "detached task")
  !$omp end single
  !$omp end parallel
  call check(omp_pause_resource_all(omp_pause_soft) == 0, "pause")
  call check(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0, "pause of the host")
end program
