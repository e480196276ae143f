// SPDX-License-Identifier: Apache-2.0
//
// Functions that the situations' programs share. A program ends with status 0 if all checks passed.
// Otherwise it prints in one line what was wrong, which the table of runtimes shows, and ends at
// once: by _exit, because it may be inside a region, where a normal exit could hang.
#ifndef SITUATION_H
#define SITUATION_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kWrong = 1, kSkipped = 77 };

__attribute__((unused, noreturn, format(printf, 3, 4))) static void situation_end(int status, const char* word,
                                                                                  const char* format, ...) {
    char line[512];
    int used = snprintf(line, sizeof line, "%s", word);
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    if (used > (int)sizeof line - 2) used = (int)sizeof line - 2;
    line[used++] = '\n';
    if (write(STDOUT_FILENO, line, (size_t)used) != used) status = kWrong;
    _exit(status);
}

// WRONG("3 threads instead of %d", wanted): the result is not what OpenMP or POSIX says.
#define WRONG(...) situation_end(kWrong, "wrong: ", __VA_ARGS__)
// SPINS(ms): this much processor time was used while there was nothing to do.
#define SPINS(ms) situation_end(kWrong, "spins ", "%ld ms CPU", (long)(ms))
// SKIP("no cgroup v1 here"): the situation cannot be made on this machine.
#define SKIP(...) situation_end(kSkipped, "skipped: ", __VA_ARGS__)

#define CHECK(expression) ((expression) ? (void)0 : WRONG("not true: %s (line %d)", #expression, __LINE__))
#define CHECK_EQ(actual, expected) situation_equal(#actual, __LINE__, (long)(actual), (long)(expected))

__attribute__((unused)) static void situation_equal(const char* what, int line, long actual, long expected) {
    if (actual != expected) WRONG("%s is %ld instead of %ld (line %d)", what, actual, expected, line);
}

// The processor time that the whole process has used.
__attribute__((unused)) static long situation_cpu_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Waits for a child, which must end with status 0. It has said itself what was wrong.
__attribute__((unused)) static void situation_join(pid_t child) {
    int status = 0;
    if (child < 0) WRONG("fork failed");
    if (waitpid(child, &status, 0) != child) WRONG("waitpid failed");
    if (WIFSIGNALED(status)) WRONG("a child died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0) _exit(WEXITSTATUS(status));
}

#endif
