// SPDX-License-Identifier: Apache-2.0
// Internal control variables (ICVs): those that a task carries (TaskIcvs) and those of the whole
// process (GlobalIcvs).
//
// Owner: this module owns one GlobalIcvs and one initial TaskIcvs, both static and never freed.
// `initialise` writes both in the library's constructor, before any other thread of the runtime
// exists; the functions declared after it correct them, also in the constructor or before the first
// use of OpenMP (abi/library.cpp). From then on any thread reads both without synchronisation. A
// task points to its TaskIcvs and usually shares those of its parent. The task gets its own copy at
// the first change (omp_set_num_threads and the like): task/icvs.h.
//
// Nesting levels: a task does not carry a list such as OMP_NUM_THREADS=4,3,2. A task carries the
// position in the list and the value for the next region; `inner` moves both one level down. If the
// program changes the value, the change applies only to the level at which it was made.
//
// The text of the environment is copied, because a program may overwrite the memory of its
// environment.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "icv/allocator_request.h"

namespace teff::icv {

// The values equal those of omp_sched_t, so omp_get_schedule returns them unchanged.
enum class ScheduleKind : std::uint8_t { static_ = 1, dynamic = 2, guided = 3, auto_ = 4 };

struct RunSchedule {
    ScheduleKind kind;
    bool monotonic;            // static without a modifier is monotonic
    std::int32_t chunk;        // 0: static without a chunk size, so each thread gets one block
    bool is_default = false;   // neither the environment nor the program has asked for one
    bool has_modifier = false; // a modifier was named

    bool operator==(const RunSchedule& other) const {
        return kind == other.kind && monotonic == other.monotonic && chunk == other.chunk;
    }
};

// The values equal those of omp_proc_bind_t. The old name of `primary` is "master".
enum class ProcBind : std::uint8_t { false_ = 0, true_ = 1, primary = 2, close = 3, spread = 4 };

enum class WaitPolicy : std::uint8_t { automatic, active, passive };
enum class DisplayEnv : std::uint8_t { no, yes, verbose };
enum class TargetOffload : std::uint8_t { default_, mandatory, disabled };
enum class TaskConstraints : std::uint8_t { automatic, strict, relaxed };
enum class UntiedTasks : std::uint8_t { stay, migrate };

// The event that makes a thread check whether it has to leave its task for a task of higher
// priority: preempt/preempt.h.
enum class PreemptionSource : std::uint8_t { off, demand, timer, perf, kernel, stress };
struct Preemption {
    PreemptionSource source;
    std::uint32_t period_us; // of timer, perf and stress; 0 for the others

    bool operator==(const Preemption&) const = default;
};
// The limits of a preemption period. The lower limit is the shortest period that the kernel allows
// for `perf`.
inline constexpr std::uint32_t kLeastPreemptionPeriod_us = 10, kMostPreemptionPeriod_us = 1'000'000;

// What omp_get_supported_active_levels returns.
inline constexpr std::uint32_t kSupportedActiveLevels = 255;
inline constexpr std::uint32_t kNoThreadLimit = 0xffff'ffff;
// Device numbers: omp_initial_device, and omp_invalid_device as GCC's omp.h has it.
inline constexpr std::int32_t kInitialDevice = -1, kInvalidDevice = -4;
inline constexpr std::int64_t kSpinAutomatic = -1;
// The longest spin budget; the value "infinite" means this budget. It is one hour, so that
// arithmetic with a budget cannot overflow.
inline constexpr std::int64_t kSpinMax_us = 3'600'000'000;

// One value per nesting level, outermost first. The list is empty if the variable was not set.
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
    std::uint32_t nthreads; // nthreads-var: team size of the next parallel region
    std::uint32_t thread_limit;
    std::uint32_t max_active_levels;
    std::int32_t default_device;
    std::uintptr_t default_allocator; // def-allocator-var: an omp_allocator_handle_t
    RunSchedule run_sched;
    ProcBind bind;
    bool dyn;
    std::uint8_t list_position; // of `nthreads` and `bind` in the lists of GlobalIcvs; 0: the outermost level
};
static_assert(sizeof(TaskIcvs) <= 48 && std::is_trivially_copyable_v<TaskIcvs>);

// The values of TEFF_SCHEDULE. sched/policies.cpp says which policy each selects.
inline constexpr std::string_view kSchedulePolicies[] = {"work_stealing", "central", "locality", "round_robin"};
inline constexpr std::string_view kSchedulePolicyForm = "work_stealing, central, locality or round_robin";

// The values of TEFF_BARRIER. region/team_protocol.h says which barrier each value selects.
inline constexpr std::string_view kBarriers[] = {"central", "combining"};
inline constexpr std::uint8_t kCentralBarrier = 0;
inline constexpr std::string_view kBarrierForm = "central or combining";

// The values of OMP_DATA_DISTRIBUTION. mem/distributions.cpp says what each value selects.
inline constexpr std::string_view kDistributions[] = {"standard", "fine", "coarse", "blocked", "nearest"};
inline constexpr std::string_view kDistributionForm = "standard, fine, coarse, blocked or nearest";

// The values of TEFF_TRANSPORT. processes/transport.cpp says what each value selects.
inline constexpr std::string_view kTransports[] = {"sockets", "ring"};
inline constexpr std::string_view kTransportForm = "sockets or ring";

// The values of TEFF_DEVICES. device/placement.cpp says what each selects.
inline constexpr std::string_view kDevicePlacements[] = {"default", "locality", "round_robin"};
inline constexpr std::string_view kDevicePlacementForm = "default, locality or round_robin";

// No thread can be created with a smaller stack.
inline constexpr std::uint64_t kLeastStack = 16 << 10;

// What KMP_AFFINITY means in the standard's terms. At most one of the texts has something in it.
struct LibompAffinity {
    ProcBind bind = ProcBind::false_;
    bool has_type = true;             // else it asks for nothing
    std::string_view places = {};     // as OMP_PLACES
    std::string_view processors = {}; // as GOMP_CPU_AFFINITY
    bool is_disabled = false;         // KMP_HW_SUBSET has no effect then, either
};
enum class LibompLibrary : std::uint8_t { throughput, turnaround, serial };
inline constexpr std::uint32_t kAllProcessors = 0xffff'ffff; // of KMP_DEVICE_THREAD_LIMIT

// Which variables count if more than one of them asks for the same thing.
enum class Precedence : std::uint8_t {
    of_libgomp, // OMP_*, GOMP_*, KMP_*
    of_libomp,  // KMP_*, GOMP_*, OMP_*
};

// What the environment asks for. Each knob in knobs.cpp sets one member and defines that member's
// default; a GlobalIcvs that no knob has set is all zeros. The members of the last group are
// computed from several knobs.
struct GlobalIcvs {
    bool dynamic;
    std::optional<bool> nested;
    LevelList<std::uint32_t> num_threads; // empty: not set
    RunSchedule schedule;
    LevelList<ProcBind> proc_bind; // never empty
    std::string_view places;       // as written; topo/process_places.h interprets it
    std::uint64_t stacksize_bytes; // 0: the system's default
    WaitPolicy wait_policy;
    std::uint32_t thread_limit; // kNoThreadLimit: none
    std::optional<std::uint32_t> active_levels_asked;
    std::uint32_t num_teams;          // 0: not set
    std::uint32_t teams_thread_limit; // 0: not set
    bool cancellation;
    std::optional<std::int32_t> default_device_asked;
    std::int32_t max_task_priority;
    bool display_affinity;
    std::string_view affinity_format;
    AllocatorRequest default_allocator;
    TargetOffload target_offload;
    DisplayEnv display_env;
    bool tool;
    std::string_view tool_libraries;
    std::string_view tool_verbose_init;

    std::string_view acc_device_type; // empty: not set
    std::int32_t acc_device_number;
    std::string_view acc_proflib; // up to the next NUL

    std::string_view cpu_affinity; // GOMP_CPU_AFFINITY as written; topo/process_places.h interprets it
    std::uint64_t gomp_stacksize_bytes;
    std::optional<std::int64_t> spin_count;

    std::optional<LibompAffinity> kmp_affinity;
    std::optional<std::int64_t> kmp_blocktime_us;
    std::uint64_t kmp_stacksize_bytes;
    std::string_view kmp_hw_subset; // as written; topo/hardware_subset.h interprets it
    std::optional<LibompLibrary> kmp_library;
    std::uint32_t kmp_device_threads; // 0: not set. Or kAllProcessors
    std::uint32_t kmp_all_threads;    // the same under an older name
    std::uint32_t kmp_teams_threads;  // of all teams of a league; 0: not set
    bool kmp_settings;                // show the settings

    std::uint8_t schedule_policy;   // in kSchedulePolicies
    std::uint8_t barrier;           // in kBarriers
    std::uint8_t data_distribution; // in kDistributions
    std::uint64_t footprint_min;    // bytes; 0: a processor's share of the last-level cache
    TaskConstraints task_constraints;
    UntiedTasks untied;        // whether untied tasks may continue on another thread
    std::uint32_t deque_limit; // a power of two
    Preemption preemption;
    std::int32_t preempt_gap;         // levels by which a task must be above the one that it preempts
    std::string_view preempt_objects; // as written; preempt/objects.h interprets it
    int preempt_signal;
    std::uint32_t contexts; // the most stacks for waiting tasks at a time
    std::optional<std::int64_t> spin_asked_us;
    std::string_view trace_directory;             // empty: do not record
    std::string_view stat_directory;              // empty: do not count
    bool stat_times;                              // also measure the times of what is counted
    std::string_view stat_events;                 // pairs TYPE:CONFIG, separated by commas
    std::string_view trace_session;               // empty: none
    std::uint32_t trace_call_paths;               // how many calls above a construct are recorded; 0: none
    std::uint32_t trace_delay_ms;                 // 0: recording begins at once
    std::uint32_t trace_every;                    // of each construct, which regions are recorded; 0: all
    std::uint32_t trace_last_MiB;                 // how much of each stream is kept; 0: all
    std::uint32_t trace_duration_ms;              // 0: recording does not end before the program
    bool trace_switches;                          // record when threads were off their processors
    std::uint32_t trace_samples;                  // samples in a second of a thread's CPU time; 0: none
    std::string_view trace_counters;              // NAME=TYPE:CONFIG, separated by commas; empty: none
    bool trace_stacks;                            // samples have the calls above them
    std::optional<std::uint64_t> trace_limit_MiB; // 0: no limit. Not set: probe/trace/folder.h computes it

    // The library with threads does not use the next four members: they are for processes/.
    std::uint32_t processes;
    std::uint8_t transport; // in kTransports
    bool process_figures;
    std::uint32_t process_patience_s; // 0: for ever
    std::string_view distribute;      // empty: nothing. Only displayed: libteff-distribute.so reads the variable
    std::uint32_t device_patience_s;  // 0: for ever
    std::uint8_t device_placement;    // in kDevicePlacements
    bool device_figures;
    std::string_view mpi_library; // empty: the launcher's

    std::uint32_t default_team_size; // first item of num_threads, else the processors the process may use
    std::int32_t default_device;     // default_device_asked, or what follows from target_offload
    std::uint32_t max_active_levels; // also depends on OMP_NESTED and on lists with more than one item
    bool binds_for_places;           // proc_bind was not set, and is on because places or cpu_affinity was set
    // TEFF_SPIN, else GOMP_SPINCOUNT as time, else KMP_BLOCKTIME, else kSpinAutomatic: the idle
    // code decides
    std::int64_t spin_us;
};

// Written only by `initialise` and by the functions below that correct its results. Declared here
// so that reading an ICV costs a load and no call.
namespace detail {
extern constinit GlobalIcvs process_icvs;
extern constinit TaskIcvs initial_icvs;
} // namespace detail

inline const GlobalIcvs& global() { return detail::process_icvs; }
inline const TaskIcvs& initial() { return detail::initial_icvs; }

// Reads the environment, and warns about values that are not valid. Call once, from the library's
// constructor. `processors` (at least 1) is the number of processors that the process may really
// use; `device` is the number of the device that this process is, for the device variants of
// variables.
void initialise(const char* const* envp, int processors, Precedence precedence = Precedence::of_libgomp,
                std::optional<unsigned> device = std::nullopt);

// Reads the environment again, without the variables of Teff. Returns false, and changes nothing,
// if it is as it was when it was read last. May be called only before the process uses OpenMP. The
// arguments are those of `initialise`.
bool read_again(const char* const* envp, int processors, Precedence precedence);

// Sets variables as if the environment had them: NAME=VALUE, several separated by |. Variables that
// the table does not have are ignored, as are those of Teff. May be called only before the process
// uses OpenMP (kmp_set_defaults). The arguments are those of `initialise`.
void set_defaults(std::string_view text, int processors, Precedence precedence);

// Make OMP_PLACES, or GOMP_CPU_AFFINITY, count as not set. Called by topo/process_places.h, which
// has found the value not valid. May be called only in the library's constructor, after
// `initialise`.
void forget_places();
void forget_cpu_affinity();
// Says that the process uses only so many processors: topo/process_places.h has found a part of the
// machine to which it is limited. May be called only in the library's constructor, after
// `initialise`.
void leave_processors(int processors);
// Sets def-allocator-var of initial tasks, if OMP_ALLOCATOR asked for an allocator that had to be
// made. May be called only in the library's constructor, after `initialise`.
void set_initial_allocator(std::uintptr_t handle);

// The stack size of threads, and of stacks for tasks, that are created from now on; 0: the system's
// default. The program may change it at any time (kmp_set_stacksize).
inline std::uint64_t stacksize() {
    return std::atomic_ref(detail::process_icvs.stacksize_bytes).load(std::memory_order_relaxed);
}
void set_stacksize(std::uint64_t bytes);

// Turns binding off. Called by topo/process_places.h if there are no valid places and only places
// asked for binding, or if the process's affinity mask is not known. May be called only in the
// library's constructor, after `initialise`.
void give_up_binding();

// Returns true if the implicit tasks of a region that is started by a task with these ICVs have
// other ICVs than that task. Usually false: the implicit tasks then share the task's TaskIcvs.
bool inner_differs(const TaskIcvs& icvs);

// Returns the ICVs of the implicit tasks of a region that is started by a task with these ICVs.
TaskIcvs inner(const TaskIcvs& icvs);

} // namespace teff::icv
