// SPDX-License-Identifier: Apache-2.0
#include "processes/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace teff::processes::descriptors {

namespace {

constexpr int kRoom = 192; // at the end of what the limit allows, or of what is usual
constexpr rlim_t kUsualLimit = 1024;
constexpr unsigned kMostKept = 160;
int kept[kMostKept];
unsigned kept_count = 0;

int lowest() {
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > kUsualLimit) return kUsualLimit - kRoom;
    return limit.rlim_cur > 2 * kRoom ? static_cast<int>(limit.rlim_cur) - kRoom : 3;
}

} // namespace

int keep(int descriptor) {
    if (descriptor < 0) return descriptor;
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest());
    if (high >= 0) syscall(SYS_close, descriptor);
    const int own = high >= 0 ? high : descriptor;
    if (kept_count < kMostKept) kept[kept_count++] = own;
    return own;
}

void close_kept(int descriptor) {
    for (unsigned i = 0; i < kept_count; ++i)
        if (kept[i] == descriptor) kept[i--] = kept[--kept_count];
    syscall(SYS_close, descriptor);
}

bool is_kept(int descriptor) {
    for (unsigned i = 0; i < kept_count; ++i)
        if (kept[i] == descriptor) return true;
    return false;
}

} // namespace teff::processes::descriptors
