// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/readable_stack.h"

#include <cerrno>
#include <sys/syscall.h>

#include "base/arch/arch.h"
#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::uintptr_t kPage = base::arch::kPageBytes;
constexpr std::uintptr_t kFar = 1 << 20; // no frame is larger

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(kPage - 1); }

// The kernel reads the new mask before it looks at what to do with it, and there is no such thing
// to do: EFAULT, or EINVAL. (LLVM's unwinder asks so, too.)
bool is_readable(std::uintptr_t page) {
    constexpr long kNothingToDo = -1;
    constexpr std::size_t kMaskBytes = 8;
    return call(SYS_rt_sigprocmask, kNothingToDo, page, nullptr, kMaskBytes) == -EINVAL;
}

// From `page` on, until the first one that is not, or `end`.
std::uintptr_t readable_until(std::uintptr_t page, std::uintptr_t end) {
    while (page < end && is_readable(page))
        page += kPage;
    return page;
}

} // namespace

void ReadableStack::begin(std::uintptr_t stack) { high_ = page_of(stack) + kPage; }

void ReadableStack::begin_interrupted(std::uintptr_t stack) { high_ = page_of(stack); }

bool ReadableStack::look(std::uintptr_t stack, std::uintptr_t at) {
    if (at - stack > kFar) return false;
    high_ = readable_until(high_, page_of(at) + kPage);
    return at < high_;
}

} // namespace teff::probe::trace
