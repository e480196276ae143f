// SPDX-License-Identifier: Apache-2.0
// Makes system calls of the recorder fail, from outside the process. The recorder makes its system
// calls without the C library. So a call belongs to the recorder if its instruction lies in the
// runtime's library, except for the runtime's own calls: private futexes, membarrier, and calls
// about processors. Calls of the C library and of the program are not changed.
//
// (strace can inject faults, too, but it counts calls per thread and cannot tell whose a call is.)
//
//     inject LIBRARY LOG [FAULT...] -- PROGRAM ARGUMENTS
//
//     LIBRARY    the runtime's file, as /proc/PID/maps names it
//     LOG        gets a line for each call: who made it (r: the recorder, o: other code), its number
//                and, for a call of the recorder, its place among the recorder's calls with this
//                number (from 1)
//     FAULT      NUMBER:WHICH:ERRNO[:SIGNAL]   the call of the recorder with this number and place
//                (WHICH 0: each) fails without effect, and the signal is raised. Children of the
//                program are not followed.
//
// Ends with the status of the program.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/futex.h>
#include <linux/ptrace.h>

enum { kMostFaults = 8, kMostThreads = 4096, kMostCalls = 1024 };

struct Fault {
    int call, which, error, signal;
};

struct Thread {
    pid_t id;
    const struct Fault* fault; // of the call that it is in
};

static const char* library;
static FILE* log_file;
static struct Fault faults[kMostFaults];
static int fault_count;
static struct Thread threads[kMostThreads];
static int counts[kMostCalls];
static unsigned long code_begin, code_end;

static void die(const char* doing) {
    perror(doing);
    exit(125);
}

static struct Thread* thread_of(pid_t id) {
    struct Thread* unused = NULL;
    for (int i = 0; i < kMostThreads; ++i) {
        if (threads[i].id == id) return &threads[i];
        if (threads[i].id == 0 && unused == NULL) unused = &threads[i];
    }
    if (unused == NULL) die("too many threads");
    *unused = (struct Thread){.id = id};
    return unused;
}

// Where the library's code lies, as soon as it is loaded.
static void look_for_code(pid_t process) {
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE* maps = fopen(path, "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin, end;
        char protection[8];
        if (strstr(line, library) == NULL ||
            sscanf(line, "%lx-%lx %7s", &begin, &end, protection) != 3)
            continue;
        if (protection[2] == 'x') code_begin = begin, code_end = end;
    }
    if (maps != NULL) fclose(maps);
}

static const struct Fault* fault_for(int call, int which) {
    for (int i = 0; i < fault_count; ++i)
        if (faults[i].call == call && (faults[i].which == which || faults[i].which == 0))
            return &faults[i];
    return NULL;
}

static void change_registers(pid_t thread, void (*change)(struct user_regs_struct*, int),
                             int value) {
    struct user_regs_struct registers;
    struct iovec all = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &all) != 0) die("PTRACE_GETREGSET");
    change(&registers, value);
    if (ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &all) != 0) die("PTRACE_SETREGSET");
}

static void skip_call(struct user_regs_struct* registers, int unused) {
    (void)unused;
    registers->orig_rax = -1;
}

static void set_result(struct user_regs_struct* registers, int error) { registers->rax = -error; }

static int is_recorders(const struct ptrace_syscall_info* info) {
    if (info->instruction_pointer < code_begin || info->instruction_pointer >= code_end) return 0;
    switch (info->entry.nr) {
    case SYS_membarrier:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_sched_yield:
        return 0;
    case SYS_futex:
        return (info->entry.args[1] & FUTEX_PRIVATE_FLAG) == 0;
    default:
        return info->entry.nr < kMostCalls;
    }
}

static void call_begins(pid_t process, struct Thread* thread,
                        const struct ptrace_syscall_info* info) {
    if (code_begin == 0) look_for_code(process);
    const int call = (int)info->entry.nr;
    if (!is_recorders(info)) return (void)fprintf(log_file, "o %d 0\n", call);
    const int which = ++counts[call];
    fprintf(log_file, "r %d %d\n", call, which);
    thread->fault = fault_for(call, which);
    if (thread->fault != NULL) change_registers(thread->id, skip_call, 0);
}

static void call_ends(pid_t process, struct Thread* thread) {
    if (thread->fault == NULL) return;
    change_registers(thread->id, set_result, thread->fault->error);
    if (thread->fault->signal != 0) syscall(SYS_tgkill, process, thread->id, thread->fault->signal);
    thread->fault = NULL;
}

// Returns the signal that the thread is to get as it goes on.
static int stopped(pid_t process, pid_t id, int status) {
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (signal == (SIGTRAP | 0x80)) {
        struct ptrace_syscall_info info;
        struct Thread* thread = thread_of(id);
        if (ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info) <= 0) return 0;
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) call_begins(process, thread, &info);
        else if (info.op == PTRACE_SYSCALL_INFO_EXIT) call_ends(process, thread);
        return 0;
    }
    if (event != 0) return 0;
    return signal == SIGSTOP && thread_of(id)->id != process ? 0
                                                             : signal; // the first stop of a thread
}

static int follow(pid_t process) {
    for (;;) {
        int status;
        const pid_t id = waitpid(-1, &status, __WALL);
        if (id < 0) die("waitpid");
        if (WIFSTOPPED(status)) {
            const int signal = stopped(process, id, status);
            ptrace(PTRACE_SYSCALL, id, NULL, (long)signal); // fails if it has been killed meanwhile
        } else if (id == process) {
            return status;
        } else {
            *thread_of(id) = (struct Thread){0};
        }
    }
}

static void read_fault(const char* text) {
    struct Fault* fault = &faults[fault_count++];
    if (fault_count > kMostFaults ||
        sscanf(text, "%d:%d:%d:%d", &fault->call, &fault->which, &fault->error, &fault->signal) < 3)
        die(text);
}

static pid_t start(char** program) {
    const pid_t process = fork();
    if (process == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(program[0], program);
        die(program[0]);
    }
    int status;
    if (process < 0 || waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) die("start");
    const long options =
        PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
    if (ptrace(PTRACE_SETOPTIONS, process, NULL, options) != 0) die("PTRACE_SETOPTIONS");
    thread_of(process);
    ptrace(PTRACE_SYSCALL, process, NULL, NULL);
    return process;
}

int main(int count, char** words) {
    if (count < 5)
        return fprintf(stderr, "inject LIBRARY LOG [FAULT...] -- PROGRAM ARGUMENTS\n"), 125;
    library = words[1];
    log_file = fopen(words[2], "we");
    if (log_file == NULL) die(words[2]);
    int at = 3;
    for (; words[at] != NULL && strcmp(words[at], "--") != 0; ++at)
        read_fault(words[at]);
    const int status = follow(start(&words[at + 1]));
    fclose(log_file);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 125;
}
