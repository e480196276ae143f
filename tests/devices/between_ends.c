// SPDX-License-Identifier: Apache-2.0
//
// A device stops or is killed while data go from device 0 to device 1, or in both directions. The
// first argument is the number of this device, the second one is
//
//     stop  it has stopped before the copy begins
//     kill  the same, and it is killed while the other device waits for it
//     flow  it is killed while data flow
//
// Prints the processes of both devices first.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBytes = 64 << 20, kDelay_us = 300000 };

// Returns when the process has stopped: its first thread serves the host.
static void stop(int process) {
    char path[64], text[512], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    kill(process, SIGSTOP);
    while (state != 'T') {
        FILE* const file = fopen(path, "r");
        if (file == NULL) return;
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        sscanf(strrchr(text, ')'), ") %c", &state);
    }
}

static void kill_later(int process) {
    if (fork() != 0) return;
    usleep(kDelay_us);
    kill(process, SIGKILL);
    _exit(0);
}

int main(int count, char** words) {
    if (count < 3) return 2;
    const int victim = atoi(words[1]);
    int processes[2] = {0, 0};
    void* memory[2];
    for (int i = 0; i < 2; ++i) {
        int process = 0;
#pragma omp target map(from : process) device(i)
        process = getpid();
        processes[i] = process;
        memory[i] = omp_target_alloc(kBytes, i);
    }
    printf("%d %d\n", processes[0], processes[1]);
    fflush(stdout);
    if (strcmp(words[2], "flow") != 0) stop(processes[victim]);
    if (strcmp(words[2], "stop") != 0) kill_later(processes[victim]);
    for (int i = 0;; i ^= 1) {
        omp_target_memcpy(memory[1 - i], memory[i], kBytes, 0, 0, 1 - i, i);
        if (strcmp(words[2], "flow") != 0) break;
    }
    printf("the copy has ended\n"); // is not reached
    return 0;
}
