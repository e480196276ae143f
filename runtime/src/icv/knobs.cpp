// SPDX-License-Identifier: Apache-2.0
#include "icv/knobs.h"

#include <iterator>

#include "icv/device_knobs.h"
#include "icv/icv.h"
#include "icv/knob_access.h"
#include "icv/knob_values.h"
#include "icv/libomp_knobs.h"
#include "icv/openacc_knobs.h"

namespace teff::icv {

namespace {

using namespace values;

constexpr Knob kKnobs[] = {
    {
        .name = "OMP_DYNAMIC",
        .access = access::boolean<&GlobalIcvs::dynamic>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether a team may get fewer threads than requested when the machine is busy.",
        .trade_off =
            "Prevents several programs from oversubscribing one machine, but team sizes are no longer predictable.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_NESTED",
        .access = {access::read_boolean<&GlobalIcvs::nested>, print_nested},
        .form = kBooleanForm,
        .default_words = "follows from the number of active levels",
        .meaning =
            "Whether a nested parallel region may have more than one thread. OpenMP 5.0 deprecates this variable in "
            "favour of OMP_MAX_ACTIVE_LEVELS. If both are set, OMP_MAX_ACTIVE_LEVELS takes precedence.",
        .trade_off = "Nested teams multiply: two levels of 8 threads make 64 threads.",
    },
    {
        .name = "OMP_NUM_THREADS",
        .access = {read_num_threads, print_num_threads},
        .form = "integers with commas between them, outermost nesting level first",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words =
            "the number of processors that the process may use: its affinity mask, reduced to its control groups' "
            "quota",
        .meaning = "The size of teams, with one value for each nesting level. A list of several values enables nested "
                   "parallelism.",
        .trade_off = "If there are more threads than processors, threads wait for each other, mostly at barriers.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_SCHEDULE",
        .access = {read_schedule, print_schedule},
        .form = "[monotonic|nonmonotonic:]kind[,chunk] with kind static, dynamic, guided or auto",
        .unit = "iterations (chunk)",
        .default_words = "DYNAMIC; STATIC in code of LLVM's compilers, as with libomp",
        .meaning = "How loops with schedule(runtime) distribute their iterations.",
        .trade_off = "`static` costs least, `dynamic` balances uneven iterations best, and `guided` is between them.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_PROC_BIND",
        .access = {read_proc_bind, print_proc_bind},
        .form = "TRUE, FALSE, or a list of PRIMARY, CLOSE and SPREAD, outermost nesting level first",
        .default_words = "TRUE if OMP_PLACES or GOMP_CPU_AFFINITY is set, else FALSE",
        .meaning =
            "Whether threads stay on their places, and how a team spreads over the places. PRIMARY keeps the team on "
            "the place of the thread that starts it, CLOSE fills the places next to that place, and SPREAD divides "
            "the places among the members. TRUE means CLOSE. Every value except FALSE binds the initial thread to the "
            "first place, at the program's first use of OpenMP. Threads and processes that the program starts before "
            "its first use of OpenMP are not bound, nor is a process that never uses OpenMP.",
        .trade_off = "Bound threads keep their caches warm, but cannot move away from a busy processor.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_PLACES",
        .access = access::plain_text<&GlobalIcvs::places>,
        .form = "a list of places, as in {0,1},{2,3} or {0:2}:4:2, or a name, as in cores or cores(4); the names are "
                "threads, cores, ll_caches, sockets and numa_domains",
        .default_words = "none; if OMP_PROC_BIND is set and not FALSE, one place for each processor",
        .meaning = "The places to which threads are bound. Processors that the process may not use are left out.",
        .trade_off =
            "Numbers are precise on one machine and wrong on the next; the names cores and sockets are portable.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_STACKSIZE",
        .access = {access::read_size<&GlobalIcvs::stacksize_bytes>,
                   access::print_integer<&GlobalIcvs::stacksize_bytes>},
        .form = kSizeForm,
        .range = kStackRange,
        .unit = "bytes",
        .default_words = "0: the system's limit for threads (ulimit -s)",
        .meaning = "The size of the stack of each thread that the runtime creates.",
        .trade_off =
            "If it is too small, deep recursion and large private arrays crash; if it is too large, it wastes address "
            "space for each thread.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_WAIT_POLICY",
        .access = access::word<&GlobalIcvs::wait_policy, kWaitPolicies>,
        .form = "ACTIVE or PASSIVE",
        .default_words = "neither: spin for a short time, then sleep",
        .meaning =
            "What a waiting thread does. ACTIVE spins for 5 s before it sleeps, unless there are more threads than "
            "processors. PASSIVE sleeps at once.",
        .trade_off =
            "A spinning thread wakes up fastest, but takes the processor from others. A wake-up from sleep costs "
            "microseconds.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_THREAD_LIMIT",
        .access = {read_thread_limit, access::print_integer<&GlobalIcvs::thread_limit>},
        .form = "an integer",
        .range = {1, INT64_MAX},
        .unit = "threads",
        .default_words = "4294967295, in practice no limit",
        .meaning = "The largest number of threads that work for the program at one time.",
        .trade_off = "Protects the machine from runaway nesting; teams that would exceed the limit become smaller.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_MAX_ACTIVE_LEVELS",
        .access = {read_active_levels, access::print_integer<&GlobalIcvs::max_active_levels>},
        .form = "an integer",
        .range = {0, INT64_MAX},
        .unit = "nesting levels",
        .default_words =
            "1; 255 if OMP_NESTED is TRUE, or if a list for nesting levels is given and OMP_NESTED is not FALSE",
        .meaning = "How many nested parallel regions may have more than one thread. Values above 255 mean 255.",
        .trade_off = "Nested teams multiply: two levels of 8 threads make 64 threads.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_NUM_TEAMS",
        .access = access::integer<&GlobalIcvs::num_teams>,
        .form = "an integer",
        .range = {1, INT32_MAX},
        .unit = "teams",
        .default_words = "0: the runtime decides",
        .meaning = "The largest number of teams that a teams construct creates.",
        .trade_off = "On the host, teams run one after another, so more teams only divide the work more finely.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_TEAMS_THREAD_LIMIT",
        .access = access::integer<&GlobalIcvs::teams_thread_limit>,
        .form = "an integer",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words = "0: none",
        .meaning = "The largest number of threads in each team that a teams construct creates.",
        .trade_off = "The same as for OMP_THREAD_LIMIT, for teams constructs only.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_CANCELLATION",
        .access = access::boolean<&GlobalIcvs::cancellation>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether the cancel construct has an effect.",
        .trade_off = "Lets searches stop early, but every barrier and every task then also checks for a cancellation.",
    },
    {
        .name = "OMP_DEFAULT_DEVICE",
        .access = {access::read_integer<&GlobalIcvs::default_device_asked>, print_default_device},
        .form = "an integer",
        .range = {0, INT32_MAX},
        .default_words = "0; none if OMP_TARGET_OFFLOAD is MANDATORY",
        .meaning =
            "The device of target regions without a device clause. Without `teff run --devices`, the host is the only "
            "device.",
        .trade_off = "None.",
    },
    {
        .name = "OMP_MAX_TASK_PRIORITY",
        .access = access::integer<&GlobalIcvs::max_task_priority>,
        .form = "an integer",
        .range = {0, INT32_MAX},
        .default_value = "0",
        .meaning = "The highest priority that a task may have. With 0, priority clauses are ignored.",
        .trade_off = "Tasks with a priority go through a queue that all threads share, which slows down tiny tasks.",
    },
    {
        .name = "OMP_DISPLAY_AFFINITY",
        .access = access::boolean<&GlobalIcvs::display_affinity>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning =
            "Whether the threads of a team print the processors on which they may run, in the format of "
            "OMP_AFFINITY_FORMAT. They print when the team first starts, and when its size or its places change.",
        .trade_off = "Prints one line for each thread at each change: use it to look at one run, not in production.",
    },
    {
        .name = "OMP_AFFINITY_FORMAT",
        .access = access::any_text<&GlobalIcvs::affinity_format>,
        .form = "a text with fields such as %n (thread number) and %A (affinity)",
        .range = {0, 4095},
        .unit = "bytes",
        .default_words = "`level %L thread %i affinity %A`. In a program that was linked with libomp, "
                         "`OMP: pid %P tid %i thread %n bound to OS proc set {%A}`, as with libomp",
        .meaning = "The format of what OMP_DISPLAY_AFFINITY and omp_display_affinity print: on standard error, and on "
                   "standard output in a program that was linked with libomp.",
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
        .meaning = "The allocator that omp_alloc uses if the program names none.",
        .trade_off =
            "All memory spaces are the same memory at present. Of the traits, only alignment, pool_size, fallback, "
            "pinned, partition and part_size have an effect.",
        .variants = Variants::by_device,
    },
    {
        .name = "OMP_TARGET_OFFLOAD",
        .access = access::word<&GlobalIcvs::target_offload, kTargetOffload>,
        .form = "MANDATORY, DISABLED or DEFAULT",
        .default_value = "DEFAULT",
        .meaning = "Where target regions run. With MANDATORY, a target region that would run on the host because it "
                   "has no valid "
                   "device ends the program. With DISABLED, there are no devices.",
        .trade_off = "None.",
    },
    {
        .name = "GOMP_CPU_AFFINITY",
        .access = access::plain_text<&GlobalIcvs::cpu_affinity>,
        .form = "processor numbers and ranges, as in 0 3 1-2 4-15:2",
        .default_words = "none",
        .meaning =
            "libgomp's older form of OMP_PLACES, in which each processor is a place. If both are set, OMP_PLACES "
            "takes precedence.",
        .trade_off = "The same as for OMP_PLACES.",
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
        .meaning = "libgomp's older name of OMP_STACKSIZE. If both are set, OMP_STACKSIZE takes precedence.",
        .trade_off = "The same as for OMP_STACKSIZE.",
        .shown = Shown::verbose,
    },
    {
        .name = "GOMP_SPINCOUNT",
        .access = {read_spin_count, print_spin_count},
        .form = "an integer with k, m, g or t after it, or INFINITE",
        .unit = "spins; 100 spins count as one microsecond",
        .default_words = "TEFF_SPIN",
        .meaning = "libgomp's form of TEFF_SPIN. If both are set, TEFF_SPIN takes precedence.",
        .trade_off = "The same as for TEFF_SPIN. In addition, a count means a different time on each processor.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_SCHEDULE",
        .access = access::one_of<&GlobalIcvs::schedule_policy, kSchedulePolicies>,
        .form = kSchedulePolicyForm,
        .default_value = "work_stealing",
        .meaning = "The scheduling policy, which decides which task a thread runs next.",
        .trade_off =
            "`work_stealing` creates tasks without a lock and keeps related tasks on one thread. `locality` adds a "
            "queue for each NUMA node, for tasks whose data is on that node: data in memory from omp_malloc that is "
            "named by depend clauses or by teff_next_task_footprint (teff.h). With `locality`, loops and taskloops "
            "prefer, for each iteration, the thread that would run the iteration in a static loop. `locality` gains "
            "if tasks and loops work on much memory; on a machine with one node it is the same as `work_stealing`. "
            "Two policies exist for comparison: `central` is one queue with one lock, and `round_robin` is "
            "`work_stealing` whose thieves try the other threads in turn, not at random.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_FOOTPRINT_MIN",
        .access = access::integer<&GlobalIcvs::footprint_min>,
        .form = "an integer",
        .range = {1, std::uint64_t{1} << 47},
        .unit = "bytes",
        .default_words = "0: the size of the last-level cache, divided by the number of processors that share it",
        .meaning =
            "With TEFF_SCHEDULE=locality, the smallest amount of memory for which a task is kept on a node. A task "
            "that is known to touch less memory runs on any node.",
        .trade_off =
            "A smaller value keeps more tasks near their data. But data that fits into a cache is soon in the cache "
            "where the task runs, and the queue of a node has a lock.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_BARRIER",
        .access = access::one_of<&GlobalIcvs::barrier, kBarriers>,
        .form = kBarrierForm,
        .default_value = "central",
        .meaning =
            "How the threads of a team detect that all of them have arrived at a barrier. `central`: one counter, and "
            "one word that all threads poll. `combining`: a counter and a word for each group of threads. A group has "
            "as many threads as a NUMA node has processors, but at least 4 and at most 8; its last thread to arrive "
            "counts for the group.",
        .trade_off =
            "`central` costs least if few threads share a cache. `combining` reduces contention for one cache line "
            "between many threads of a large machine; it gains if OMP_PROC_BIND keeps neighbouring threads close "
            "together.",
        .shown = Shown::verbose,
    },
    {
        .name = "OMP_DATA_DISTRIBUTION",
        .access = access::one_of<&GlobalIcvs::data_distribution, kDistributions>,
        .form = kDistributionForm,
        .default_value = "standard",
        .meaning = "How memory from omp_malloc (teff.h) is spread over the NUMA nodes. `standard`: the kernel decides, "
                   "mostly for the node of the thread that touches a page first. `fine`: page by page over all nodes. "
                   "`coarse`: each allocation on one node, and the next allocation on the next node. `blocked`: each "
                   "allocation in as many parts as there are nodes. `nearest`: on the node of the allocating thread.",
        .trade_off =
            "`fine` spreads the load of data that all threads use. `coarse` and `blocked` let tasks run near their "
            "data, but overload one node if all tasks use a single allocation. On a machine with one node, this "
            "variable has no effect.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TSC",
        .access = access::word<&GlobalIcvs::task_constraints, kTaskConstraints>,
        .form = "auto, strict or relaxed",
        .default_value = "auto",
        .meaning =
            "Whether the task scheduling constraints of the specification apply. An undeferred task always starts at "
            "once, and counts as a part of its creator.",
        .trade_off =
            "`auto` means `strict`, but with TEFF_PREEMPT a thread starts any task while another task waits on it for "
            "tasks, holds no lock, and cannot reach a thread-local variable of the program. `relaxed` lets a thread "
            "start any task while another task waits on it, even for a lock or for its turn at an ordered region. "
            "This keeps the thread busy. But a task may then see thread-private data in the middle of a change, or "
            "try to take a mutex whose holder is another task that is suspended on the same thread.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_UNTIED",
        .access = access::word<&GlobalIcvs::untied, kUntiedTasks>,
        .form = "stay or migrate",
        .default_value = "stay",
        .meaning =
            "Whether an untied task that has begun may continue on another thread. `stay`: it continues on its thread. "
            "`migrate`: while it is at a taskwait, at the end of a taskgroup or at a taskyield, or is preempted "
            "(TEFF_PREEMPT), a thread that has no work may continue it.",
        .trade_off =
            "With `migrate` no thread idles while such a task could continue, but each untied task that starts in an "
            "otherwise idle thread gets a stack of its own. A program with thread-local variables, and a program that "
            "is recorded or counted, or that a tool watches, runs as with `stay`, and so do the tasks of libraries. "
            "The task may find another thread's `omp_get_thread_num`, `pthread_self` and errno: docs/preemption.md "
            "has the list.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT",
        .access = {read_preemption, print_preemption},
        .form = "off, on, kernel, or timer:PERIODus, perf:PERIODus or stress:PERIODus with a period from 10 to 1000000",
        .default_value = "off",
        .meaning =
            "Whether a thread may leave a task between two task scheduling points, for a task of higher priority. "
            "`on`: the thread that makes the other task ready sends a signal. `kernel`: the kernel module replaces "
            "the signal, if the module is loaded (labs/kernel/README.md). `timer` and `perf`: each thread checks once "
            "per period. `stress` is for tests: like `timer`, but the thread continues with any other task that it "
            "may run.",
        .trade_off =
            "Tasks of high priority start at once, but the program's code must tolerate that: docs/preemption.md. A "
            "period costs time even if no task waits. TEFF_PREEMPT has no effect while OMP_MAX_TASK_PRIORITY is 0.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT_GAP",
        .access = access::integer<&GlobalIcvs::preempt_gap>,
        .form = "an integer",
        .range = {1, INT32_MAX},
        .unit = "levels of priority",
        .default_value = "1",
        .meaning = "By how many levels a task's priority must exceed the priority of the task that it preempts.",
        .trade_off =
            "Each preemption costs two threads some microseconds. With a larger gap, only much more urgent tasks "
            "cause that cost.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT_OBJECTS",
        .access = access::any_text<&GlobalIcvs::preempt_objects>,
        .form = "names or paths with commas between them",
        .range = {1, 1 << 16},
        .unit = "bytes",
        .default_words =
            "none: only the program's own file, and only in tasks that cannot reach a thread-local variable",
        .meaning = "Additional files whose code may be preempted: libraries, or the program's own file.",
        .trade_off =
            "Long computations in a library then give way, too. If you name a library, make sure that its code holds "
            "no home-made lock (one built from atomics), and that none of its functions can be preempted while "
            "it changes a thread-local variable.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PREEMPT_SIGNAL",
        .access = {read_preempt_signal, print_preempt_signal},
        .form = "SIGURG, SIGUSR1, SIGUSR2, SIGIO, SIGWINCH, SIGPROF, SIGPWR, SIGVTALRM or SIGRTMIN+n",
        .default_value = "SIGURG",
        .meaning = "The signal that preemption uses. The program's own handler for this signal continues to work.",
        .trade_off =
            "SIGURG is harmless, and debuggers pass it on. Choose another signal for programs that wait for SIGURG.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_DEQUE_LIMIT",
        .access = access::power_of_two<&GlobalIcvs::deque_limit>,
        .form = "a power of two",
        .range = {2, 1 << 20},
        .unit = "tasks",
        .default_value = "1024",
        .meaning =
            "How many tasks a thread's current queue may hold. If the queue is full, the thread runs new tasks at "
            "once, on the stack of their creator. If a task may not run at once, the queue grows beyond the limit.",
        .trade_off =
            "A smaller limit saves memory and creation cost; a larger limit leaves more tasks for other threads to "
            "steal.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_CONTEXTS",
        .access = access::integer<&GlobalIcvs::contexts>,
        .form = "an integer",
        .range = {0, 1 << 20},
        .unit = "stacks",
        .default_value = "16384",
        .meaning =
            "How many stacks there may be for tasks that wait while their threads do other work. Each stack takes "
            "OMP_STACKSIZE bytes of address space, and memory for what its task has used. If this many stacks are in "
            "use, or if another stack would bring their total above a quarter of the process's memory limit, a task "
            "waits in place, on its thread's stack. With 0, tasks always wait in place.",
        .trade_off =
            "More stacks keep processors busy if many tasks wait. Each stack takes two of the mappings that the "
            "system allows a process (vm.max_map_count). With 0, a thread whose task waits while holding a mutex runs "
            "nothing else.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_SPIN",
        .access = {read_spin_us, print_spin_us},
        .form = "an integer",
        .range = {0, kSpinMax_us},
        .unit = "microseconds",
        .default_words = "automatic: 20, or up to 200 while pauses are short; 0 if OMP_WAIT_POLICY is PASSIVE; 5000000 "
                         "if it is ACTIVE",
        .meaning =
            "How long a waiting thread spins before it sleeps. If there are more threads than processors, the thread "
            "instead yields its processor a few times, unless this value is 0.",
        .trade_off =
            "A spinning thread wakes up fastest, but takes the processor from others. A wake-up from sleep costs "
            "microseconds.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE",
        .access = access::any_text<&GlobalIcvs::trace_directory>,
        .form = "the path of a folder",
        .range = {1, 4000},
        .unit = "bytes",
        .default_words = "no recording",
        .meaning = "The folder into which every grain is recorded.",
        .trade_off =
            "Costs time, and some 16 to 100 bytes of disk space for each task or chunk. Ignored in a program with "
            "raised privileges.",
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
        .meaning =
            "The identity of the folder of TEFF_TRACE, by which several programs share one recording. `teff record` "
            "sets it. If the folder that a program finds at TEFF_TRACE has this identity, the program records there: "
            "the first program into the folder itself, and each later one into process-PID inside it.",
        .trade_off = "If a different folder happens to have the same inode, the program would record there.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_LIMIT",
        .access = {read_trace_limit, print_trace_limit},
        .form = "an integer",
        .range = {0, 1 << 24},
        .unit = "MiB",
        .default_words =
            "the recording stops growing when it is as large as the free space that remains on its disk, and at 32768 "
            "at the latest",
        .meaning = "How much disk space a recording may take, over all its processes. 0 sets no limit.",
        .trade_off =
            "Protects the disk. Records beyond the limit are counted, but not stored. Each thread takes 1 MiB at a "
            "time. `teff report` can read at most 32 GiB.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_DELAY",
        .access = access::integer<&GlobalIcvs::trace_delay_ms>,
        .form = "an integer",
        .range = {0, 7 * 86'400'000},
        .unit = "ms",
        .default_value = "0",
        .meaning =
            "Recording begins with the first outermost parallel region that begins this long after the library was "
            "loaded. `teff record --delay` sets it.",
        .trade_off = "Until then the program runs as without a recorder, and nothing is known of that time.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_DURATION",
        .access = access::integer<&GlobalIcvs::trace_duration_ms>,
        .form = "an integer",
        .range = {0, 7 * 86'400'000},
        .unit = "ms",
        .default_words = "until the program ends",
        .meaning = "How long is recorded, from the beginning on. `teff record --duration` sets it.",
        .trade_off = "As for TEFF_TRACE_DELAY. Tasks that run at the end are unfinished in the recording.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_EVERY",
        .access = access::integer<&GlobalIcvs::trace_every>,
        .form = "an integer",
        .range = {0, 1'000'000},
        .unit = "regions",
        .default_words = "all are recorded",
        .meaning =
            "Of the outermost parallel regions of each construct, only each N-th one is recorded, with what follows "
            "until the next region. `teff record --every` sets it.",
        .trade_off =
            "A long iterative run is recorded as a sample, at a fraction of the cost and of the disk space. Nothing is "
            "known of the regions in between, and of constructs with fewer regions.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_LAST",
        .access = access::integer<&GlobalIcvs::trace_last_MiB>,
        .form = "an integer",
        .range = {0, 1 << 20},
        .unit = "MiB",
        .default_words = "all is kept",
        .meaning =
            "How much of the newest records of each thread is kept: a thread that has recorded more overwrites its "
            "oldest MiB. At least 4 are kept. `teff record --last` sets it.",
        .trade_off = "Bounds the disk space of a long run. What was overwritten is not in the report.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_CALL_PATHS",
        .access = access::integer<&GlobalIcvs::trace_call_paths>,
        .form = "an integer",
        .range = {0, 128},
        .unit = "calls",
        .default_value = "0",
        .meaning =
            "How many calls above each construct of a task are recorded, so that a report can name the callers of a "
            "wrapper or a library. 0 records none; `teff record --call-paths` sets 32.",
        .trade_off = "Each construct costs a walk of the stack, and a record of the time that this walk took.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_SWITCHES",
        .access = access::word<&GlobalIcvs::trace_switches, kWherePossible>,
        .form = "auto or off",
        .default_value = "auto",
        .meaning =
            "Whether the kernel is asked when each recorded thread was off its processor (auto). Where the kernel "
            "refuses, and with off, reports estimate this from the threads' CPU time.",
        .trade_off =
            "Takes 132 KiB of memory for each thread, up to two threads for each processor. This memory counts towards "
            "what the kernel lets a user lock for perf events.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_SAMPLES",
        .access = access::integer<&GlobalIcvs::trace_samples>,
        .form = "an integer",
        .range = {0, 10'000},
        .unit = "samples per second",
        .default_value = "0",
        .meaning =
            "How often it is recorded in which function each thread is, in a second of its CPU time, so that a report "
            "can say where the time inside tasks, loops and serial parts goes. 0 takes no samples; `teff record "
            "--sample` sets 997. Where the kernel refuses, there are none.",
        .trade_off = "Each sample interrupts the thread for some microseconds. Takes 260 KiB of memory for the first "
                     "thread, and 68 KiB for others, as for TEFF_TRACE_SWITCHES.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_STACKS",
        .access = access::boolean<&GlobalIcvs::trace_stacks>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether each sample of TEFF_TRACE_SAMPLES has the calls by which the thread got where it was, with "
                   "the lines of Python in CPython 3.11. `teff record --sample-stacks` sets it.",
        .trade_off =
            "Each sample then sends its thread a signal, SIGURG, which is ignored by default. Calls that SA_RESTART "
            "does not restart may return EINTR in rare cases. The walk takes a microsecond or more.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRACE_COUNTERS",
        .access = access::any_text<&GlobalIcvs::trace_counters>,
        .form = "NAME=TYPE:CONFIG, with the numbers of perf_event_open, and with commas between them",
        .range = {5, 400},
        .unit = "bytes",
        .default_words = "none",
        .meaning =
            "Which events of the kernel and the processor are counted in each fragment of a task or chunk, at most 6. "
            "`teff record --counters`, which knows the names of the events, sets it.",
        .trade_off = "Two readings of the counters for each fragment: docs/recording.md has their costs.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_STAT",
        .access = access::any_text<&GlobalIcvs::stat_directory>,
        .form = "the path of a folder",
        .range = {1, 4000},
        .unit = "bytes",
        .default_words = "nothing is counted",
        .meaning =
            "The existing folder in which the runtime counts and times what each worker does, in one file for each "
            "process. `teff stat` sets it, and reads the files.",
        .trade_off =
            "Costs some nanoseconds for each task: docs/monitoring.md. Ignored in a program with raised privileges.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
    {
        .name = "TEFF_STAT_TIMES",
        .access = access::boolean<&GlobalIcvs::stat_times>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning =
            "Whether TEFF_STAT also reads the clock whenever a worker changes its state. `teff stat --times exact` "
            "sets it.",
        .trade_off =
            "Costs some tens of nanoseconds for each task. Without exact times, a reader has to sample the states.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_STAT_EVENTS",
        .access = access::any_text<&GlobalIcvs::stat_events>,
        .form = "TYPE:CONFIG pairs of perf_event_open with commas between them",
        .range = {3, 400},
        .unit = "bytes",
        .default_words = "none",
        .meaning =
            "Which hardware and software events are counted for each thread, at most 8. `teff stat --events`, which "
            "knows the names of the events, sets it.",
        .trade_off =
            "Each event takes a file descriptor for each thread, and system calls when a thread begins and ends.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PROCESSES",
        .access = access::integer<&GlobalIcvs::processes>,
        .form = "an integer",
        .range = {1, 64},
        .unit = "processes",
        .default_value = "1",
        .meaning =
            "On how many processes without shared memory a program runs, instead of on threads. Only the library in "
            "lib/processes reads it; `teff run --processes` selects that library: docs/processes.md.",
        .trade_off =
            "Each process has a copy of the program's memory, and changes are sent to all processes at each barrier.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_TRANSPORT",
        .access = access::one_of<&GlobalIcvs::transport, kTransports>,
        .form = kTransportForm,
        .default_value = "sockets",
        .meaning = "How the processes of TEFF_PROCESSES send messages.",
        .trade_off = "A ring needs a memory segment that its two ends share; sockets need none.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_PROCESS_FIGURES",
        .access = access::boolean<&GlobalIcvs::process_figures>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether a run on processes (TEFF_PROCESSES) prints its numbers of messages and bytes when it ends.",
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
        .meaning =
            "How long all processes of TEFF_PROCESSES may wait for each other in loops that only yield (taskyield, "
            "sched_yield) and change nothing. After that time the run ends with a message. 0 means for ever.",
        .trade_off = "A run that waits in this way for something outside of the program needs a larger value.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_DISTRIBUTE",
        .access = access::plain_text<&GlobalIcvs::distribute>,
        .form = "fine or coarse, optionally followed by :BYTES, the size of the smallest allocation, and by "
                ":filters=NUMBER, which teff run adds",
        .default_words = "nothing",
        .meaning =
            "How the program's own large allocations are spread over the NUMA nodes. `teff run --distribute` sets it "
            "for libteff-distribute.so, which it preloads.",
        .trade_off = "docs/distribution.md describes which memory is affected, and the costs.",
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
            "Libraries in which the runtime searches for a tool if the process itself contains none. The first library "
            "whose ompt_start_tool returns a tool is used.",
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
        .meaning = "Where each step of the search for a tool is printed.",
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
            "Whether the control variables are printed at the program's first use of OpenMP. VERBOSE also prints "
            "those of libgomp and Teff.",
        .trade_off = "Prints on standard error, but only if it is still the file that it was when the program started.",
        .shown = Shown::never,
    },
};

// Those of libomp come last, and OMP_DISPLAY_ENV does not show them.
constexpr auto kAll = joined(kKnobs, kDeviceKnobs, kOpenaccKnobs, kLibompKnobs);
static_assert(std::size(kAll) <= kKnobCapacity);

} // namespace

std::span<const Knob> knobs() { return kAll; }

} // namespace teff::icv
