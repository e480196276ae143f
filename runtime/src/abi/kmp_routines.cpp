// SPDX-License-Identifier: Apache-2.0
//
// The routines kmp_* of LLVM's omp.h: memory, affinity masks, and settings of libomp. Settings that
// Teff has no counterpart of are ignored.
// Fortran calls the same routines with an underscore at the end of the name, and passes arguments
// by reference.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sched.h>
#include <string_view>

#include "abi/current.h"
#include "abi/export.h"
#include "abi/start_up.h"
#include "base/thread_stack.h"
#include "icv/icv.h"
#include "idle/limits.h"

using namespace teff;

namespace {

using Mask = cpu_set_t*; // what a kmp_affinity_mask_t points to

constexpr int kSerial = 1, kTurnaround = 2, kThroughput = 3; // of kmp_get_library
constexpr int kNotSet = -1;

// As the program has set them. Relaxed: nothing else depends on them.
constinit std::atomic<int> library{kNotSet};
constinit std::atomic<int> blocktime_ms{kNotSet};

// Each of these routines is a use of OpenMP, as the environment may be read at the first one only.
std::size_t stack_size() {
    abi::first_use();
    const std::uint64_t asked = icv::stacksize();
    return asked != 0 ? asked : base::default_stack_bytes();
}
void set_stack_size(std::size_t bytes) {
    abi::first_use();
    if (bytes >= icv::kLeastStack) icv::set_stacksize(bytes);
}

// KMP_BLOCKTIME, or what libomp says if that is not set.
int initial_blocktime() {
    abi::first_use();
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.kmp_blocktime_us) return static_cast<int>(std::min<std::int64_t>(*icvs.kmp_blocktime_us / 1000, INT_MAX));
    switch (icvs.wait_policy) {
    case icv::WaitPolicy::active:
        return INT_MAX;
    case icv::WaitPolicy::passive:
        return 0;
    default:
        return 200;
    }
}

// KMP_LIBRARY, or what OMP_WAIT_POLICY means for it.
int initial_library() {
    abi::first_use();
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.kmp_library == icv::LibompLibrary::serial) return kSerial;
    return icvs.wait_policy == icv::WaitPolicy::active ? kTurnaround : kThroughput;
}

// Regions that the calling task starts from now on have one thread, or as many as at the beginning.
void limit_to_one_thread(bool is_limited) {
    abi::change_icvs([is_limited](icv::TaskIcvs& icvs) {
        icvs.nthreads = is_limited ? 1 : icv::initial().nthreads;
        icvs.thread_limit = is_limited ? 1 : icv::initial().thread_limit;
    });
}

// TEFF_SPIN, GOMP_SPINCOUNT and KMP_BLOCKTIME say how long threads spin in any case.
void use_library(int which) {
    library.store(which, std::memory_order_relaxed);
    limit_to_one_thread(which == kSerial);
    if (which == kSerial || icv::global().spin_us != icv::kSpinAutomatic) return;
    idle::spin_as(which == kTurnaround ? icv::WaitPolicy::active : icv::WaitPolicy::automatic);
}

// Inside a region the call has no effect, as in libomp.
void set_library(int which) {
    if (which < kSerial || which > kThroughput || abi::current_place().level != 0) return;
    use_library(which);
}

// TEFF_SPIN and GOMP_SPINCOUNT take precedence.
void set_blocktime(int ms) {
    abi::first_use();
    ms = std::max(ms, 0);
    blocktime_ms.store(ms, std::memory_order_relaxed);
    const icv::GlobalIcvs& icvs = icv::global();
    if (!icvs.spin_asked_us && !icvs.spin_count) idle::spin_for(std::min(std::int64_t{ms} * 1000, icv::kSpinMax_us));
}

bool is_processor(int processor) { return processor >= 0 && processor < CPU_SETSIZE; }

void* take_aligned(std::size_t bytes, std::size_t align) {
    void* memory = nullptr;
    return posix_memalign(&memory, align < sizeof(void*) ? sizeof(void*) : align, bytes) == 0 ? memory : nullptr;
}

} // namespace

TEFF_EXPORT void* kmp_malloc(std::size_t bytes) { return std::malloc(bytes); }
TEFF_EXPORT void* kmp_aligned_malloc(std::size_t bytes, std::size_t align) { return take_aligned(bytes, align); }
TEFF_EXPORT void* kmp_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
TEFF_EXPORT void* kmp_realloc(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
TEFF_EXPORT void kmp_free(void* memory) { std::free(memory); }
TEFF_EXPORT void* kmp_malloc_(const std::size_t* bytes) { return std::malloc(*bytes); }
TEFF_EXPORT void* kmp_aligned_malloc_(const std::size_t* bytes, const std::size_t* align) {
    return take_aligned(*bytes, *align);
}
TEFF_EXPORT void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) {
    return std::calloc(*count, *bytes);
}
TEFF_EXPORT void* kmp_realloc_(void* const* memory, const std::size_t* bytes) { return std::realloc(*memory, *bytes); }
TEFF_EXPORT void kmp_free_(void* const* memory) { std::free(*memory); }

TEFF_EXPORT int kmp_get_blocktime() {
    const int set = blocktime_ms.load(std::memory_order_relaxed);
    return set != kNotSet ? set : initial_blocktime();
}
TEFF_EXPORT int kmp_get_blocktime_() { return kmp_get_blocktime(); }
TEFF_EXPORT void kmp_set_blocktime(int ms) { set_blocktime(ms); }
TEFF_EXPORT void kmp_set_blocktime_(const int* ms) { kmp_set_blocktime(*ms); }
TEFF_EXPORT int kmp_get_library() {
    const int set = library.load(std::memory_order_relaxed);
    return set != kNotSet ? set : initial_library();
}
TEFF_EXPORT int kmp_get_library_() { return kmp_get_library(); }
TEFF_EXPORT void kmp_set_library(int which) { set_library(which); }
TEFF_EXPORT void kmp_set_library_(const int* which) { kmp_set_library(*which); }
TEFF_EXPORT void kmp_set_library_serial() { kmp_set_library(kSerial); }
TEFF_EXPORT void kmp_set_library_serial_() { kmp_set_library(kSerial); }
TEFF_EXPORT void kmp_set_library_throughput() { kmp_set_library(kThroughput); }
TEFF_EXPORT void kmp_set_library_throughput_() { kmp_set_library(kThroughput); }
TEFF_EXPORT void kmp_set_library_turnaround() { kmp_set_library(kTurnaround); }
TEFF_EXPORT void kmp_set_library_turnaround_() { kmp_set_library(kTurnaround); }
TEFF_EXPORT int kmp_get_stacksize() { return static_cast<int>(stack_size()); }
TEFF_EXPORT int kmp_get_stacksize_() { return kmp_get_stacksize(); }
TEFF_EXPORT std::size_t kmp_get_stacksize_s() { return stack_size(); }
TEFF_EXPORT std::size_t kmp_get_stacksize_s_() { return stack_size(); }
TEFF_EXPORT void kmp_set_stacksize(int bytes) {
    if (bytes > 0) set_stack_size(static_cast<std::size_t>(bytes));
}
TEFF_EXPORT void kmp_set_stacksize_(const int* bytes) { kmp_set_stacksize(*bytes); }
TEFF_EXPORT void kmp_set_stacksize_s(std::size_t bytes) { set_stack_size(bytes); }
TEFF_EXPORT void kmp_set_stacksize_s_(const std::size_t* bytes) { kmp_set_stacksize_s(*bytes); }

// Before the process uses OpenMP; later calls have no effect.
TEFF_EXPORT void kmp_set_defaults(const char* text) {
    if (text != nullptr) (void)abi::set_defaults(text);
}
TEFF_EXPORT void kmp_set_defaults_(const char* text, int length) {
    if (length > 0) (void)abi::set_defaults({text, static_cast<std::size_t>(length)});
}
TEFF_EXPORT void kmp_set_disp_num_buffers(int) {}
TEFF_EXPORT void kmp_set_disp_num_buffers_(const int*) {}
TEFF_EXPORT void kmp_set_warnings_on() {}
TEFF_EXPORT void kmp_set_warnings_on_() {}
TEFF_EXPORT void kmp_set_warnings_off() {}
TEFF_EXPORT void kmp_set_warnings_off_() {}
TEFF_EXPORT int kmp_get_cancellation_status(int) { return 0; }
TEFF_EXPORT int kmp_get_cancellation_status_(const int*) { return 0; }

// Masks of processors. The results are 0, or what the kernel says.
TEFF_EXPORT int kmp_get_affinity_max_proc() { return CPU_SETSIZE; }
TEFF_EXPORT int kmp_get_affinity_max_proc_() { return CPU_SETSIZE; }
TEFF_EXPORT void kmp_create_affinity_mask(Mask* mask) { *mask = static_cast<Mask>(std::calloc(1, sizeof(cpu_set_t))); }
TEFF_EXPORT void kmp_create_affinity_mask_(Mask* mask) { kmp_create_affinity_mask(mask); }
TEFF_EXPORT void kmp_destroy_affinity_mask(Mask* mask) {
    std::free(*mask);
    *mask = nullptr;
}
TEFF_EXPORT void kmp_destroy_affinity_mask_(Mask* mask) { kmp_destroy_affinity_mask(mask); }
TEFF_EXPORT int kmp_set_affinity(Mask* mask) { return sched_setaffinity(0, sizeof **mask, *mask); }
TEFF_EXPORT int kmp_set_affinity_(Mask* mask) { return kmp_set_affinity(mask); }
TEFF_EXPORT int kmp_get_affinity(Mask* mask) { return sched_getaffinity(0, sizeof **mask, *mask); }
TEFF_EXPORT int kmp_get_affinity_(Mask* mask) { return kmp_get_affinity(mask); }
TEFF_EXPORT int kmp_set_affinity_mask_proc(int processor, Mask* mask) {
    if (!is_processor(processor)) return -1;
    CPU_SET(static_cast<unsigned>(processor), *mask);
    return 0;
}
TEFF_EXPORT int kmp_set_affinity_mask_proc_(const int* processor, Mask* mask) {
    return kmp_set_affinity_mask_proc(*processor, mask);
}
TEFF_EXPORT int kmp_unset_affinity_mask_proc(int processor, Mask* mask) {
    if (!is_processor(processor)) return -1;
    CPU_CLR(static_cast<unsigned>(processor), *mask);
    return 0;
}
TEFF_EXPORT int kmp_unset_affinity_mask_proc_(const int* processor, Mask* mask) {
    return kmp_unset_affinity_mask_proc(*processor, mask);
}
TEFF_EXPORT int kmp_get_affinity_mask_proc(int processor, Mask* mask) {
    return is_processor(processor) && CPU_ISSET(static_cast<unsigned>(processor), *mask);
}
TEFF_EXPORT int kmp_get_affinity_mask_proc_(const int* processor, Mask* mask) {
    return kmp_get_affinity_mask_proc(*processor, mask);
}

// The same under the names that Intel's compilers use.
TEFF_EXPORT void* kmpc_malloc(std::size_t bytes) { return std::malloc(bytes); }
TEFF_EXPORT void* kmpc_aligned_malloc(std::size_t bytes, std::size_t align) { return take_aligned(bytes, align); }
TEFF_EXPORT void* kmpc_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
TEFF_EXPORT void* kmpc_realloc(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
TEFF_EXPORT void kmpc_free(void* memory) { std::free(memory); }
TEFF_EXPORT void kmpc_set_blocktime(int ms) { kmp_set_blocktime(ms); }
TEFF_EXPORT void kmpc_set_library(int which) { kmp_set_library(which); }
TEFF_EXPORT void kmpc_set_stacksize(int bytes) { kmp_set_stacksize(bytes); }
TEFF_EXPORT void kmpc_set_stacksize_s(std::size_t bytes) { kmp_set_stacksize_s(bytes); }
TEFF_EXPORT void kmpc_set_defaults(const char* text) { kmp_set_defaults(text); }
TEFF_EXPORT void kmpc_set_disp_num_buffers(int) {}
TEFF_EXPORT int kmpc_set_affinity_mask_proc(int processor, Mask* mask) {
    return kmp_set_affinity_mask_proc(processor, mask);
}
TEFF_EXPORT int kmpc_unset_affinity_mask_proc(int processor, Mask* mask) {
    return kmp_unset_affinity_mask_proc(processor, mask);
}
TEFF_EXPORT int kmpc_get_affinity_mask_proc(int processor, Mask* mask) {
    return kmp_get_affinity_mask_proc(processor, mask);
}
