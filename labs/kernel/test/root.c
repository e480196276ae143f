// SPDX-License-Identifier: Apache-2.0
//
// Tests that need root: they unload the module, and take processors offline.

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

static int unload(void) { return syscall(SYS_delete_module, "teff_preempt", O_NONBLOCK) ? -errno : 0; }

static void unload_while_open(void) {
    open_source(short_period_ns, 1);
    bind_me();
    arm_me();
    spin_for(20);
    must_be(unload(), EWOULDBLOCK);
    close(source.fd); // the mapping is still there
    must_be(unload(), EWOULDBLOCK);
    spin_for(20);
}

static void set_online(bool online) {
    const int file = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);
    must(file >= 0 && write(file, online ? "1" : "0", 1) == 1, "processor 1 cannot be switched: %s", strerror(errno));
    close(file);
}

static volatile bool over;

static void* spin_on_last(void* argument) {
    (void)argument;
    cpu_set_t set;
    bind_me();
    arm_me();
    while (!over) {
        CPU_ZERO(&set);
        CPU_SET(1, &set);
        sched_setaffinity(0, sizeof(set), &set); // fails while it is offline
        spin_for(3);
    }
    return NULL;
}

static void processor_goes(void) {
    open_source(short_period_ns, 1);
    const unsigned long thread = start(spin_on_last, NULL);
    for (int i = 0; i < 10; i++) {
        usleep(20000);
        set_online(false);
        usleep(20000);
        set_online(true);
    }
    over = true;
    join(thread);
}

const struct check root_checks[] = {
    {"the module is not unloaded while a file or a mapping is open", unload_while_open},
    {"a processor goes offline and comes back while armed", processor_goes},
    {0},
};
