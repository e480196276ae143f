// SPDX-License-Identifier: Apache-2.0
// Internal control variables: those a task carries (TaskIcvs) and those of the whole process (GlobalIcvs).
//
// Owner: this module owns one GlobalIcvs and one initial TaskIcvs, both static and never freed. `initialise` writes
// them once, in the library's constructor, before any other thread of the runtime exists; from then on any thread reads
// them without synchronisation. A task points to its TaskIcvs and usually shares its parent's; it gets a copy of its own
// at the first change (omp_set_num_threads and the like). That copy belongs to the task, and only the task writes it.
//
// Nesting levels: a list such as OMP_NUM_THREADS=4,3,2 is not carried by tasks. They carry the position in the list and
// the value for the next region; `inner` moves both one level down. A change by the program holds for its own level only.
//
// Environment text is copied, because a program may overwrite the memory of its environment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace teff::icv {

// Values of omp_sched_t, so that omp_get_schedule returns them as they are.
enum class ScheduleKind : std::uint8_t { static_ = 1, dynamic = 2, guided = 3, auto_ = 4 };

struct RunSchedule {
    ScheduleKind kind = ScheduleKind::dynamic;
    bool monotonic = false; // static without a modifier is monotonic
    std::int32_t chunk = 1; // 0: static without a chunk size, one block per thread

    bool operator==(const RunSchedule&) const = default;
};

// Values of omp_proc_bind_t; "master" is the old word for primary.
enum class ProcBind : std::uint8_t { false_ = 0, true_ = 1, primary = 2, close = 3, spread = 4 };

enum class WaitPolicy : std::uint8_t { automatic, active, passive };
enum class DisplayEnv : std::uint8_t { no, yes, verbose };
enum class TargetOffload : std::uint8_t { default_, mandatory, disabled };
enum class SchedulePolicy : std::uint8_t { work_stealing };
enum class TaskConstraints : std::uint8_t { strict, relaxed };

// What omp_get_supported_active_levels returns.
inline constexpr std::uint32_t kSupportedActiveLevels = 255;
inline constexpr std::uint32_t kNoThreadLimit = 0xffff'ffff;
inline constexpr std::int64_t kSpinAutomatic = -1;
// The longest spin budget; "infinite" means this. One hour, so that arithmetic with it cannot overflow.
inline constexpr std::int64_t kSpinMax_us = 3'600'000'000;

// One value per nesting level, outermost first. Empty: the variable was not set.
template <class T> struct LevelList {
    std::uint32_t size = 0;
    std::array<T, kSupportedActiveLevels> items = {};

    bool empty() const { return size == 0; }
    const T* begin() const { return items.data(); }
    const T* end() const { return items.data() + size; }
    bool append(T item) {
        if (size == kSupportedActiveLevels) return false;
        items[size++] = item;
        return true;
    }
};

// The data environment ICVs of one task.
struct TaskIcvs {
    std::uint32_t nthreads = 1; // nthreads-var: team size of the next parallel region
    std::uint32_t thread_limit = kNoThreadLimit;
    std::uint32_t max_active_levels = 1;
    std::int32_t default_device = 0;
    RunSchedule run_sched;
    ProcBind bind = ProcBind::false_;
    bool dyn = false;
    std::uint8_t list_position = 0; // how many levels down the lists of GlobalIcvs `nthreads` and `bind` stand
};
static_assert(sizeof(TaskIcvs) <= 48 && std::is_trivially_copyable_v<TaskIcvs>);

// What the environment asked for. Each member is filled by the knob of the same name in knobs.cpp; those that depend on
// more than one knob are in the last group.
struct GlobalIcvs {
    bool dynamic = false;
    bool nested = false;
    LevelList<std::uint32_t> num_threads;
    RunSchedule schedule;
    LevelList<ProcBind> proc_bind;
    std::string_view places;           // as written; not interpreted here
    std::uint64_t stacksize_bytes = 0; // 0: the system's default
    WaitPolicy wait_policy = WaitPolicy::automatic;
    std::uint32_t thread_limit = kNoThreadLimit;
    std::uint32_t max_active_levels = 1;
    std::uint32_t num_teams = 0;          // 0: not set
    std::uint32_t teams_thread_limit = 0; // 0: not set
    bool cancellation = false;
    std::int32_t default_device = 0;
    std::int32_t max_task_priority = 0;
    bool display_affinity = false;
    std::string_view affinity_format;
    std::uint8_t default_allocator = 1; // an omp_allocator_handle_t
    TargetOffload target_offload = TargetOffload::default_;
    DisplayEnv display_env = DisplayEnv::no;
    bool tool = true;
    std::string_view tool_libraries;
    std::string_view tool_verbose_init;

    std::string_view cpu_affinity; // GOMP_CPU_AFFINITY as written; not interpreted here
    std::uint64_t gomp_stacksize_bytes = 0;
    std::int64_t spin_count = kSpinAutomatic;

    SchedulePolicy schedule_policy = SchedulePolicy::work_stealing;
    TaskConstraints task_constraints = TaskConstraints::strict;
    std::uint32_t deque_limit = 1024; // a power of two
    std::int64_t spin_us =
        kSpinAutomatic;                // TEFF_SPIN, else GOMP_SPINCOUNT as time; kSpinAutomatic: the idle code decides
    std::string_view trace_directory;  // empty: do not record
    std::uint32_t trace_limit_MiB = 0; // per stream; 0: none

    std::uint32_t default_team_size = 1; // first item of num_threads, else the processors the process may use
};

const GlobalIcvs& global();
const TaskIcvs& initial();

// Reads the environment, warns about values that make no sense, and prints the ICVs when OMP_DISPLAY_ENV asks for it.
// Call once, from the library's constructor. `processors` (at least 1) is what the process may really use.
void initialise(const char* const* envp, int processors);

// Whether the implicit tasks of a region started by a task with these ICVs have others than the task itself. Mostly not:
// then they share its TaskIcvs.
bool inner_differs(const TaskIcvs& icvs);

// The ICVs of the implicit tasks of such a region.
TaskIcvs inner(const TaskIcvs& icvs);

} // namespace teff::icv
