// SPDX-License-Identifier: Apache-2.0
// The process limits itself, gives up its rights, or loses the folder into which it is recorded.
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void limit(__rlimit_resource_t resource, rlim_t value) {
    const struct rlimit limit = {value, value};
    CHECK(setrlimit(resource, &limit) == 0);
}

static void before_and_after(void (*change)(void)) {
    region(2, 10);
    serial_tasks(kChunkfulOfTasks / 2);
    change();
    region(2, 10);
    serial_tasks(3 * kChunkfulOfTasks);
    region(3, 10); // a thread that was not there before
}

static void limit_files(void) { limit(RLIMIT_FSIZE, 4096); }
static void no_files(void) { limit(RLIMIT_FSIZE, 0); }
static void limit_descriptors(void) { limit(RLIMIT_NOFILE, 0); }

static void small_files(void) { before_and_after(limit_files); }
static void no_descriptors(void) { before_and_after(limit_descriptors); }

static void no_descriptors_from_the_start(void) {
    limit_descriptors();
    region(2, 10);
    serial_tasks(10);
}

static void no_files_from_the_start(void) {
    limit(RLIMIT_FSIZE, 0);
    region(2, 10);
    serial_tasks(kChunkfulOfTasks);
}

// As much memory as the process has, and little more.
static void limit_memory(void) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "re");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1 && fclose(file) == 0);
    limit(RLIMIT_AS, ((rlim_t)pages + 4) * 4096);
}

static void little_memory(void) {
    region(3, 10);
    serial_tasks(10);
    limit_memory();
    serial_tasks(3 * kChunkfulOfTasks);
}

static void drop_right_to_lock(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    CHECK(syscall(SYS_capget, &header, data) == 0);
    data[0].effective &= ~(1u << CAP_IPC_LOCK);
    CHECK(syscall(SYS_capset, &header, data) == 0);
}

// All that is mapped from now on would have to be locked, and next to nothing may be.
static void locked_memory(void) {
    region(1, 10);
    serial_tasks(10);
    limit(RLIMIT_MEMLOCK, 4096);
    drop_right_to_lock();
    CHECK(mlockall(MCL_FUTURE) == 0);
    serial_tasks(3 * kChunkfulOfTasks);
}

static void enter_empty_root(void) {
    CHECK(mkdir("root", 0755) == 0 && chroot("root") == 0 && chdir("/") == 0);
}

static void change_root(void) { before_and_after(enter_empty_root); }

static void become_nobody(void) { CHECK(setresuid(65534, 65534, 65534) == 0); }
static void change_user(void) { before_and_after(become_nobody); }

// Nobody may write into the folder, and nobody may start a thread either.
static void become_nobody_alone(void) {
    limit(RLIMIT_NPROC, 0);
    become_nobody();
}

static void change_user_without_threads(void) {
    region(3, 10);
    serial_tasks(kChunkfulOfTasks / 2);
    become_nobody_alone();
    serial_tasks(3 * kChunkfulOfTasks);
    region(3, 10);
}

static char recording[4096];

static void note_recording(void) {
    const char* path = getenv("TEFF_TRACE");
    snprintf(recording, sizeof recording, "%s", path != NULL ? path : "");
}

static void remove_recording(void) {
    char command[5000];
    snprintf(command, sizeof command, "rm -rf '%s'", recording);
    if (recording[0] != '\0') CHECK(system(command) == 0);
}

static void folder_removed(void) {
    note_recording();
    before_and_after(remove_recording);
}

// Another folder and other files take its place: they are not touched.
static void replace_recording(void) {
    char path[5000];
    if (recording[0] == '\0') return;
    remove_recording();
    CHECK(mkdir(recording, 0755) == 0);
    snprintf(path, sizeof path, "%s/stream-0000.bin", recording);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
    CHECK(file >= 0 && write(file, "precious", 8) == 8 && close(file) == 0);
}

static void folder_replaced(void) {
    note_recording();
    before_and_after(replace_recording);
}

// Any call but these ends the process.
static void enter_sandbox(const int* allowed, int calls) {
    enum { kMost = 8 };
    struct sock_filter code[2 * kMost + 2];
    int length = 0;
    CHECK(calls <= kMost);
    code[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < calls; ++i) {
        code[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const struct sock_fprog program = {(unsigned short)length, code};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

// What the program itself needs, and the two that docs/recording.md names.
static void go_on_in_sandbox(void) {
    static const int kAllowed[] = {SYS_write,       SYS_futex, SYS_exit_group, SYS_rt_sigprocmask,
                                   SYS_sched_yield, SYS_prctl, SYS_brk};
    enter_sandbox(kAllowed, sizeof kAllowed / sizeof *kAllowed);
    region(1, 10);
    serial_tasks(3 * kChunkfulOfTasks);
}

static void sandbox(void) {
    setvbuf(stdout, NULL, _IOFBF, 4096);
    region(1, 10);
    go_on_in_sandbox();
}

// The next chunk has been prepared by then.
static void sandbox_in_mid_chunk(void) {
    setvbuf(stdout, NULL, _IOFBF, 4096);
    region(1, 10);
    serial_tasks(kChunkfulOfTasks / 2);
    usleep(50000);
    go_on_in_sandbox();
}

// Places that are new take no call at all, as long as there are few of them and few records.
static void sandbox_for_new_places(void) {
    static const int kAllowed[] = {SYS_write, SYS_exit_group, SYS_brk, SYS_futex, SYS_mmap};
#pragma omp parallel num_threads(1)
    ++done;
    enter_sandbox(kAllowed, sizeof kAllowed / sizeof *kAllowed);
    region(1, 10);
    serial_tasks(100);
    CHECK(write(STDOUT_FILENO, "alive\n", 6) == 6);
    syscall(SYS_exit_group, 0);
}

// More than 40 MiB of records.
static void many_records(void) { serial_tasks(40 * kChunkfulOfTasks); }

// The program's own output ends nowhere, and so would the recorder's messages.
static void nobody_listens(void) {
    int ends[2];
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    before_and_after(no_files);
}

int main(int count, char** words) {
    static const struct Mode kModes[] = {
        {"small-files", small_files},
        {"no-files-from-the-start", no_files_from_the_start},
        {"no-descriptors", no_descriptors},
        {"no-descriptors-from-the-start", no_descriptors_from_the_start},
        {"locked-memory", locked_memory},
        {"little-memory", little_memory},
        {"change-root", change_root},
        {"change-user", change_user},
        {"change-user-without-threads", change_user_without_threads},
        {"folder-removed", folder_removed},
        {"folder-replaced", folder_replaced},
        {"sandbox", sandbox},
        {"sandbox-in-mid-chunk", sandbox_in_mid_chunk},
        {"sandbox-for-new-places", sandbox_for_new_places},
        {"many-records", many_records},
        {"nobody-listens", nobody_listens},
        {NULL, NULL},
    };
    return run_mode(kModes, count > 1 ? words[1] : "");
}
