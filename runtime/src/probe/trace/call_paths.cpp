// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/call_paths.h"

#include <algorithm>
#include <dlfcn.h>
#include <new>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "base/cache_line.h"
#include "probe/trace/calls.h"
#include "probe/trace/digest.h"
#include "probe/trace/site_table.h"

namespace teff::probe::trace {

namespace {

// Between an event point and the program's code.
constexpr unsigned kMostFramesOfRuntime = 64;

} // namespace

CallPaths* CallPaths::make(unsigned depth) {
    FoundObject own;
    if (!find_object_without_lock(reinterpret_cast<std::uintptr_t>(&find_loaded_module), own)) return nullptr;
    void* const memory = map_memory(sizeof(CallPaths)); // all zero, as its members have no initialisers
    if (memory == nullptr) return nullptr;
    (void)call(SYS_madvise, memory, sizeof(CallPaths), MADV_WIPEONFORK);
    auto* const made = ::new (memory) CallPaths;
    made->depth_ = std::min(depth, kMostDepth);
    made->own_begin_ = own.begin;
    made->own_end_ = own.end;
    return made;
}

void CallPaths::unmake(CallPaths* paths) {
    if (paths != nullptr) call(SYS_munmap, paths, sizeof(CallPaths));
}

// False: this was not called from there.
bool CallPaths::go_to_call_site(Registers& registers, const void* call_site) {
    for (unsigned i = 0; i < kMostFramesOfRuntime; ++i) {
        if (registers.code == reinterpret_cast<std::uintptr_t>(call_site)) return true;
        const KnownRule* const known = walker_.rule_of(registers.code);
        if (known == nullptr || !walker_.go_to_caller(registers, known->rule)) return false;
    }
    return false;
}

std::uint64_t CallPaths::digest_of(const void* call_site, const void* function) {
    const FrameWalker::Object* const of_site = walker_.object_of(reinterpret_cast<std::uintptr_t>(call_site));
    const std::uint64_t site = of_site != nullptr ? of_site->identity : 0;
    const FrameWalker::Object* const of_body =
        function == nullptr ? of_site : walker_.object_of(reinterpret_cast<std::uintptr_t>(function));
    const std::uint64_t body = of_body != nullptr ? of_body->identity : 0;
    return mix(mix(0, site), body); // often the same, which would cancel out
}

CallPaths::Path CallPaths::without_frames(const void* call_site, const void* function, std::uint32_t round) {
    walker_.set_round(round);
    python_.clear();
    return {.digest = digest_of(call_site, function), .frames = 0, .flags = 0};
}

CallPaths::Path CallPaths::cut(const void* call_site, const void* function, std::uint32_t round) {
    Path path = without_frames(call_site, function, round);
    path.flags = TEFF_PATH_CUT;
    path.digest = mix(path.digest, 2);
    return path;
}

[[gnu::noinline]] CallPaths::Path CallPaths::walk(const void* call_site, const void* function, std::uint32_t round) {
    Path path = without_frames(call_site, function, round);
    const unsigned depth = depth_; // a signal handler may fork: in its child all of this object is zero
    Registers registers = base::arch::frame_registers();
    ++registers.code; // as behind a call: rules are looked up before it
    walker_.begin(registers.stack, round);
    if (!go_to_call_site(registers, call_site)) return path.digest = mix(path.digest, 1), path;
    for (;;) {
        const KnownRule* const known = walker_.rule_of(registers.code);
        path.digest = mix(path.digest, known != nullptr ? walker_.identity_of(*known) : 0);
        if (known != nullptr && known->rule.cfa_is == FrameRule::Cfa::kOutermost) break;
        if (known == nullptr || !walker_.go_to_caller(registers, known->rule)) {
            path.flags |= TEFF_PATH_LOST;
            break;
        }
        if (is_own(registers.code)) {
            path.flags |= TEFF_PATH_OF_TASK;
            break;
        }
        if (path.frames >= depth) {
            path.flags |= TEFF_PATH_CUT;
            break;
        }
        frames_[path.frames++] = {registers.code, 0, 0};
        path.digest = mix(path.digest, registers.code);
    }
    path.digest = mix(path.digest, path.flags + 2u);
    return path;
}

// What a task has come from, its creation's path says.
void CallPaths::read_python(Path& path) {
    if ((path.flags & TEFF_PATH_OF_TASK) != 0) return;
    python_.read();
    if (python_.is_cut()) path.flags |= TEFF_PATH_CUT;
    path.digest = mix(mix(path.digest, python_.digest()), path.flags);
}

std::size_t CallPaths::slot_of(const void* call_site, const void* function, std::uint64_t digest) {
    const std::uint64_t word =
        mix(digest, reinterpret_cast<std::uintptr_t>(call_site) + 3 * reinterpret_cast<std::uintptr_t>(function));
    return static_cast<std::size_t>(word >> 20);
}

std::uint32_t CallPaths::find(const void* call_site, const void* function, const Path& path) const {
    for (std::size_t at = slot_of(call_site, function, path.digest);; ++at) {
        const Site& site = sites_[at % kSites];
        if (site.site == 0) return 0;
        if (site.digest == path.digest && site.call_site == call_site && site.function == function) return site.site;
    }
}

void CallPaths::forget_sites() {
    std::fill_n(sites_, kSites, Site{});
    known_ = 0;
}

void CallPaths::add(const void* call_site, const void* function, const Path& path, std::uint32_t site) {
    if (known_ == kSites - 1) return; // it has to have an end
    std::size_t at = slot_of(call_site, function, path.digest);
    while (sites_[at % kSites].site != 0)
        ++at;
    sites_[at % kSites] = {call_site, function, path.digest, site};
    ++known_;
}

} // namespace teff::probe::trace
