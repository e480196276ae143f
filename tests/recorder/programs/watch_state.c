// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

extern char** environ;

static const char* moment_;

// All allocations of the process come by here.
static _Atomic long allocations;
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
    ++allocations;
    return __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) {
    ++allocations;
    return __libc_calloc(count, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    ++allocations;
    return __libc_memalign(alignment, bytes);
}

long count_allocations(void) { return allocations; }

static void show(const char* what, const char* value) {
    printf("%s %s: %s\n", moment_, what, value);
}

static void show_number(const char* what, long long value) {
    printf("%s %s: %lld\n", moment_, what, value);
}

static void show_link(const char* what, const char* path) {
    char target[4096];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    show(what, target);
}

// Without the numbers of pipes, which are others in each run.
static void watch_descriptor(const char* number) {
    char path[300], what[350], target[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%s", number);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    target[strcspn(target, ":")] = '\0';
    snprintf(what, sizeof what, "descriptor %s (%x %x)", number,
             (unsigned)fcntl(atoi(number), F_GETFD), (unsigned)fcntl(atoi(number), F_GETFL));
    show(what, target);
}

static void watch_descriptors(void) {
    DIR* folder = opendir("/proc/self/fd");
    for (const struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
            watch_descriptor(entry->d_name);
    if (folder != NULL) closedir(folder);
    const int lowest = dup(0);
    show_number("lowest free descriptor", lowest);
    close(lowest);
}

static void show_set(const char* what, const sigset_t* set) {
    char text[66] = "";
    for (int signal = 1; signal <= 64; ++signal)
        strcat(text, sigismember(set, signal) == 1 ? "1" : "0");
    show(what, text);
}

static void watch_signals(void) {
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    show_set("mask", &set);
    sigpending(&set);
    show_set("pending", &set);
    stack_t stack;
    sigaltstack(NULL, &stack);
    printf("%s altstack: %p %x %zu\n", moment_, stack.ss_sp, (unsigned)stack.ss_flags,
           stack.ss_size);
}

static void watch_dispositions(void) {
    for (int signal = 1; signal <= 64; ++signal) {
        struct sigaction action;
        if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf("%s disposition of %d: %p %x\n", moment_, signal, (void*)action.sa_handler,
                   (unsigned)action.sa_flags);
    }
}

static void watch_environment(void) {
    for (char** variable = environ; *variable != NULL; ++variable)
        if (strncmp(*variable, "TEFF_", 5) != 0) show("variable", *variable);
}

static void watch_limits(void) {
    for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
        struct rlimit limit;
        getrlimit((__rlimit_resource_t)resource, &limit);
        printf("%s limit %d: %llx %llx\n", moment_, resource, (unsigned long long)limit.rlim_cur,
               (unsigned long long)limit.rlim_max);
    }
}

// The lines of /proc/self/status that say how the process stands, and not how much it has used.
static void watch_status(void) {
    static const char* const kWatched[] = {"Name",
                                           "Umask",
                                           "State",
                                           "Tgid",
                                           "TracerPid",
                                           "Uid",
                                           "Gid",
                                           "FDSize",
                                           "Groups",
                                           "VmLck",
                                           "VmPin",
                                           "HugetlbPages",
                                           "CoreDumping",
                                           "THP_enabled",
                                           "Threads",
                                           "SigPnd",
                                           "ShdPnd",
                                           "SigBlk",
                                           "SigIgn",
                                           "SigCgt",
                                           "CapInh",
                                           "CapPrm",
                                           "CapEff",
                                           "CapBnd",
                                           "CapAmb",
                                           "NoNewPrivs",
                                           "Seccomp",
                                           "Seccomp_filters",
                                           "Speculation_Store_Bypass",
                                           "Cpus_allowed",
                                           "Mems_allowed"};
    FILE* file = fopen("/proc/self/status", "re");
    char line[1024];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char* colon = strchr(line, ':');
        if (colon == NULL) continue;
        *colon = '\0';
        line[strcspn(line, "\n")] = '\0';
        colon[strcspn(colon + 1, "\n") + 1] = '\0';
        for (size_t i = 0; i < sizeof kWatched / sizeof *kWatched; ++i)
            if (strcmp(line, kWatched[i]) == 0 && strcmp(line, "Tgid") != 0)
                show(line, colon + 1 + strspn(colon + 1, "\t "));
    }
    if (file != NULL) fclose(file);
}

static int compare(const void* a, const void* b) {
    return strcmp(*(char* const*)a, *(char* const*)b);
}

// Which files are mapped and how, each once and in order; not where, nor how large the memory is
// that has no file.
static void watch_map(void) {
    char* lines[512];
    size_t count = 0;
    FILE* file = fopen("/proc/self/maps", "re");
    char line[4096], protection[8], name[3800];
    while (file != NULL && fgets(line, sizeof line, file) != NULL && count < 512) {
        if (sscanf(line, "%*s %7s %*s %*s %*s %3799[^\n]", protection, name) != 2) continue;
        snprintf(line, sizeof line, "%s %s", protection, name);
        lines[count++] = strdup(line);
    }
    if (file != NULL) fclose(file);
    qsort(lines, count, sizeof *lines, compare);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0) show("mapped", lines[i]);
    for (size_t i = 0; i < count; ++i)
        free(lines[i]);
}

static int count_threads(void) {
    DIR* threads = opendir("/proc/self/task");
    int count = 0;
    for (const struct dirent* entry; threads != NULL && (entry = readdir(threads)) != NULL;)
        count += entry->d_name[0] != '.';
    if (threads != NULL) closedir(threads);
    return count;
}

int watch_known_threads = 1;

/* One of the recorder's may be there for a moment: what stays counts. */
static void watch_threads(void) {
    int least = count_threads();
    for (int i = 0; i < 100 && least > watch_known_threads; ++i) {
        usleep(5000);
        const int count = count_threads();
        if (count < least) least = count;
    }
    show_number("threads", least);
}

static void watch_timers(void) {
    for (int timer = ITIMER_REAL; timer <= ITIMER_PROF; ++timer) {
        struct itimerval value;
        getitimer((__itimer_which_t)timer, &value);
        show_number("timer",
                    value.it_value.tv_sec + value.it_value.tv_usec + value.it_interval.tv_sec);
    }
}

static void watch_places(void) {
    char folder[4096];
    show("current folder", getcwd(folder, sizeof folder) != NULL ? folder : "?");
    show_link("root", "/proc/self/root");
    static const char* const kSpaces[] = {"cgroup", "ipc",  "mnt", "net",
                                          "pid",    "user", "uts", "time"};
    for (size_t i = 0; i < sizeof kSpaces / sizeof *kSpaces; ++i) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/ns/%s", kSpaces[i]);
        show_link(kSpaces[i], path);
    }
}

static void watch_attributes(void) {
    int death_signal = -1;
    char name[17] = "";
    prctl(PR_GET_PDEATHSIG, &death_signal);
    prctl(PR_GET_NAME, name);
    show_number("death signal", death_signal);
    show("name", name);
    show_number("dumpable", prctl(PR_GET_DUMPABLE));
    show_number("kept capabilities", prctl(PR_GET_KEEPCAPS));
    show_number("timer slack", prctl(PR_GET_TIMERSLACK));
    int subreaper = -1;
    prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
    show_number("subreaper", subreaper);
    show_number("personality", personality(0xffffffff));
    show_number("priority", getpriority(PRIO_PROCESS, 0));
    show_number("scheduler", sched_getscheduler(0));
    cpu_set_t processors;
    sched_getaffinity(0, sizeof processors, &processors);
    show_number("processors", CPU_COUNT(&processors));
    show("locale", setlocale(LC_ALL, NULL));
}

static void watch_children(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    show_number("ended children's faults", usage.ru_minflt > 0);
    errno = 0;
    const pid_t child = waitpid(-1, NULL, WNOHANG | __WALL);
    printf("%s child: %d %s\n", moment_, child, strerror(errno));
}

// Of the process, by any of its descriptors.
static void watch_locks(void) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = open("own.dat", O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    show_number("own lock", fcntl(file, F_OFD_GETLK, &lock) == 0 ? lock.l_type : -1);
    // Not closed: that would give the lock up.
}

void watch_thread(const char* moment) {
    moment_ = moment;
    watch_signals();
    unsigned short control, status;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    show_number("floating-point control", control);
    show_number("floating-point status", status);
    show_number("vector state", _mm_getcsr()); // rounding, exceptions
}

void watch_process(const char* moment) {
    const int errno_before = errno;
    watch_thread(moment);
    watch_descriptors();
    watch_dispositions();
    watch_threads();
    watch_children();
    watch_locks();
    errno = errno_before;
}

void watch_surroundings(const char* moment) {
    const int errno_before = errno;
    moment_ = moment;
    watch_environment();
    watch_limits();
    watch_status();
    watch_map();
    watch_timers();
    watch_places();
    watch_attributes();
    errno = errno_before;
}
