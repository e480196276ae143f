// SPDX-License-Identifier: Apache-2.0
// Takes 32 bytes of the static thread-local storage.

static __thread char hog[32] __attribute__((tls_model("initial-exec"), aligned(32)));

int use_tls(void);
int use_tls(void) {
    for (int i = 0; i < (int)sizeof hog; ++i)
        ((volatile char*)hog)[i] = 1;
    return (int)sizeof hog;
}
