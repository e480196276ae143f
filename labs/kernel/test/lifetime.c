// SPDX-License-Identifier: Apache-2.0
//
// Tests files, threads and processes that end, change or move while ticks come.

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

static void open_and_arm(uint32_t slots) {
    open_source(short_period_ns, slots);
    bind_me();
    arm_me();
}

static void closed_while_armed(void) {
    for (int i = 0; i < 50; i++) {
        open_and_arm(1);
        spin_for(5);
        // The mapping is a reference to the file, so ticks continue without the descriptor.
        close(source.fd);
        source.fd = -1;
        spin_for(5);
        tick_source_close(&source);
        const uint64_t entered = me.entered;
        spin(2000000);
        must(me.entered == entered, "ticks after the last reference went");
    }
}

static volatile bool stop;

static void* spin_armed(void* argument) {
    bind_me();
    arm_me();
    spin_for(5);
    *(volatile bool*)argument = true;
    while (!stop)
        spin(100000);
    return NULL;
}

// Another thread closes the file while the bound thread gets ticks on another processor.
static void closed_by_another(void) {
    for (int i = 0; i < 30; i++) {
        static volatile bool ready;
        ready = stop = false;
        open_source(short_period_ns, 1);
        const unsigned long thread = start(spin_armed, (void*)&ready);
        while (!ready)
            sched_yield();
        tick_source_close(&source);
        stop = true;
        join(thread);
    }
}

static void* end_armed(void* argument) {
    bind_me();
    arm_me();
    if (argument) spin_for(3);
    return NULL;
}

static void threads_end_armed(void) {
    open_source(short_period_ns, 2);
    for (uintptr_t i = 0; i < 300; i++)
        join(start(end_armed, (void*)(i % 2)));
    bind_me();
    arm_me();
    spin_for(100);
}

static void* bind_only(void* argument) {
    bind_me();
    pthread_barrier_wait(argument);
    pthread_barrier_wait(argument);
    return NULL;
}

static void slots_run_out(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 3);
    open_source(short_period_ns, 2);
    const unsigned long threads[2] = {start(bind_only, &barrier), start(bind_only, &barrier)};
    pthread_barrier_wait(&barrier);
    must_be(tick_source_bind(&source, &me.hold), ENOSPC);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 2; i++)
        join(threads[i]);
    bind_me(); // in the slot of one that ended
}

static void forked(void) {
    const uint64_t entered = me.entered;
    uint32_t resident;
    must(mincore((void*)source.slots, 4096, (void*)&resident) < 0 && errno == ENOMEM, "the child has the mapping");
    must_be(tick_source_bind(&source, &me.hold), EPERM);
    spin(20000000);
    must(me.entered == entered, "a tick entered the child");
    // A device that the child opens for itself works.
    source.slots = NULL;
    tick_source_close(&source);
    open_and_arm(1);
    spin_for(20);
}

static void fork_while_armed(void) {
    open_and_arm(1);
    for (int i = 0; i < 10; i++) {
        spin_for(5);
        const int status = in_child(forked);
        must(status == 0, "the child ended with status %x", status);
        spin_for(5);
    }
}

// The executed program is the harness itself, which checks what it has inherited. See main.c.
static void exec_while_armed_in(void) {
    char number[16];
    open_and_arm(1);
    spin_for(20);
    snprintf(number, sizeof(number), "%d", source.fd);
    fcntl(source.fd, F_SETFD, 0); // not closed by exec, against all advice
    execl("/proc/self/exe", "client", "executed", number, (char*)NULL);
    must(false, "not executed");
}

static void exec_while_armed(void) {
    for (int i = 0; i < 5; i++) {
        const int status = in_child(exec_while_armed_in);
        must(status == 0, "the executed program ended with status %x", status);
    }
}

static void* exec_body(void* argument) {
    (void)argument;
    bind_me();
    arm_me();
    spin_for(20);
    execl("/proc/self/exe", "client", "executed", "-1", (char*)NULL);
    must(false, "not executed");
    return NULL;
}

static void exec_by_thread_in(void) {
    open_source(short_period_ns, 2);
    start(exec_body, NULL);
    bind_me();
    arm_me();
    for (;;)
        spin(100000);
}

static void exec_by_thread(void) {
    for (int i = 0; i < 5; i++) {
        const int status = in_child(exec_by_thread_in);
        must(status == 0, "the executed program ended with status %x", status);
    }
}

static void exit_while_armed_in(void) {
    static volatile bool ready;
    open_source(short_period_ns, 2);
    start(spin_armed, (void*)&ready);
    bind_me();
    arm_me();
    while (!ready)
        spin_for(1);
}

static void exit_while_armed(void) {
    for (int i = 0; i < 30; i++)
        must(in_child(exit_while_armed_in) == 0, "a child failed");
}

static void ticked_forever(void) {
    static volatile bool ready[2];
    open_source(short_period_ns, 3);
    for (int i = 0; i < 2; i++)
        start(spin_armed, (void*)&ready[i]);
    bind_me();
    arm_me();
    for (;;)
        spin(100000);
}

static void kill_while_armed(void) {
    for (int i = 0; i < 60; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) ticked_forever();
        usleep((useconds_t)(i * 1000));
        kill(child, SIGKILL);
        must(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x",
             status);
    }
}

static void entry_unmapped_in(void) {
    char* page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int device = open(TEFF_PREEMPT_DEVICE, O_RDWR | O_CLOEXEC);
    const struct teff_preempt_setup setup = {.entry = (uint64_t)page, .period_ns = short_period_ns, .slots = 1};
    must(!ioctl(device, TEFF_PREEMPT_SETUP, &setup), "no setup");
    source.fd = device;
    source.slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    set_range_to_preemptible();
    bind_me();
    munmap(page, 4096);
    arm_me();
    for (;;)
        spin(100000);
}

static void entry_unmapped(void) {
    const int status = in_child(entry_unmapped_in);
    must(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "not a fault: status %x", status);
}

static void stay_on(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    must(!sched_setaffinity(0, sizeof(set), &set), "there is no processor %d", cpu);
}

static void moved(void) {
    open_and_arm(1);
    for (int i = 0; i < 200; i++) {
        stay_on(i % 2);
        spin_for(5);
    }
}

static void two_on_one_processor_in(void) {
    stay_on(0);
    open_and_arm(1);
    spin_for(500);
    must(counted() == me.entered, "%lu ticks entered, %lu are counted", me.entered, counted());
}

static void two_processes(void) {
    pid_t children[2];
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            two_on_one_processor_in();
            _exit(0);
        }
    }
    for (int i = 0; i < 2; i++) {
        int status = 0;
        must(waitpid(children[i], &status, 0) == children[i] && status == 0, "status %x", status);
    }
}

static void asleep(void) {
    open_and_arm(1);
    spin_for(5);
    const uint64_t before = missed(TEFF_PREEMPT_MISS_ELSEWHERE) + missed(TEFF_PREEMPT_MISS_KERNEL);
    usleep(500000);
    const uint64_t ticks = missed(TEFF_PREEMPT_MISS_ELSEWHERE) + missed(TEFF_PREEMPT_MISS_KERNEL) - before;
    printf("  %lu ticks in 0.5 s of sleep\n", ticks);
    // After the first few, there is one tick every 4 ms. With a tick in each period there would be
    // many more.
    must(ticks < 250, "%lu ticks for a thread that sleeps", ticks);
    spin_for(5);
}

static volatile bool storm_over;

static void* storm_binder(void* argument) {
    (void)argument;
    while (!storm_over) {
        bind_me();
        arm_me();
        spin(20000);
        disarm_me();
        arm_me();
        spin(1000);
        must_be(tick_source_unbind(&source), 0);
    }
    return NULL;
}

static void* storm_kicker(void* argument) {
    (void)argument;
    for (unsigned long i = 0; !storm_over; i++) {
        const int result = ioctl(source.fd, TEFF_PREEMPT_KICK, i % 4);
        must(result == 0 || errno == ENOENT, "a kick gave %d", errno);
    }
    return NULL;
}

static void storm(void) {
    unsigned long threads[5];
    open_source(short_period_ns, 4);
    for (int i = 0; i < 3; i++)
        threads[i] = start(storm_binder, NULL);
    for (int i = 3; i < 5; i++)
        threads[i] = start(storm_kicker, NULL);
    for (int i = 0; i < 200; i++) {
        set_range_to_preemptible();
        usleep(20000);
    }
    storm_over = true;
    for (int i = 0; i < 5; i++)
        join(threads[i]);
}

const struct check lifetime_checks[] = {
    {"file closed while armed", closed_while_armed},
    {"file closed by another thread", closed_by_another},
    {"threads end while armed, and their slots are used again", threads_end_armed},
    {"no slot left", slots_run_out},
    {"fork while armed", fork_while_armed},
    {"exec while armed", exec_while_armed},
    {"exec by a second thread while both are armed", exec_by_thread},
    {"exit while armed", exit_while_armed},
    {"kill -9 while armed", kill_while_armed},
    {"entry unmapped while armed: the process faults", entry_unmapped},
    {"moved between processors", moved},
    {"two processes on one processor", two_processes},
    {"asleep while armed", asleep},
    {"bind, arm, kick, set ranges, unbind, all at once", storm},
    {0},
};
