// SPDX-License-Identifier: Apache-2.0
// Situation: a library that uses OpenMP is loaded late, when all but 64 bytes of the surplus of static thread-local storage are used up
// Catches: a runtime with much thread-local storage of the initial-exec kind: "cannot allocate memory in static TLS block".
// library: sum.so sum.c
// library: tls_hog.so tls_hog.c
// flags: -fno-openmp -ldl

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include "../situation.h"

enum { kHogBytes = 32, kMostHogs = 512, kLeftHogs = 2 };

// Loads up to `wanted` copies of the hog, each with kHogBytes of static TLS; returns how many the
// system had room for.
static int load_hogs(int wanted) {
    char from[PATH_MAX], to[PATH_MAX], copy[3 * PATH_MAX];
    snprintf(from, sizeof from, "%s/tls_hog.so", getenv("SITUATIONS_DIR"));
    for (int i = 0; i < wanted; ++i) {
        if (getcwd(to, sizeof to - 32) == NULL) SKIP("no working directory");
        snprintf(to + strlen(to), 32, "/hog%d.so", i);
        if (access(to, R_OK) != 0) {
            snprintf(copy, sizeof copy, "cp '%s' '%s'", from, to);
            if (system(copy) != 0) SKIP("cannot copy libraries");
        }
        void* library = dlopen(to, RTLD_NOW);
        if (library == NULL) return i;
        if (((int (*)(void))dlsym(library, "use_tls"))() != kHogBytes) WRONG("the hog is not right");
    }
    return wanted;
}

static int use_library(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sum.so", getenv("SITUATIONS_DIR"));
    void* library = dlopen(path, RTLD_NOW);
    if (library == NULL) WRONG("%s", strrchr(dlerror(), ':') + 2);
    CHECK_EQ(((long (*)(long, int))dlsym(library, "sum_to"))(1000, 3), 500500);
    return 0;
}

// How much there is, only a first process can find out, which then cannot give any of it back.
int main(int argc, char** argv) {
    if (argc > 1) {
        const int wanted = atoi(argv[1]);
        CHECK_EQ(load_hogs(wanted), wanted);
        return use_library();
    }
    const int room = load_hogs(kMostHogs);
    if (room == kMostHogs) SKIP("the surplus of static TLS has no end");
    if (room < kLeftHogs) SKIP("no surplus of static TLS");
    char wanted[16];
    snprintf(wanted, sizeof wanted, "%d", room - kLeftHogs);
    execl("/proc/self/exe", argv[0], wanted, (char*)NULL);
    return 1;
}
