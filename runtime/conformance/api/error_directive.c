// SPDX-License-Identifier: Apache-2.0
//
// Tests the error directive at execution: after a warning the program continues; a fatal error ends
// the process. Both print their text in libgomp's words, because tests of programs look for these
// words.
#include "check.h"
#include <sys/wait.h>

static void run_child(int fatal) {
    if (fatal) {
#pragma omp error at(execution) severity(fatal) message("the last word")
    } else {
#pragma omp error at(execution) severity(warning) message("a mild word")
    }
    _exit(42);
}

static int status_of_child(int fatal, char* text, size_t size) {
    int ends[2], status = 0;
    CHECK_EQ(pipe(ends), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        run_child(fatal);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += n;
    text[length] = 0;
    close(ends[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main(void) {
    char text[1000];
    CHECK_EQ(status_of_child(0, text, sizeof text), 42);
    CHECK(strstr(text, "libgomp: error directive encountered: a mild word\n") != NULL);
    int status = status_of_child(1, text, sizeof text);
    CHECK(status != 0 && status != 42);
    CHECK(strstr(text, "libgomp: fatal error: error directive encountered: the last word\n") != NULL);
}
