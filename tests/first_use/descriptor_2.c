// SPDX-License-Identifier: Apache-2.0
// Descriptor 2 is another file than standard error when the first construct is met. Ends with
// status 0 if the runtime wrote nothing to that file.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int use_openmp(void) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    ++threads;
    return threads;
}

// As daemons do: the program's own file gets the number.
static int data_file(void) {
    char text[4096];
    close(0), close(1), close(2);
    open("/dev/null", O_RDONLY), open("/dev/null", O_WRONLY);
    const int file = open("own.dat", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file != 2 || write(file, "precious\n", 9) != 9 || use_openmp() != 2) return 1;
    const ssize_t bytes = pread(file, text, sizeof text, 0);
    return bytes == 9 ? 0 : 2;
}

static int pipe_that_nobody_reads(void) {
    int ends[2];
    char text[4096] = {0};
    if (pipe(ends) != 0) return 1;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], text, sizeof text) > 0)
        ;
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], 2);
    alarm(30);
    return use_openmp() == 2 ? 0 : 1;
}

int main(int count, char** words) {
    return count > 1 && strcmp(words[1], "pipe") == 0 ? pipe_that_nobody_reads() : data_file();
}
