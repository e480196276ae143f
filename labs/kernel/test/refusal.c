// SPDX-License-Identifier: Apache-2.0
//
// Tests that the device refuses each bad argument of each call, and all calls by processes that did
// not open it.

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int device;

static long ask(unsigned long command, const void* argument) {
    const int result = ioctl(device, command, argument);
    return result < 0 ? -errno : result;
}

static void open_device(void) {
    device = open(TEFF_PREEMPT_DEVICE, O_RDWR | O_CLOEXEC);
    must(device >= 0, "cannot be opened: %s", strerror(errno));
}

static struct teff_preempt_setup good_setup(void) {
    return (struct teff_preempt_setup){.entry = (uint64_t)tick_entry, .period_ns = 100000, .slots = 2};
}

static void set_up_device(void) {
    const struct teff_preempt_setup setup = good_setup();
    open_device();
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), 0);
}

static void anyone_may_open(void) {
    struct stat stat_of;
    must(getuid() != 0, "these checks are for a user without rights");
    must(!stat(TEFF_PREEMPT_DEVICE, &stat_of) && (stat_of.st_mode & 0777) == 0666, "mode %o", stat_of.st_mode);
    struct teff_preempt_info info;
    open_device();
    must_be(ask(TEFF_PREEMPT_INFO, &info), 0);
    must(info.abi == TEFF_PREEMPT_ABI, "version %u", info.abi);
    must(info.max_slots == TEFF_PREEMPT_MAX_SLOTS && info.min_period_ns == 10000, "other limits");
}

static const uint64_t BAD_POINTERS[] = {
    0,
    1,
    0x7ffffffff000,
    0x7fffffffffff,
    0x800000000000,
    0x8000000000000000,
    0xffff888000000000,
    0xffffffff81000000,
    0xfffffffffffffff8,
};
#define BAD_COUNT (sizeof(BAD_POINTERS) / sizeof(*BAD_POINTERS))

static void bad_pointers(void) {
    const unsigned long commands[] = {TEFF_PREEMPT_INFO, TEFF_PREEMPT_RANGES, TEFF_PREEMPT_BIND};
    open_device();
    for (unsigned int i = 0; i < BAD_COUNT; i++) {
        must_be(ask(TEFF_PREEMPT_SETUP, (const void*)BAD_POINTERS[i]), EFAULT);
    }
    close(device);
    set_up_device();
    for (unsigned int i = 0; i < BAD_COUNT; i++) {
        for (unsigned int c = 0; c < 3; c++)
            must_be(ask(commands[c], (const void*)BAD_POINTERS[i]), EFAULT);
    }
    must_be(ask(TEFF_PREEMPT_INFO, __start_preemptible), EFAULT); // read-only
}

static void bad_setups(void) {
    static char data[64];
    open_device();
    struct teff_preempt_setup setup = good_setup();
    for (unsigned int i = 0; i < BAD_COUNT; i++) {
        setup.entry = BAD_POINTERS[i];
        must_be(ask(TEFF_PREEMPT_SETUP, &setup), EFAULT);
    }
    setup.entry = (uint64_t)data;
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), EFAULT);

    const uint64_t periods[] = {0, 1, 9999, 1000000001, UINT64_MAX, 1ULL << 63};
    setup = good_setup();
    for (unsigned int i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
        setup.period_ns = periods[i];
        must_be(ask(TEFF_PREEMPT_SETUP, &setup), EINVAL);
    }
    const uint32_t slots[] = {0, 1025, UINT32_MAX, 1U << 31};
    setup = good_setup();
    for (unsigned int i = 0; i < sizeof(slots) / sizeof(*slots); i++) {
        setup.slots = slots[i];
        must_be(ask(TEFF_PREEMPT_SETUP, &setup), EINVAL);
    }
    setup = good_setup();
    setup.flags = 1;
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), EINVAL);
    setup.flags = 0;
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), 0);
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), EBUSY);
}

static void limits_of_setup(void) {
    struct teff_preempt_setup setup = good_setup();
    setup.slots = TEFF_PREEMPT_MAX_SLOTS;
    setup.period_ns = TEFF_PREEMPT_MAX_PERIOD_NS;
    open_device();
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), 0);
    const size_t bytes = TEFF_PREEMPT_MAX_SLOTS * sizeof(struct teff_preempt_slot);
    char* slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    must(slots != MAP_FAILED, "no mapping");
    for (size_t i = 0; i < bytes; i++)
        must(slots[i] == 0, "memory that is not clear");
    memset(slots, 0xff, bytes);
}

static void bad_ranges(void) {
    const uint64_t entry = (uint64_t)tick_entry;
    const struct teff_preempt_range bad[] = {
        {0, 0},
        {4096, 4096},
        {8192, 4096},
        {0, UINT64_MAX},
        {4096, 0x800000000000},
        {0xffffffff81000000, 0xffffffff82000000},
        {entry, entry + 1},
        {entry - 1, entry + 1},
    };
    struct teff_preempt_ranges wish = {.count = 1};
    set_up_device();
    for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        wish.ranges = (uint64_t)&bad[i];
        must_be(ask(TEFF_PREEMPT_RANGES, &wish), EINVAL);
    }
    for (unsigned int i = 0; i < BAD_COUNT; i++) {
        wish.ranges = BAD_POINTERS[i];
        must_be(ask(TEFF_PREEMPT_RANGES, &wish), EFAULT);
    }
    struct teff_preempt_range many[65];
    for (uint64_t i = 0; i < 65; i++)
        many[i] = (struct teff_preempt_range){i * 16 + 1, i * 16 + 2};
    wish = (struct teff_preempt_ranges){.ranges = (uint64_t)many, .count = 65};
    must_be(ask(TEFF_PREEMPT_RANGES, &wish), EINVAL);
    wish.count = UINT32_MAX;
    must_be(ask(TEFF_PREEMPT_RANGES, &wish), EINVAL);
    wish.count = 64;
    must_be(ask(TEFF_PREEMPT_RANGES, &wish), 0);
    wish.flags = 1;
    must_be(ask(TEFF_PREEMPT_RANGES, &wish), EINVAL);
}

static void bad_binds(void) {
    uint32_t words[2] = {0};
    struct teff_preempt_bind wish = {0};
    set_up_device();
    for (unsigned int i = 0; i < BAD_COUNT; i++) {
        wish.hold = BAD_POINTERS[i];
        must_be(ask(TEFF_PREEMPT_BIND, &wish), BAD_POINTERS[i] % 4 ? EINVAL : EFAULT);
    }
    for (uint64_t off = 1; off < 4; off++) {
        wish.hold = (uint64_t)words + off;
        must_be(ask(TEFF_PREEMPT_BIND, &wish), EINVAL);
    }
    wish = (struct teff_preempt_bind){.hold = (uint64_t)words, .flags = 1};
    must_be(ask(TEFF_PREEMPT_BIND, &wish), EINVAL);
    must_be(ask(TEFF_PREEMPT_UNBIND, NULL), ENOENT);
    wish.flags = 0;
    must_be(ask(TEFF_PREEMPT_BIND, &wish), 0);
    must_be(ask(TEFF_PREEMPT_BIND, &wish), EBUSY);

    // A second file of the same process cannot bind this thread, either.
    const int first = device;
    set_up_device();
    must_be(ask(TEFF_PREEMPT_BIND, &wish), EBUSY);
    const int second = device;
    device = first;
    must_be(ask(TEFF_PREEMPT_UNBIND, NULL), 0);
    must_be(ask(TEFF_PREEMPT_UNBIND, NULL), ENOENT);
    device = second;
    must_be(ask(TEFF_PREEMPT_BIND, &wish), 0);
}

static void bad_kicks(void) {
    set_up_device();
    must_be(ask(TEFF_PREEMPT_KICK, (void*)0), ENOENT);
    must_be(ask(TEFF_PREEMPT_KICK, (void*)1023), ENOENT);
    must_be(ask(TEFF_PREEMPT_KICK, (void*)1024), EINVAL);
    must_be(ask(TEFF_PREEMPT_KICK, (void*)UINT64_MAX), EINVAL);
    must_be(ask(TEFF_PREEMPT_KICK, (void*)(1UL << 32)), EINVAL);
}

static void wrong_order(void) {
    struct teff_preempt_bind wish = {.hold = (uint64_t)&me.hold};
    struct teff_preempt_ranges ranges = {0};
    open_device();
    must_be(ask(TEFF_PREEMPT_RANGES, &ranges), ENXIO);
    must_be(ask(TEFF_PREEMPT_BIND, &wish), ENXIO);
    must_be(ask(TEFF_PREEMPT_UNBIND, NULL), ENXIO);
    must_be(ask(TEFF_PREEMPT_KICK, NULL), ENOENT);
    must(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED && errno == ENXIO, "mapped before setup");
}

static void unknown_calls(void) {
    set_up_device();
    must_be(ask(_IO(0xE7, 99), NULL), ENOTTY);
    must_be(ask(_IOW(0xE7, 3, char[99]), NULL), ENOTTY); // a BIND of another size
    char byte;
    must(read(device, &byte, 1) < 0 && write(device, &byte, 1) < 0, "it can be read or written");
    must(lseek(device, 1, SEEK_SET) < 0, "it has a position");
}

static void bad_maps(void) {
    set_up_device();
    must(mmap(NULL, 8192, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED && errno == EINVAL, "more than there is");
    must(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 4096) == MAP_FAILED && errno == EINVAL, "at an offset");
    must(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, device, 0) == MAP_FAILED && errno == EINVAL, "private");
    void* slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    must(slots != MAP_FAILED, "not as it should be");
    must(mremap(slots, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED, "it can grow");
}

static void all_refused(void) {
    const struct teff_preempt_setup setup = good_setup();
    struct teff_preempt_bind wish = {.hold = (uint64_t)&me.hold};
    struct teff_preempt_ranges ranges = {0};
    must_be(ask(TEFF_PREEMPT_SETUP, &setup), EPERM);
    must_be(ask(TEFF_PREEMPT_RANGES, &ranges), EPERM);
    must_be(ask(TEFF_PREEMPT_BIND, &wish), EPERM);
    must_be(ask(TEFF_PREEMPT_UNBIND, NULL), EPERM);
    must_be(ask(TEFF_PREEMPT_KICK, NULL), EPERM);
    must(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED && errno == EPERM, "mapped");
}

static void inherited_file(void) {
    set_up_device();
    must(in_child(all_refused) == 0, "a child may use the file that it inherited");
}

static int shares_memory(void* argument) {
    (void)argument;
    struct teff_preempt_bind wish = {.hold = (uint64_t)&me.hold};
    return ask(TEFF_PREEMPT_BIND, &wish) == -EPERM ? 0 : 1;
}

static void child_that_shares_memory(void) {
    static char stack[65536] __attribute__((aligned(16)));
    int status = 0;
    set_up_device();
    const int child = clone(shares_memory, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
    must(child > 0 && waitpid(child, &status, 0) == child, "no child");
    must(status == 0, "another process that shares the memory may bind itself: status %x", status);
}

static int pair[2];

static void send_file(void) {
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr* header = CMSG_FIRSTHDR(&message);
    set_up_device();
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &device, sizeof(int));
    must(sendmsg(pair[0], &message, 0) == 1, "not sent");
}

static void file_through_socket(void) {
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "no sockets");
    must(in_child(send_file) == 0, "the child failed");
    must(recvmsg(pair[1], &message, 0) == 1, "not received");
    memcpy(&device, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    all_refused();
}

const struct check refusal_checks[] = {
    {"any user may open it", anyone_may_open},
    {"bad pointers in all calls", bad_pointers},
    {"bad setups, and a second one", bad_setups},
    {"largest setup; its memory is clear and may hold anything", limits_of_setup},
    {"bad ranges", bad_ranges},
    {"bad and second bindings", bad_binds},
    {"kicks of slots that are free or not there", bad_kicks},
    {"calls before the setup", wrong_order},
    {"calls that it does not know", unknown_calls},
    {"bad mappings", bad_maps},
    {"a child with the inherited file", inherited_file},
    {"a process that shares the memory", child_that_shares_memory},
    {"a file that came through a socket", file_through_socket},
    {0},
};
