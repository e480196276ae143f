// SPDX-License-Identifier: Apache-2.0
#include "processes/missing.h"
#include "abi/export.h"

#include "processes/report.h"

namespace teff::processes {

void missing(const char* construct) {
    fail("%s is not supported with --processes; docs/processes.md says what is", construct);
}

} // namespace teff::processes

// The arguments are not examined.
#define TEFF_MISSING(symbol, construct)                                                                                \
    TEFF_EXPORT void symbol() { teff::processes::missing(construct); }

TEFF_MISSING(GOMP_doacross_post, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_doacross_ull_post, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_doacross_ull_wait, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_doacross_wait, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_doacross_dynamic_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_doacross_guided_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_doacross_runtime_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_doacross_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_doacross_static_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_ull_doacross_dynamic_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_ull_doacross_guided_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_ull_doacross_runtime_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_ull_doacross_start, "a doacross loop (ordered(n), depend(sink))")
TEFF_MISSING(GOMP_loop_ull_doacross_static_start, "a doacross loop (ordered(n), depend(sink))")

TEFF_MISSING(GOMP_target, "target")
TEFF_MISSING(GOMP_target_data, "target")
TEFF_MISSING(GOMP_target_data_ext, "target")
TEFF_MISSING(GOMP_target_end_data, "target")
TEFF_MISSING(GOMP_target_enter_exit_data, "target")
TEFF_MISSING(GOMP_target_ext, "target")
TEFF_MISSING(GOMP_target_map_indirect_ptr, "target")
TEFF_MISSING(GOMP_target_update, "target")
TEFF_MISSING(GOMP_target_update_ext, "target")
TEFF_MISSING(GOMP_teams, "target")
TEFF_MISSING(GOMP_teams4, "target")
TEFF_MISSING(omp_target_alloc, "target")
TEFF_MISSING(omp_target_associate_ptr, "target")
TEFF_MISSING(omp_target_disassociate_ptr, "target")
TEFF_MISSING(omp_target_free, "target")
TEFF_MISSING(omp_target_is_accessible, "target")
TEFF_MISSING(omp_target_is_present, "target")
TEFF_MISSING(omp_target_memcpy, "target")
TEFF_MISSING(omp_target_memcpy_async, "target")
TEFF_MISSING(omp_target_memcpy_rect, "target")
TEFF_MISSING(omp_target_memcpy_rect_async, "target")
TEFF_MISSING(omp_target_memset, "target")
TEFF_MISSING(omp_target_memset_async, "target")
TEFF_MISSING(omp_get_mapped_ptr, "target")
TEFF_MISSING(omp_get_device_from_uid, "target")
TEFF_MISSING(omp_get_device_from_uid_, "target")
TEFF_MISSING(omp_get_uid_from_device, "target")
TEFF_MISSING(omp_get_uid_from_device_, "target")
TEFF_MISSING(omp_get_uid_from_device_8_, "target")

TEFF_MISSING(GOMP_interop, "interop")
TEFF_MISSING(omp_get_interop_int, "interop")
TEFF_MISSING(omp_get_interop_name, "interop")
TEFF_MISSING(omp_get_interop_name_, "interop")
TEFF_MISSING(omp_get_interop_ptr, "interop")
TEFF_MISSING(omp_get_interop_rc_desc, "interop")
TEFF_MISSING(omp_get_interop_rc_desc_, "interop")
TEFF_MISSING(omp_get_interop_str, "interop")
TEFF_MISSING(omp_get_interop_str_, "interop")
TEFF_MISSING(omp_get_interop_type_desc, "interop")
TEFF_MISSING(omp_get_interop_type_desc_, "interop")
TEFF_MISSING(omp_get_num_interop_properties, "interop")

TEFF_MISSING(GOMP_add_alloc, "an allocator of OpenMP")
TEFF_MISSING(GOMP_alloc, "an allocator of OpenMP")
TEFF_MISSING(GOMP_free, "an allocator of OpenMP")
TEFF_MISSING(GOMP_is_alloc, "an allocator of OpenMP")

TEFF_MISSING(GOMP_taskwait_depend_nowait, "taskwait nowait")

TEFF_MISSING(omp_capture_affinity, "the display of affinity")
TEFF_MISSING(omp_capture_affinity_, "the display of affinity")
TEFF_MISSING(omp_display_affinity, "the display of affinity")
TEFF_MISSING(omp_display_affinity_, "the display of affinity")
TEFF_MISSING(omp_get_affinity_format, "the display of affinity")
TEFF_MISSING(omp_get_affinity_format_, "the display of affinity")
TEFF_MISSING(omp_set_affinity_format, "the display of affinity")
TEFF_MISSING(omp_set_affinity_format_, "the display of affinity")

TEFF_MISSING(teff_bytes_per_node, "a routine of Teff for data distribution")

TEFF_MISSING(omp_control_tool, "a tool that uses OMPT")
TEFF_MISSING(omp_control_tool_, "a tool that uses OMPT")
TEFF_MISSING(omp_get_partition_place_nums_, "binding to places")
TEFF_MISSING(omp_get_partition_place_nums_8_, "binding to places")
TEFF_MISSING(omp_get_place_proc_ids_, "binding to places")
TEFF_MISSING(omp_get_place_proc_ids_8_, "binding to places")
TEFF_EXPORT void GOMP_offload_register() {}
TEFF_EXPORT void GOMP_offload_register_ver() {}
TEFF_EXPORT void GOMP_offload_unregister() {}
TEFF_EXPORT void GOMP_offload_unregister_ver() {}
