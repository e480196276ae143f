// SPDX-License-Identifier: Apache-2.0
// emulated: QEMU cannot execute /proc/self/exe of another processor
// halves: executes itself
//
// A process whose environment does not ask for a log leaves no file in its folder, and neither does
// a process whose environment switches the log off by a value in capital letters.
#include "check.h"
#include <sys/wait.h>

static void run_in_empty_folder(const char* verbose_init) {
    char folder[] = "/tmp/leaves-no-files-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (verbose_init == NULL) unsetenv("OMP_TOOL_VERBOSE_INIT");
        else setenv("OMP_TOOL_VERBOSE_INIT", verbose_init, 1);
        CHECK_EQ(chdir(folder), 0);
        execl("/proc/self/exe", "child", "run", NULL);
        _exit(2);
    }
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(rmdir(folder), 0); // which needs it to be empty
}

int main(int count, char** arguments) {
    (void)arguments;
    if (count > 1) {
        int members = 0;
#pragma omp parallel reduction(+ : members)
        members++;
        return members < 1;
    }
    run_in_empty_folder(NULL);
    run_in_empty_folder("DISABLED");
    run_in_empty_folder("Disabled");
}
