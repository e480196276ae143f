// SPDX-License-Identifier: Apache-2.0
#include "icv/knobs.h"

#include <csignal>
#include <iterator>

#include "icv/icv.h"
#include "icv/knob_access.h"

namespace teff::icv {

namespace {

using parse::Word;

constexpr Word<WaitPolicy> kWaitPolicies[] = {
    {"PASSIVE", WaitPolicy::passive},
    {"ACTIVE", WaitPolicy::active},
    {"PASSIVE", WaitPolicy::automatic}, // how libgomp prints its default, which is neither; never the result of reading
};
constexpr Word<TargetOffload> kTargetOffload[] = {
    {"DEFAULT", TargetOffload::default_},
    {"MANDATORY", TargetOffload::mandatory},
    {"DISABLED", TargetOffload::disabled},
};
constexpr Word<DisplayEnv> kDisplayEnv[] = {
    {"FALSE", DisplayEnv::no},
    {"TRUE", DisplayEnv::yes},
    {"VERBOSE", DisplayEnv::verbose},
};
constexpr Word<bool> kEnabled[] = {{"ENABLED", true}, {"DISABLED", false}};
constexpr Word<TaskConstraints> kTaskConstraints[] = {
    {"auto", TaskConstraints::automatic},
    {"strict", TaskConstraints::strict},
    {"relaxed", TaskConstraints::relaxed},
};

constexpr std::string_view kBooleanForm = "TRUE or FALSE";
constexpr std::string_view kSizeForm = "an integer with B, K, M or G after it (K if there is none)";
// Below the minimum no thread can be created; above the maximum no machine can create a thread.
constexpr Knob::Range kStackRange = {16 << 10, std::uint64_t{1} << 40};

void print_bind(std::FILE* out, ProcBind bind) {
    static constexpr const char* kNames[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    std::fputs(kNames[static_cast<int>(bind)], out);
}

void print_proc_bind(std::FILE* out, const GlobalIcvs& icvs) {
    const char* separator = "";
    for (const ProcBind bind : icvs.proc_bind) {
        std::fputs(separator, out);
        print_bind(out, bind);
        separator = ",";
    }
}

void print_num_threads(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.num_threads.empty()) std::fprintf(out, "%" PRIu32, icvs.default_team_size);
    const char* separator = "";
    for (const std::uint32_t threads : icvs.num_threads) {
        std::fprintf(out, "%s%" PRIu32, separator, threads);
        separator = ",";
    }
}

// Only what differs from the kind's default is printed, as libgomp does it.
void print_schedule(std::FILE* out, const GlobalIcvs& icvs) {
    const RunSchedule& schedule = icvs.schedule;
    const bool is_static = schedule.kind == ScheduleKind::static_;
    if (schedule.monotonic != is_static) std::fputs(is_static ? "NONMONOTONIC:" : "MONOTONIC:", out);
    static constexpr const char* kNames[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    std::fputs(kNames[static_cast<int>(schedule.kind)], out);
    if (schedule.kind != ScheduleKind::auto_ && schedule.chunk != (is_static ? 0 : 1))
        std::fprintf(out, ",%" PRId32, schedule.chunk);
}

void print_nested(std::FILE* out, const GlobalIcvs& icvs) {
    std::fputs(icvs.max_active_levels > 1 ? "TRUE" : "FALSE", out);
}

void print_spin_count(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.spin_count) std::fprintf(out, "%" PRId64, *icvs.spin_count);
}

void print_spin_us(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.spin_us != kSpinAutomatic) std::fprintf(out, "%" PRId64, icvs.spin_us);
}

void print_trace_limit(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.trace_limit_MiB) std::fprintf(out, "%" PRIu64, *icvs.trace_limit_MiB);
}

bool read_num_threads(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::num_threads>(icvs, parse::num_threads(text));
}

bool read_schedule(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::schedule>(icvs, parse::schedule(text));
}

bool read_proc_bind(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::proc_bind>(icvs, parse::proc_bind(text));
}

bool read_allocator(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::default_allocator>(icvs, read_allocator_request(text));
}
void print_allocator(std::FILE* out, const GlobalIcvs& icvs) { write_escaped(out, spelling(icvs.default_allocator)); }

void print_default_device(std::FILE* out, const GlobalIcvs& icvs) {
    std::fprintf(out, "%" PRId32, icvs.default_device);
}

// A limit above the largest int means that there is no limit.
bool read_thread_limit(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    const auto limit = parse::integer(text, knob.range.low, knob.range.high);
    if (limit) icvs.thread_limit = *limit > INT32_MAX ? kNoThreadLimit : static_cast<std::uint32_t>(*limit);
    return limit.has_value();
}

// A number of levels above the supported number is reduced to the supported number.
bool read_active_levels(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    auto levels = parse::integer(text, knob.range.low, knob.range.high);
    if (levels && *levels > kSupportedActiveLevels) levels = kSupportedActiveLevels;
    return access::store<&GlobalIcvs::active_levels_asked>(icvs, levels);
}

bool read_spin_count(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::spin_count>(icvs, parse::spin_count(text));
}

bool read_trace_limit(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::trace_limit_MiB>(icvs, parse::integer(text, knob.range.low, knob.range.high));
}

bool read_trace_session(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::trace_session>(icvs, parse::file_identity(text));
}

bool read_preemption(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::preemption>(icvs, parse::preemption(text));
}

void print_preemption(std::FILE* out, const GlobalIcvs& icvs) {
    static constexpr const char* kSources[] = {"off", "on", "timer", "perf", "kernel", "stress"};
    std::fputs(kSources[static_cast<int>(icvs.preemption.source)], out);
    if (icvs.preemption.period_us != 0) std::fprintf(out, ":%" PRIu32 "us", icvs.preemption.period_us);
}

bool read_preempt_signal(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::preempt_signal>(icvs, parse::signal_number(text));
}

void print_preempt_signal(std::FILE* out, const GlobalIcvs& icvs) {
    const std::string_view name = parse::signal_name(icvs.preempt_signal);
    std::fputs("SIG", out);
    if (!name.empty()) access::print_text(out, name);
    else std::fprintf(out, "RTMIN+%d", icvs.preempt_signal - SIGRTMIN);
}

bool read_spin_us(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::spin_asked_us>(icvs, parse::integer(text, knob.range.low, knob.range.high));
}

constexpr Knob kKnobs[] = {
    {
        .name = "OMP_DYNAMIC",
        .access = access::boolean<&GlobalIcvs::dynamic>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether a team may get fewer threads than asked for when the machine is busy.",
        .trade_off =
            "Keeps many programs on one machine from oversubscribing it; team sizes are no longer predictable.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_NESTED",
        .access = {access::read_boolean<&GlobalIcvs::nested>, print_nested},
        .form = kBooleanForm,
        .default_words = "follows from the number of active levels",
        .meaning =
            "Whether a parallel region inside another one gets a team of its own. Deprecated by OpenMP 5.0 in favour "
            "of OMP_MAX_ACTIVE_LEVELS, and OMP_MAX_ACTIVE_LEVELS wins when both are set.",
        .trade_off = "Nested teams multiply: two levels of 8 threads are 64 threads.",
    },
    {
        .name = "OMP_NUM_THREADS",
        .access = {read_num_threads, print_num_threads},
        .form = "integers with commas between them, outermost nesting level first",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words = "the processors the process may use: its affinity mask, cut by its control groups' quota",
        .meaning = "Size of the teams, one value per nesting level. A list of several values turns nesting on.",
        .trade_off = "More threads than processors make threads wait for each other, above all at barriers.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_SCHEDULE",
        .access = {read_schedule, print_schedule},
        .form = "[monotonic|nonmonotonic:]kind[,chunk] with kind static, dynamic, guided or auto",
        .unit = "iterations (chunk)",
        .default_value = "DYNAMIC",
        .meaning = "How loops with schedule(runtime) hand out their iterations.",
        .trade_off = "static costs least; dynamic balances uneven iterations best; guided is between them.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_PROC_BIND",
        .access = {read_proc_bind, print_proc_bind},
        .form = "TRUE, FALSE, or a list of PRIMARY, CLOSE and SPREAD, outermost nesting level first",
        .default_words = "TRUE if OMP_PLACES or GOMP_CPU_AFFINITY is set, else FALSE",
        .meaning =
            "Whether threads stay on their places, and how a team spreads over them: PRIMARY keeps it on the place of "
            "the thread that starts it, CLOSE fills the places next to that one, SPREAD divides the places among the "
            "members. TRUE means CLOSE. Any of them but FALSE binds the initial thread to the first place, at the "
            "program's first use of OpenMP: what it starts before that, and a process that never uses OpenMP, keeps "
            "all processors.",
        .trade_off = "Bound threads keep their caches warm but cannot flee from a busy processor.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_PLACES",
        .access = access::plain_text<&GlobalIcvs::places>,
        .form = "a list of places, as in {0,1},{2,3} or {0:2}:4:2, or a name, as in cores or cores(4); the names are "
                "threads, cores, ll_caches, sockets and numa_domains",
        .default_words = "none; a place for each processor if OMP_PROC_BIND is set and not FALSE",
        .meaning = "The places that threads are bound to. Processors that the process may not use are left out.",
        .trade_off =
            "Precise on one machine, wrong on the next: the names cores and sockets travel better than numbers.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_STACKSIZE",
        .access = {access::read_size<&GlobalIcvs::stacksize_bytes>,
                   access::print_integer<&GlobalIcvs::stacksize_bytes>},
        .form = kSizeForm,
        .range = kStackRange,
        .unit = "bytes",
        .default_words = "0: the limit of the system for threads (ulimit -s)",
        .meaning = "Stack of each thread that the runtime creates.",
        .trade_off =
            "Too small crashes deep recursion and large private arrays; too large costs address space per thread.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_WAIT_POLICY",
        .access = access::word<&GlobalIcvs::wait_policy, kWaitPolicies>,
        .form = "ACTIVE or PASSIVE",
        .default_words = "neither: spin for a short time, then sleep",
        .meaning = "What a thread does that waits: ACTIVE spins for 5 s before it sleeps unless there are more threads "
                   "than processors, PASSIVE sleeps at once.",
        .trade_off =
            "Spinning wakes fastest and takes the processor from others; sleeping costs a wake-up of microseconds.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_THREAD_LIMIT",
        .access = {read_thread_limit, access::print_integer<&GlobalIcvs::thread_limit>},
        .form = "an integer",
        .range = {1, INT64_MAX},
        .unit = "threads",
        .default_words = "4294967295: none",
        .meaning = "Most threads that work for the program at one time.",
        .trade_off = "Protects the machine from runaway nesting; teams beyond it become smaller.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_MAX_ACTIVE_LEVELS",
        .access = {read_active_levels, access::print_integer<&GlobalIcvs::max_active_levels>},
        .form = "an integer",
        .range = {0, INT64_MAX},
        .unit = "nesting levels",
        .default_words =
            "1; 255 if OMP_NESTED is TRUE, or a list for nesting levels is given and OMP_NESTED is not FALSE",
        .meaning =
            "How many parallel regions inside each other may have more than one thread. More than 255 means 255.",
        .trade_off = "Nested teams multiply: two levels of 8 threads are 64 threads.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_NUM_TEAMS",
        .access = access::integer<&GlobalIcvs::num_teams>,
        .form = "an integer",
        .range = {1, INT32_MAX},
        .unit = "teams",
        .default_words = "0: the runtime decides",
        .meaning = "Most teams that a teams construct makes.",
        .trade_off = "On the host, teams run one after another; more of them only cut the work finer.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_TEAMS_THREAD_LIMIT",
        .access = access::integer<&GlobalIcvs::teams_thread_limit>,
        .form = "an integer",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words = "0: none",
        .meaning = "Most threads in each team that a teams construct makes.",
        .trade_off = "As OMP_THREAD_LIMIT, for teams constructs only.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_CANCELLATION",
        .access = access::boolean<&GlobalIcvs::cancellation>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether the cancel construct does anything.",
        .trade_off = "Lets searches stop early; every barrier and task then also checks for a cancellation.",
    },
    {
        .name = "OMP_DEFAULT_DEVICE",
        .access = {access::read_integer<&GlobalIcvs::default_device_asked>, print_default_device},
        .form = "an integer",
        .range = {0, INT32_MAX},
        .default_words = "0; none if OMP_TARGET_OFFLOAD is MANDATORY",
        .meaning = "The device of target regions without a device clause. There is no device but the host.",
        .trade_off = "None: target regions run on the host.",
    },
    {
        .name = "OMP_MAX_TASK_PRIORITY",
        .access = access::integer<&GlobalIcvs::max_task_priority>,
        .form = "an integer",
        .range = {0, INT32_MAX},
        .default_value = "0",
        .meaning = "Highest priority that a task may have. With 0, priority clauses are ignored.",
        .trade_off =
            "Tasks with a priority go through a queue that all threads share: order costs speed for tiny tasks.",
    },
    {
        .name = "OMP_DISPLAY_AFFINITY",
        .access = access::boolean<&GlobalIcvs::display_affinity>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning =
            "Whether the threads of a team print where they may run, in the format of OMP_AFFINITY_FORMAT, when the "
            "team first starts and when its size or its places change.",
        .trade_off = "One line per thread and change: for looking at one run, not for production.",
    },
    {
        .name = "OMP_AFFINITY_FORMAT",
        .access = access::any_text<&GlobalIcvs::affinity_format>,
        .form = "a text with fields such as %n (thread number) and %A (affinity)",
        .range = {0, 4095},
        .unit = "bytes",
        .default_value = "level %L thread %i affinity %A",
        .meaning = "Format of what OMP_DISPLAY_AFFINITY and omp_display_affinity print.",
        .trade_off = "None.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_ALLOCATOR",
        .access = {read_allocator, print_allocator},
        .form = "a predefined allocator (omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc, "
                "omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc, omp_pteam_mem_alloc, "
                "omp_thread_mem_alloc), or a memory space, as omp_default_mem_space, with traits, as in "
                "omp_default_mem_space:alignment=64,pinned=true",
        .default_value = "omp_default_mem_alloc",
        .meaning = "The allocator of omp_alloc when the program names none.",
        .trade_off =
            "All memory spaces are the same memory today; of the traits, alignment, pool_size, fallback, pinned, "
            "partition and part_size have an effect.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_TARGET_OFFLOAD",
        .access = access::word<&GlobalIcvs::target_offload, kTargetOffload>,
        .form = "MANDATORY, DISABLED or DEFAULT",
        .default_value = "DEFAULT",
        .meaning = "Where target regions run. Read and shown; they run on the host whatever it says.",
        .trade_off = "None.",
    },
    {
        .name = "GOMP_CPU_AFFINITY",
        .access = access::plain_text<&GlobalIcvs::cpu_affinity>,
        .form = "processor numbers and ranges, as in 0 3 1-2 4-15:2",
        .default_words = "none",
        .meaning = "libgomp's older form of OMP_PLACES, where each processor is a place; OMP_PLACES wins when both are "
                   "set.",
        .trade_off = "As OMP_PLACES.",
        .shown = Shown::verbose,
    },
    {
        .name = "GOMP_STACKSIZE",
        .access = {access::read_size<&GlobalIcvs::gomp_stacksize_bytes>,
                   access::print_integer<&GlobalIcvs::stacksize_bytes>},
        .form = kSizeForm,
        .range = kStackRange,
        .unit = "bytes",
        .default_words = "0: OMP_STACKSIZE",
        .meaning = "libgomp's older name for OMP_STACKSIZE; OMP_STACKSIZE wins when both are set.",
        .trade_off = "As OMP_STACKSIZE.",
        .shown = Shown::verbose,
    },
    {
        .name = "GOMP_SPINCOUNT",
        .access = {read_spin_count, print_spin_count},
        .form = "an integer with k, m, g or t after it, or INFINITE",
        .unit = "spins; 100 spins are taken as one microsecond",
        .default_words = "TEFF_SPIN",
        .meaning = "libgomp's form of TEFF_SPIN; TEFF_SPIN wins when both are set.",
        .trade_off = "As TEFF_SPIN. A count means a different time on each processor.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_SCHEDULE",
        .access = access::one_of<&GlobalIcvs::schedule_policy, kSchedulePolicies>,
        .form = kSchedulePolicyForm,
        .default_value = "work_stealing",
        .meaning = "The policy that decides which task a thread runs next.",
        .trade_off =
            "Work stealing spawns without a lock and keeps related tasks on one thread; central is one queue under one "
            "lock, for comparison. locality adds a queue for each NUMA node, for tasks whose data lies there: memory "
            "of omp_malloc that depend clauses or teff_next_task_footprint name (teff.h). Loops and taskloops keep "
            "to the threads that a static loop gives their iterations. It pays for tasks and loops that work on "
            "much memory; where there is one node, it is work stealing. round_robin is work stealing whose "
            "thieves ask one thread after the other, not at random, for comparison.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_FOOTPRINT_MIN",
        .access = access::integer<&GlobalIcvs::footprint_min>,
        .form = "an integer",
        .range = {1, std::uint64_t{1} << 47},
        .unit = "bytes",
        .default_words = "0: the last-level cache, divided by the processors that share it",
        .meaning = "With TEFF_SCHEDULE=locality: a task runs on any node if it is known to touch less memory "
                   "than this.",
        .trade_off = "A smaller value keeps more tasks beside their data. But what fits into a cache is soon "
                     "in the cache where the task runs, and the queue of a node has a lock.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_BARRIER",
        .access = access::one_of<&GlobalIcvs::barrier, kBarriers>,
        .form = kBarrierForm,
        .default_value = "central",
        .meaning = "How the threads of a team learn that all have arrived at a barrier. central: one "
                   "counter, and one word that all look at. combining: a counter and a word for each group "
                   "of 4 to 8 threads, as many as a NUMA node has processors; the last of a group to arrive "
                   "counts for the group.",
        .trade_off =
            "central costs least where few threads share a cache. combining keeps many threads of a large machine from "
            "taking turns on one cache line; it gains where OMP_PROC_BIND keeps neighbours close.",
        .shown = Shown::verbose,
    },
    {
        .name = "OMP_DATA_DISTRIBUTION",
        .access = access::one_of<&GlobalIcvs::data_distribution, kDistributions>,
        .form = kDistributionForm,
        .default_value = "standard",
        .meaning =
            "How memory that the program asks omp_malloc for (teff.h) spreads over the NUMA nodes. standard: the "
            "kernel's way, mostly the node of the thread that touches a page first; fine: page by page over all nodes; "
            "coarse: each allocation on one node, the next on the next; blocked: each allocation in as many parts as "
            "there are nodes; nearest: on the node of the thread that asks.",
        .trade_off =
            "fine spreads the load of data that all threads use; coarse and blocked let tasks run beside their data, "
            "and crowd one node where all of them use one allocation. Where there is one node, nothing changes.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TSC",
        .access = access::word<&GlobalIcvs::task_constraints, kTaskConstraints>,
        .form = "auto, strict or relaxed",
        .default_value = "auto",
        .meaning = "Whether the task scheduling constraints of the specification hold. An undeferred task "
                   "starts at once in any case, and counts as a part of its creator.",
        .trade_off =
            "auto: strict, but with TEFF_PREEMPT a thread starts any task while another one waits for tasks on "
            "it and holds no lock, provided that the program has no thread-local variables. "
            "relaxed lets a thread start any task while another one waits on it, also one that waits "
            "for a lock or for its turn at an ordered region. This keeps the thread busy. But a task "
            "may then see thread-private data in the middle of a change, or meet a mutex that is held "
            "by another task suspended on the same thread.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT",
        .access = {read_preemption, print_preemption},
        .form = "off, on, kernel, or timer:PERIODus, perf:PERIODus or stress:PERIODus with a period from 10 to 1000000",
        .default_value = "off",
        .meaning = "Whether a thread leaves a task for one of higher priority before it comes to a task "
                   "scheduling point. on: whoever makes that task ready sends a signal. kernel: the kernel "
                   "module takes the signal's place, if it is loaded (labs/kernel/README.md). timer and perf: "
                   "each thread looks once in a period. stress is for tests: as timer, but the thread goes "
                   "on with any other task that it may run.",
        .trade_off = "Tasks of high priority start at once. The program's code must tolerate it: "
                     "docs/preemption.md. A period costs time also while nothing waits. Has no effect while "
                     "OMP_MAX_TASK_PRIORITY is 0.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT_GAP",
        .access = access::integer<&GlobalIcvs::preempt_gap>,
        .form = "an integer",
        .range = {1, INT32_MAX},
        .unit = "levels of priority",
        .default_value = "1",
        .meaning = "By how many levels a task must be above the task that it preempts.",
        .trade_off = "Each preemption costs two threads some microseconds. With a gap, only tasks that are "
                     "much more urgent cause that.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT_OBJECTS",
        .access = access::any_text<&GlobalIcvs::preempt_objects>,
        .form = "names or paths with commas between them",
        .range = {1, 1 << 16},
        .unit = "bytes",
        .default_words = "none: code of the program's own file alone is preempted, if it has no thread-local variables",
        .meaning = "Further files whose code may be preempted: libraries, or the program's own file.",
        .trade_off = "Long computations in a library give way, too. Whoever names a library vouches for it: it "
                     "holds no lock of its own making, and none of its functions is in the middle of a change "
                     "of a thread-local variable.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT_SIGNAL",
        .access = {read_preempt_signal, print_preempt_signal},
        .form = "SIGURG, SIGUSR1, SIGUSR2, SIGIO, SIGWINCH, SIGPROF, SIGPWR, SIGVTALRM or SIGRTMIN+n",
        .default_value = "SIGURG",
        .meaning = "The signal that preemption uses. A handler of the program for it goes on working.",
        .trade_off = "SIGURG harms nobody and debuggers pass it on; another is for programs that wait for SIGURG.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_DEQUE_LIMIT",
        .access = access::power_of_two<&GlobalIcvs::deque_limit>,
        .form = "a power of two",
        .range = {2, 1 << 20},
        .unit = "tasks",
        .default_value = "1024",
        .meaning = "How many tasks the queue that a thread is using may hold before the thread runs new ones "
                   "at once, on top of their creator. Where a task may not run at once, the queue grows "
                   "beyond that.",
        .trade_off = "A smaller limit saves memory and creation cost; a larger one leaves more for other "
                     "threads to steal.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_CONTEXTS",
        .access = access::integer<&GlobalIcvs::contexts>,
        .form = "an integer",
        .range = {0, 1 << 20},
        .unit = "stacks",
        .default_value = "16384",
        .meaning = "How many stacks there may be for tasks that wait while their thread does other work. "
                   "Each takes OMP_STACKSIZE bytes of address space, and memory for what its task has used. "
                   "Beyond this number, where the stacks would take more than a quarter of the process's "
                   "limit of memory, and always with 0, a task waits in place.",
        .trade_off = "More stacks keep processors busy where many tasks wait. Each takes two of the mappings "
                     "that the system allows a process (vm.max_map_count). With 0 nothing runs on a thread "
                     "beside a task that waits there while it holds a mutex.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_SPIN",
        .access = {read_spin_us, print_spin_us},
        .form = "an integer",
        .range = {0, kSpinMax_us},
        .unit = "microseconds",
        .default_words =
            "automatic: 20; up to 200 while pauses are short; 0 if OMP_WAIT_POLICY is PASSIVE, 5000000 if it is ACTIVE",
        .meaning = "How long a waiting thread spins before it sleeps. Where threads outnumber processors it "
                   "yields its processor a few times instead, unless this is 0.",
        .trade_off =
            "Spinning wakes fastest and takes the processor from others; sleeping costs a wake-up of microseconds.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE",
        .access = access::any_text<&GlobalIcvs::trace_directory>,
        .form = "the path of a folder",
        .range = {1, 4000},
        .unit = "bytes",
        .default_words = "no recording",
        .meaning = "Record every grain into this folder.",
        .trade_off =
            "Costs time, and some 30 to 100 bytes of disk for each task or chunk. Ignored in a program with raised "
            "privileges.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
    {
        .name = "TEFF_TRACE_SESSION",
        .access = {read_trace_session, access::print_escaped<&GlobalIcvs::trace_session>},
        .form = "a folder's device and inode, as in 2049:131",
        .range = {3, 41},
        .unit = "bytes",
        .default_words = "each program refuses a folder that is in use",
        .meaning = "`teff record` sets it. Programs that find the folder of TEFF_TRACE to be this one record "
                   "there together: the first into the folder itself, each further one into process-PID "
                   "inside of it.",
        .trade_off = "Another folder that happens to have the same inode would be taken for this one.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_LIMIT",
        .access = {read_trace_limit, print_trace_limit},
        .form = "an integer",
        .range = {0, 1 << 24},
        .unit = "MiB",
        .default_words = "as much as the recording leaves free on its disk, and at most 32768",
        .meaning = "How much disk space a recording may take, over all its processes. 0 sets no limit.",
        .trade_off = "Protects the disk. What is beyond the limit is counted, not recorded. Each thread takes "
                     "1 MiB at a time. `teff report` reads 32 GiB.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_CALL_PATHS",
        .access = access::integer<&GlobalIcvs::trace_call_paths>,
        .form = "an integer",
        .range = {0, 128},
        .unit = "calls",
        .default_value = "0",
        .meaning = "How many calls above each construct of a task a recording keeps, so that it shows who "
                   "called a wrapper or a library. 0 keeps none; `teff record --call-paths` sets 32.",
        .trade_off = "Each construct costs a look at the stack, and a record of how long that took.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_STAT",
        .access = access::any_text<&GlobalIcvs::stat_directory>,
        .form = "the path of a folder",
        .range = {1, 4000},
        .unit = "bytes",
        .default_words = "nothing is counted",
        .meaning = "Count and time what each worker does, into a file of this existing folder. `teff stat` "
                   "sets it, and reads the file.",
        .trade_off = "Costs some nanoseconds for each task: docs/monitoring.md. Ignored in a program with "
                     "raised privileges.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
    {
        .name = "TEFF_STAT_TIMES",
        .access = access::boolean<&GlobalIcvs::stat_times>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether TEFF_STAT also reads the clock whenever a worker begins something else. `teff "
                   "stat --times exact` sets it.",
        .trade_off = "Costs some tens of nanoseconds for each task. Without it, a reader has to sample what "
                     "workers do.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_STAT_EVENTS",
        .access = access::any_text<&GlobalIcvs::stat_events>,
        .form = "TYPE:CONFIG pairs of perf_event_open with commas between",
        .range = {3, 400},
        .unit = "bytes",
        .default_words = "none",
        .meaning = "Which hardware and software events are counted for each thread, at most 8. `teff stat "
                   "--events`, which knows their names, sets it.",
        .trade_off = "Each event takes a file descriptor per thread, and system calls where a thread begins "
                     "and ends.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PROCESSES",
        .access = access::integer<&GlobalIcvs::processes>,
        .form = "an integer",
        .range = {1, 64},
        .unit = "processes",
        .default_value = "1",
        .meaning = "How many processes that share no memory a program runs on, in the place of threads. The "
                   "library in lib/processes reads it, which `teff run --processes` chooses: "
                   "docs/processes.md.",
        .trade_off = "Each process has a copy of the program's memory, and what changes is sent to all at each "
                     "barrier.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRANSPORT",
        .access = access::one_of<&GlobalIcvs::transport, kTransports>,
        .form = kTransportForm,
        .default_value = "sockets",
        .meaning = "How such processes send messages.",
        .trade_off = "A ring needs a segment that the two ends share; sockets need none.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PROCESS_FIGURES",
        .access = access::boolean<&GlobalIcvs::process_figures>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether such a run prints a line about its messages and bytes when it ends.",
        .trade_off = "None.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PROCESS_PATIENCE",
        .access = access::integer<&GlobalIcvs::process_patience_s>,
        .form = "an integer",
        .range = {0, 86400},
        .unit = "seconds",
        .default_value = "10",
        .meaning = "How long all such processes may wait for each other in loops that only yield (taskyield, "
                   "sched_yield) and change nothing. Then the run ends with a message. 0: for ever.",
        .trade_off = "A run that waits so for something outside of the program needs more.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_DISTRIBUTE",
        .access = access::plain_text<&GlobalIcvs::distribute>,
        .form = "fine or coarse, then maybe :BYTES, the least size, and :filters=NUMBER, which teff run adds",
        .default_words = "nothing",
        .meaning = "How the program's own big allocations spread over the NUMA nodes. `teff run "
                   "--distribute` sets it, for libteff-distribute.so, which it preloads.",
        .trade_off = "docs/distribution.md says which memory that is, and what it costs.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
    {
        .name = "OMP_TOOL",
        .access = access::word<&GlobalIcvs::tool, kEnabled>,
        .form = "ENABLED or DISABLED",
        .default_value = "ENABLED",
        .meaning = "Whether a tool may attach through OMPT, OpenMP's tool interface.",
        .trade_off = "None.",
        .shown = Shown::verbose,
    },
    {
        .name = "OMP_TOOL_LIBRARIES",
        .access = access::any_text<&GlobalIcvs::tool_libraries>,
        .form = "paths of libraries with colons between them",
        .range = {0, 1 << 20},
        .unit = "bytes",
        .default_words = "none",
        .meaning =
            "Where to look for a tool if the process has none: the first library whose ompt_start_tool returns one.",
        .trade_off = "None. Ignored in a program with raised privileges.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
    {
        .name = "OMP_TOOL_VERBOSE_INIT",
        .access = access::any_text<&GlobalIcvs::tool_verbose_init>,
        .form = "DISABLED, STDOUT, STDERR or the name of a file",
        .range = {1, 4000},
        .unit = "bytes",
        .default_value = "DISABLED",
        .meaning = "Where to tell each step of the search for a tool.",
        .trade_off = "None. Ignored in a program with raised privileges.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
    {
        .name = "OMP_DISPLAY_ENV",
        .access = access::word<&GlobalIcvs::display_env, kDisplayEnv>,
        .form = "TRUE, FALSE or VERBOSE",
        .default_value = "FALSE",
        .meaning =
            "Print the control variables at the program's first use of OpenMP; VERBOSE adds those of libgomp and "
            "Teff.",
        .trade_off = "Output on standard error, if that is still the file that it was when the program started.",
        .shown = Shown::never,
    },
};

static_assert(std::size(kKnobs) <= kKnobCapacity);

} // namespace

std::span<const Knob> knobs() { return kKnobs; }

} // namespace teff::icv
