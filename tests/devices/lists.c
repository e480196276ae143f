// SPDX-License-Identifier: Apache-2.0
//
// Map kinds that no construct of C makes GCC 12 pass: lists of map items as GCC passes them,
// written by hand. With an argument, a list that demands what is not on the device.
#include <omp.h>
#include <stddef.h>
#include <stdio.h>

enum {
    kTo = 0x01, kFrom = 0x02, kForcePresent = 0x06, kRelease = 0x17, kUseDevicePtrIfPresent = 0x10,
    kPointerToZeroLength = 0x1e, kAttachZeroLength = 0x52, kForceDetach = 0xd1
};
enum { kMost = 4, kExitData = 2, kDevice = 0 };

void GOMP_target_ext(int device, void (*body)(void*), size_t count, void** addresses, size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments);
void GOMP_target_data_ext(int device, size_t count, void** addresses, size_t* sizes, unsigned short* kinds);
void GOMP_target_end_data(void);
void GOMP_target_enter_exit_data(int device, size_t count, void** addresses, size_t* sizes, unsigned short* kinds,
                                 unsigned flags, void** depend);

typedef struct list {
    size_t count, sizes[kMost];
    void* addresses[kMost];
    unsigned short kinds[kMost];
} list;

static list add(list to, unsigned kind, void* address, size_t size) {
    to.kinds[to.count] = (unsigned short)kind;
    to.addresses[to.count] = address;
    to.sizes[to.count++] = size;
    return to;
}
static list one(unsigned kind, void* address, size_t size) { return add((list){0}, kind, address, size); }

static void region(void (*body)(void*), list items) {
    GOMP_target_ext(kDevice, body, items.count, items.addresses, items.sizes, items.kinds, 0, NULL, NULL);
}
static void change(list items, unsigned flags) {
    GOMP_target_enter_exit_data(kDevice, items.count, items.addresses, items.sizes, items.kinds, flags, NULL);
}

static int failures = 0;
static void check(int holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++failures;
}

// The first word is where an integer is, the second where it goes.
static void copy(void* words) { *((int**)words)[1] = *((int**)words)[0]; }
// The first word is where a pointer to an integer is.
static void copy_target(void* words) {
    const int* const target = *((int***)words)[0];
    *((int**)words)[1] = target ? *target : -1;
}

static int seen(void (*body)(void*), unsigned kind, void* address, size_t size) {
    int result = 0;
    region(body, add(one(kind, address, size), kFrom, &result, sizeof result));
    return result;
}

static void force_present(void) {
    int x = 5;
    change(one(kTo, &x, sizeof x), 0);
    x = 6;
    check(seen(copy, kForcePresent, &x, sizeof x) == 5, "force_present finds the device's copy");
    change(one(kRelease, &x, sizeof x), kExitData);
}

static void use_device_ptr_if_present(void) {
    int values[8] = {5}, seen_there = 0; // the address behind what is present belongs to it, too
    int* const x = values;
    int* const other = values + 4;
    change(one(kTo, x, sizeof *x), 0);
    list items = add(one(kUseDevicePtrIfPresent, x, 0), kUseDevicePtrIfPresent, other, 0);
    GOMP_target_data_ext(kDevice, items.count, items.addresses, items.sizes, items.kinds);
    check(items.addresses[0] != x && items.addresses[1] == other, "use_device_ptr_if_present");
    GOMP_target_end_data();
    int* const there = items.addresses[0];
#pragma omp target device(kDevice) is_device_ptr(there) map(from : seen_there)
    seen_there = *there;
    check(seen_there == 5, "the address of the device's copy");
    change(one(kRelease, x, sizeof *x), kExitData);
}

static void pointer_to_zero_length(void) {
    int x = 5;
    int* pointer = &x;
    check(seen(copy_target, kPointerToZeroLength, &pointer, 0) == -1, "a pointer to what is not on the device");
    change(one(kTo, &x, sizeof x), 0);
    x = 6;
    check(seen(copy_target, kPointerToZeroLength, &pointer, 0) == 5, "a pointer to the device's copy");
    check(pointer == &x, "the host's pointer keeps its value");
    change(one(kRelease, &x, sizeof x), kExitData);
}

static void attach_zero_length_and_force_detach(void) {
    struct {
        int* data;
    } node = {NULL};
    int first = 5, second = 6;
    node.data = &first;
    change(one(kTo, &node, sizeof node), 0);
    change(one(kAttachZeroLength, &node.data, 0), 0);
    check(seen(copy_target, kForcePresent, &node, sizeof node) == -1, "attached to what is not on the device");
    change(one(kForceDetach, &node.data, 0), kExitData);

    change(add(one(kTo, &first, sizeof first), kTo, &second, sizeof second), 0);
    change(one(kAttachZeroLength, &node.data, 0), 0);
    change(one(kAttachZeroLength, &node.data, 0), 0);
    check(seen(copy_target, kForcePresent, &node, sizeof node) == 5, "attached");
    node.data = &second;
    change(one(kAttachZeroLength, &node.data, 0), 0);
    check(seen(copy_target, kForcePresent, &node, sizeof node) == 5, "what is attached stays attached");
    change(one(kForceDetach, &node.data, 0), kExitData);
    change(one(kAttachZeroLength, &node.data, 0), 0);
    check(seen(copy_target, kForcePresent, &node, sizeof node) == 6, "attached again after force_detach");
    change(one(kForceDetach, &node.data, 0), kExitData);
    change(add(add(one(kRelease, &first, sizeof first), kRelease, &second, sizeof second), kRelease, &node, sizeof node),
           kExitData);
}

int main(int count, char** words) {
    (void)words;
    int x = 0;
    if (count > 1) return seen(copy, kForcePresent, &x, sizeof x);
    if (omp_get_num_devices() > 0) {
        force_present();
        use_device_ptr_if_present();
        pointer_to_zero_length();
        attach_zero_length_and_force_detach();
        check(!omp_target_is_present(&x, kDevice), "nothing is left");
    }
    if (!failures) printf("%d devices, ok\n", omp_get_num_devices());
    return failures != 0;
}
