// SPDX-License-Identifier: Apache-2.0
//
// Runs the program itself again under other conditions, and checks how that run ends.
//
//     int main(int argc, char** argv) {
//         if (argc > 1) return the_work();
//         struct Again again = run_again("work", 10, "FAULTS_AT=3", NULL);
//         judge_again(&again, "when memory runs out");
//     }
#ifndef AGAIN_H
#define AGAIN_H

#include "situation.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>

struct Again {
    int status;       // as wait() gives it
    int hung;         // it did not end in time, and was killed
    int lines;        // on standard error, empty ones not counted
    char errors[16384]; // the beginning of it
};

// What the child does between fork and exec; may be null.
static void (*again_prepare)(void);

__attribute__((unused)) static long again_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Reads until all writers are gone or the time is up; what does not fit is counted and dropped.
__attribute__((unused)) static void again_listen(struct Again* again, int from, long until_ms) {
    size_t used = 0;
    char before = '\n';
    for (;;) {
        char piece[1024];
        struct pollfd poller = {from, POLLIN, 0};
        const long left = until_ms - again_now_ms();
        if (left <= 0 || poll(&poller, 1, (int)left) == 0) {
            again->hung = 1;
            return;
        }
        const ssize_t got = read(from, piece, sizeof piece);
        if (got <= 0) return;
        for (ssize_t i = 0; i < got; ++i) {
            const int empty = piece[i] == '\n' && before == '\n';
            before = piece[i];
            if (empty) continue;
            again->lines += piece[i] == '\n';
            if (used < sizeof again->errors - 1) again->errors[used++] = piece[i];
        }
    }
}

// Runs this program with one argument and with further settings NAME=VALUE, up to a null. Its
// standard output stays ours.
__attribute__((unused)) static struct Again run_again(const char* argument, int limit_s, ...) {
    struct Again again;
    memset(&again, 0, sizeof again);
    int ends[2];
    if (pipe(ends) != 0) WRONG("pipe failed");
    const pid_t child = fork();
    if (child < 0) WRONG("fork failed");
    if (child == 0) {
        va_list settings;
        va_start(settings, limit_s);
        for (char* setting = va_arg(settings, char*); setting; setting = va_arg(settings, char*))
            putenv(setting);
        va_end(settings);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (again_prepare) again_prepare();
        execl("/proc/self/exe", "again", argument, (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    again_listen(&again, ends[0], again_now_ms() + 1000L * limit_s);
    if (again.hung) kill(child, SIGKILL);
    waitpid(child, &again.status, 0);
    close(ends[0]);
    return again;
}

// It ended well, with one warning at most, or with one line of why it could not go on, at most one
// warning before that: a hang, a signal, a wrong result or silence is wrong.
__attribute__((unused, format(printf, 2, 3))) static void judge_again(const struct Again* again, const char* format, ...) {
    char when[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(when, sizeof when, format, arguments);
    va_end(arguments);
    if (again->hung) WRONG("hangs %s", when);
    if (WIFSIGNALED(again->status)) WRONG("%s %s", strsignal(WTERMSIG(again->status)), when);
    if (WEXITSTATUS(again->status) == 0 && again->lines <= 1) return;
    if (WEXITSTATUS(again->status) == kSkipped) _exit(kSkipped);
    if (WEXITSTATUS(again->status) == 0) WRONG("%d lines of warnings %s: %s", again->lines, when, again->errors);
    if (again->lines == 0) WRONG("ends with status %d and says nothing %s", WEXITSTATUS(again->status), when);
    if (again->lines > 2) WRONG("%d lines of errors %s: %s", again->lines, when, again->errors);
}

#endif
