// SPDX-License-Identifier: Apache-2.0
#include "processes/run.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/export.h"
#include "icv/icv.h"
#include "processes/aside.h"
#include "processes/beat.h"
#include "processes/descriptors.h"
#include "processes/files.h"
#include "processes/heap.h"
#include "processes/hub.h"
#include "processes/instructions.h"
#include "processes/layout.h"
#include "processes/link.h"
#include "processes/memory.h"
#include "processes/missing.h"
#include "processes/modules.h"
#include "processes/real_threads.h"
#include "processes/report.h"
#include "processes/statics.h"
#include "processes/team.h"
#include "processes/transport.h"
#include "processes/without_signals.h"

namespace teff::processes::run {

namespace {

using Main = int (*)(int, char**, char**);

enum class Order : std::uint32_t { none, start_workers };

struct Run {
    unsigned processes = 1;
    bool prepared = false, connected = false;
    Main main = nullptr;
    int argc = 0;
    char **argv = nullptr, **envp = nullptr;
    Worker worker = nullptr;
    pid_t hub = 0;
};
constinit Run the_run;
std::atomic<std::uint32_t> order{0}; // to the thread that the process began with; 0 again when it is carried out

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void wait_while(std::uint32_t value) {
    while (order.load(std::memory_order_acquire) == value)
        syscall(SYS_futex, &order, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void give_order(std::uint32_t value) {
    order.store(value, std::memory_order_release);
    syscall(SYS_futex, &order, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::size_t stack_bytes() {
    constexpr std::size_t kDefault = 8 << 20;
    rlimit limit;
    std::size_t bytes = kDefault;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > bytes) bytes = limit.rlim_cur;
    if (icv::global().stacksize_bytes > bytes) bytes = icv::global().stacksize_bytes;
    return bytes < kStackSpan - kPage ? bytes & ~(kPage - 1) : kStackSpan - kPage;
}

sigset_t mask_now() {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return mask;
}

// Starts a thread for the program's code, with its stack and its thread-local storage in shared
// memory.
void start_program_thread(unsigned rank, void* (*body)(void*)) {
    const std::uintptr_t end = stack_start(rank, the_run.processes) + kStackSpan;
    const std::size_t bytes = stack_bytes();
    set_stack(end - bytes, end);
    memory::note_stack(end - bytes, end);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all; // signals are for the program's thread
    sigfillset(&all);
    static const sigset_t of_program = mask_now();
    pthread_sigmask(SIG_SETMASK, &of_program, nullptr);
    pthread_t thread;
    const int error = pthread_attr_setstack(&attributes, reinterpret_cast<void*>(end - bytes), bytes) != 0
                          ? 1
                          : real_pthread_create(&thread, &attributes, body);
    if (error != 0) fail("cannot start the thread for the program's code");
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

[[noreturn]] void sleep_for_ever() {
    for (;;)
        pause();
}

// What the program does at its end, such as in destructors, also runs on the program's thread.
void* program_body(void*) {
    beat::begin();
    std::exit(the_run.main(the_run.argc, the_run.argv, the_run.envp));
}

// The body never ends, because the C library would then clean up in shared memory.
void* worker_body(void*) {
    beat::begin();
    the_run.worker();
    sleep_for_ever();
}

void make_pipe(int (&ends)[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) fail_errno("cannot make a pipe");
    for (int& end : ends)
        end = descriptors::keep(end);
}

void tell_hub_of_process() {
    Request here = {};
    here.op = Op::here;
    here.a = static_cast<std::uint64_t>(getpid());
    link::tell(here, link::Sync::none);
}

// The parent of a worker ends at once, which makes it a child of the hub, if that lives.
[[noreturn]] void be_worker(unsigned rank, int ready, pid_t parent) {
    while (getppid() == parent)
        usleep(100);
    prctl(PR_SET_PDEATHSIG, link::death_signal_number());
    if (getppid() != the_run.hub) _exit(kFailedStatus);
    link::become(rank, the_run.processes);
    heap::become(rank, the_run.processes);
    transport().be_process(rank);
    memory::make_replica(the_run.processes);
    files::be_worker();
    link::connect();
    the_run.connected = true;
    tell_hub_of_process();
    const char byte = 1;
    if (write(ready, &byte, 1) != 1) _exit(kFailedStatus);
    descriptors::close_kept(ready);
    start_program_thread(rank, worker_body);
    sleep_for_ever();
}

// The intermediate process ends without a signal, because the program might notice a signal.
void fork_worker(unsigned rank, const int (&ready)[2]) {
    const auto between = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, 0));
    if (between < 0) fail_errno("cannot start process %u of %u", rank, the_run.processes);
    if (between > 0) {
        waitpid(between, nullptr, __WCLONE);
        return;
    }
    descriptors::close_kept(ready[0]);
    const pid_t own = getpid();
    const pid_t worker = fork();
    if (worker < 0) fail_errno("cannot start process %u of %u", rank, the_run.processes);
    if (worker > 0) _exit(0);
    be_worker(rank, ready[1], own);
}

void place_hooks() {
    files::place_hooks();
    statics::place_hooks();
}

void carry_out_start() {
    place_hooks(); // in libraries that were loaded since
    instructions::patch();
    memory::make_replica(the_run.processes);
    int ready[2];
    make_pipe(ready);
    for (unsigned rank = 1; rank < the_run.processes; ++rank)
        fork_worker(rank, ready);
    descriptors::close_kept(ready[1]);
    char byte;
    for (unsigned rank = 1; rank < the_run.processes; ++rank)
        if (read(ready[0], &byte, 1) != 1) fail("a process could not be started");
    descriptors::close_kept(ready[0]);
    transport().be_process(0);
    link::connect();
    the_run.connected = true;
}

// Runs in place of the program's main, on the thread with which the process began.
int wait_for_orders(int argc, char** argv, char** envp) {
    the_run.argc = argc;
    the_run.argv = argv;
    the_run.envp = envp;
    start_program_thread(0, program_body);
    for (;;) {
        wait_while(static_cast<std::uint32_t>(Order::none));
        carry_out_start();
        give_order(static_cast<std::uint32_t>(Order::none));
    }
}

// A fork() by the program. The child is alone: its regions have one member. Its memory still shows
// the parent's file, so it must get its own file before the parent continues.
int copied[2];
bool forks_for_program = false;

void before_fork() {
    forks_for_program = is_on_program_stack();
    if (forks_for_program && the_run.connected) make_pipe(copied);
}
void in_parent() {
    if (!forks_for_program || !the_run.connected) return;
    char byte;
    descriptors::close_kept(copied[1]);
    (void)!read(copied[0], &byte, 1);
    descriptors::close_kept(copied[0]);
}
void in_child() {
    if (!forks_for_program) return;
    const unsigned processes = the_run.processes;
    the_run.processes = 1;
    link::disconnect();
    region::go_on_alone();
    if (!the_run.connected) return;
    aside([processes] { memory::make_replica(processes); });
    descriptors::close_kept(copied[0]);
    descriptors::close_kept(copied[1]);
}

// Nothing of the program has run yet.
void split_off_hub() {
    modules::prepare();
    heap::become(0, the_run.processes);
    memory::reserve(the_run.processes);
    transport().open(the_run.processes);
    the_run.hub = getpid();
    hub::watch_signals();
    const pid_t first = fork();
    if (first < 0) fail_errno("cannot start the first process");
    if (first > 0) hub::serve(the_run.processes, first);
    hub::forget_signals();
    prctl(PR_SET_PDEATHSIG, link::death_signal_number());
    if (getppid() != the_run.hub) _exit(kFailedStatus);
    link::become(0, the_run.processes);
    pthread_atfork(before_fork, in_parent, in_child);
    place_hooks();
    the_run.prepared = true;
}

// A team is as large as there are processes, unless the user asks for less.
void limit_teams() {
    icv::TaskIcvs& initial = icv::detail::initial_icvs;
    if (initial.nthreads > the_run.processes) initial.nthreads = the_run.processes;
}

// Called when the library is loaded, which may be after the program's start.
[[gnu::constructor]] void read_settings(int, char**, char** envp) {
    icv::initialise(envp, static_cast<int>(kMostProcesses));
    const icv::GlobalIcvs& icvs = icv::global();
    the_run.processes = icvs.processes;
    limit_teams();
    choose_transport(icv::kTransports[icvs.transport]);
    if (icvs.process_figures) hub::want_figures();
    hub::set_patience(icvs.process_patience_s);
}

void refuse_settings() {
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.preemption.source != icv::PreemptionSource::off) missing("TEFF_PREEMPT");
    if (icvs.task_constraints == icv::TaskConstraints::relaxed) missing("TEFF_TSC=relaxed");
    if (icvs.cancellation) missing("OMP_CANCELLATION=true");
}

} // namespace

bool is_shared() { return the_run.prepared; }
bool is_for_program(const void* caller) { return is_shared() && !modules::is_private_code(caller); }
unsigned number_of_processes() { return the_run.processes; }

void start_workers() {
    if (the_run.connected) return;
    if (!the_run.prepared)
        fail("this program loads its OpenMP library after its start, or is started in a way that Teff cannot see: "
             "run it without --processes");
    if (!is_on_program_stack()) missing("a parallel region before main, as in a constructor of a static object,");
    files::hand_over(); // else each process has what is buffered now
    aside([] {
        const WithoutSignals quiet; // of the program, which would find the other processes half made
        give_order(static_cast<std::uint32_t>(Order::start_workers));
        wait_while(static_cast<std::uint32_t>(Order::start_workers));
    });
}

void set_worker(Worker worker) { the_run.worker = worker; }

int begin(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(), void* stack_end) {
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    the_run.main = main;
    refuse_settings();
    split_off_hub();
    return start(wait_for_orders, argc, argv, init, fini, rtld_fini, stack_end);
}

} // namespace teff::processes::run

// The C library's entry point for a program's start.
TEFF_EXPORT int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                                  void (*fini)(), void (*rtld_fini)(), void* stack_end) {
    return teff::processes::run::begin(main, argc, argv, init, fini, rtld_fini, stack_end);
}
