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

// The slots that the rules name lie on the thread's stack, whatever a sanitizer thinks of them.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uintptr_t load(std::uintptr_t at) {
    return *reinterpret_cast<const volatile std::uintptr_t*>(at);
}

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

// More are in use than fit. What is known of sites stays: digests have what tells an
// object, and not when it was met.
void CallPaths::forget() {
    for (KnownRule& known : rules_)
        if (known.address != 0) known = {}; // pages that nothing was written to stay so
    rules_used_ = objects_used_ = 0;
}

CallPaths::Object* CallPaths::find_object(std::uintptr_t address) {
    Object* const end = objects_ + objects_used_;
    Object* const found = std::find_if(
        objects_, end, [=](const Object& of) { return of.round != 0 && address >= of.begin && address < of.end; });
    return found != end ? found : nullptr;
}

// One that was replaced may come back, with its rules.
CallPaths::Object* CallPaths::object_named(std::uint64_t identity) {
    Object* const end = objects_ + objects_used_;
    Object* const found = std::find_if(objects_, end, [=](const Object& of) { return of.identity == identity; });
    return found != end ? found : nullptr;
}

bool CallPaths::is_still_there(Object& object, std::uintptr_t address) {
    FoundObject found;
    if (!find_object_without_lock(address, found) || found.identity != object.identity) return false;
    object.round = round_;
    return true;
}

CallPaths::Object* CallPaths::add_object(std::uintptr_t address) {
    FoundObject found;
    if (!find_object_without_lock(address, found)) return nullptr;
    Object* object = object_named(found.identity);
    if (object == nullptr) {
        if (objects_used_ == kObjects) forget();
        object = &objects_[objects_used_++];
    }
    *object = {found.begin, found.end, found.tables, found.identity, round_};
    return object;
}

// Null: it lies in none. Rules of an object that is replaced are looked up again one by one.
const CallPaths::Object* CallPaths::object_of(std::uintptr_t address) {
    Object* const known = find_object(address);
    if (known == nullptr) return add_object(address);
    if (TEFF_LIKELY(known->round == round_) || is_still_there(*known, address)) return known;
    known->round = 0;
    return add_object(address);
}

CallPaths::KnownRule& CallPaths::slot_of_rule(std::uintptr_t return_address) {
    std::size_t at = static_cast<std::size_t>(return_address * 0x9e3779b97f4a7c15ull >> 40);
    while (rules_[at % kRules].address != 0 && rules_[at % kRules].address != return_address)
        ++at;
    return rules_[at % kRules];
}

// Null: it lies in no object.
const CallPaths::KnownRule* CallPaths::rule_of(std::uintptr_t return_address) {
    const KnownRule& known = slot_of_rule(return_address);
    if (TEFF_LIKELY(known.address != 0 && objects_[known.object].round == round_)) return &known;
    return look_for_rule(return_address);
}

const CallPaths::KnownRule* CallPaths::look_for_rule(std::uintptr_t return_address) {
    if (rules_used_ >= kRules / 2) forget();
    const Object* const object = object_of(return_address); // it may forget, too
    if (object == nullptr) return nullptr;
    KnownRule& known = slot_of_rule(return_address);
    const auto at = static_cast<std::uint32_t>(object - objects_);
    if (known.address != 0 && known.object == at) return &known; // its object is still there
    if (known.address == 0) ++rules_used_;
    known = {return_address, frame_rule(return_address - 1, object->tables), at};
    return &known;
}

// False: there is no caller, or it cannot be told. Stacks grow downwards: whatever the tables say,
// a walk ends.
bool CallPaths::go_to_caller(Registers& registers, const FrameRule& rule) {
    using Cfa = FrameRule::Cfa;
    using Saved = FrameRule::Saved;
    if (rule.cfa_is == Cfa::kUnknown || rule.cfa_is == Cfa::kOutermost) return false;
    std::uintptr_t cfa = rule.cfa_is == Cfa::kOfStack ? registers.stack : registers.frame;
    cfa += static_cast<std::uintptr_t>(std::int64_t{rule.cfa});
    const bool is_frame_odd = rule.cfa_is != Cfa::kOfStack && (registers.frame < registers.stack);
    if (is_frame_odd || cfa % sizeof(void*) != 0) return false;
    if (rule.cfa_is == Cfa::kAtFrame) {
        if (!stack_.can_read(registers.stack, cfa)) return false;
        cfa = load(cfa);
    }
    if (cfa <= registers.stack || cfa % sizeof(void*) != 0) return false;
    if (rule.saved_is != Saved::kInRegister) {
        const std::uintptr_t base = rule.saved_is == Saved::kAtCfa ? cfa : registers.frame;
        const std::uintptr_t at = base + static_cast<std::uintptr_t>(std::int64_t{rule.saved});
        if (at % sizeof(void*) != 0 || !stack_.can_read(registers.stack, at)) return false;
        registers.frame = load(at);
    }
    if (!stack_.can_read(registers.stack, cfa - sizeof(void*))) return false;
    registers = {.code = load(cfa - sizeof(void*)), .stack = cfa, .frame = registers.frame};
    return registers.code != 0;
}

// False: this was not called from there.
bool CallPaths::go_to_call_site(Registers& registers, const void* call_site) {
    for (unsigned i = 0; i < kMostFramesOfRuntime; ++i) {
        if (registers.code == reinterpret_cast<std::uintptr_t>(call_site)) return true;
        const KnownRule* const known = rule_of(registers.code);
        if (known == nullptr || !go_to_caller(registers, known->rule)) return false;
    }
    return false;
}

std::uint64_t CallPaths::digest_of(const void* call_site, const void* function) {
    const Object* const of_site = object_of(reinterpret_cast<std::uintptr_t>(call_site));
    const std::uint64_t site = of_site != nullptr ? of_site->identity : 0;
    const Object* const of_body = function == nullptr ? of_site : object_of(reinterpret_cast<std::uintptr_t>(function));
    const std::uint64_t body = of_body != nullptr ? of_body->identity : 0;
    return mix(mix(0, site), body); // often the same, which would cancel out
}

CallPaths::Path CallPaths::without_frames(const void* call_site, const void* function, std::uint32_t round) {
    round_ = round;
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
    stack_.begin(registers.stack);
    if (!go_to_call_site(registers, call_site)) return path.digest = mix(path.digest, 1), path;
    for (;;) {
        const KnownRule* const known = rule_of(registers.code);
        path.digest = mix(path.digest, known != nullptr ? objects_[known->object].identity : 0);
        if (known != nullptr && known->rule.cfa_is == FrameRule::Cfa::kOutermost) break;
        if (known == nullptr || !go_to_caller(registers, known->rule)) {
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
