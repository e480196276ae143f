// SPDX-License-Identifier: Apache-2.0
// Stream's methods that record places in the program and loaded objects when it first meets them.
#include <cstring>

#include "probe/trace/guest.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

std::uint32_t Stream::add_module(const LoadedModule& module) {
    const std::uint32_t number = modules_.next();
    const std::size_t length = std::strlen(module.path);
    const std::size_t bytes = sizeof(teff_rec_module) + (length + 15) / 16 * 16;
    char* const at = begin_record(bytes);
    if (at == nullptr) return 0;
    auto* record = reinterpret_cast<teff_rec_module*>(at);
    record->module = number;
    record->path_bytes = static_cast<std::uint32_t>(length);
    record->bias = module.bias;
    record->build_id = module.build_id;
    record->build_mark = module.build_mark;
    std::memcpy(at + sizeof(teff_rec_module), module.path, length);
    std::atomic_ref<std::uint64_t>(record->head).store(TEFF_REC_MODULE, std::memory_order_release); // [trace-1]
    end_record();
    modules_.add(module.identity, base::ticks());
    return number;
}

// No handler and no cancellation comes while this thread holds a lock of the dynamic linker.
bool Stream::look_for_module(std::uintptr_t address) {
    if (finds_modules_without_lock()) return find_loaded_module(address, loaded_);
    const Guest guest;
    return find_loaded_module(address, loaded_);
}

// 0: in none, or it could not be stored.
std::uint32_t Stream::module_of(std::uintptr_t address) {
    return address != 0 && look_for_module(address) ? number_of(loaded_) : 0;
}

// 0: it could not be stored.
std::uint32_t Stream::number_of(const LoadedModule& module) {
    const std::uint32_t known = modules_.find(module.identity);
    return known != 0 ? known : add_module(module);
}

std::uint32_t Stream::look_again(const void* call_site, const void* function, Above above) {
    if (cursor_.at == nullptr && !may_try()) return 0; // while nothing can be stored, losing costs little
    // A signal's handler may fork: then the child finds none in the stream.
    if (CallPaths* const paths = paths_) return site_with_path(*paths, call_site, function, above);
    const std::uint64_t objects = objects_at(call_site, function);
    const std::uint32_t known = sites_.confirm(call_site, function, objects);
    return known != 0 ? known : add_site(call_site, function, objects);
}

// It makes no system call, which a filter might not know. So handlers of signals may come in
// between: places that are new to them are not stored.
std::uint32_t Stream::add_site(const void* call_site, const void* function, std::uint64_t objects) {
    if (adds_site_.load(std::memory_order_relaxed)) return 0;
    const OwnTime time(*this);
    adds_site_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // [site-1]
    const std::uint32_t site = write_site(call_site, function);
    if (site != 0) {
        if (sites_.is_full()) make_room_for_site();
        sites_.add(call_site, function, objects);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst); // [site-1]
    adds_site_.store(false, std::memory_order_relaxed);
    return site;
}

// A call at the end of a function may be a jump, and then returns to the function's caller: if that
// is in another object than what the construct runs, it says nothing of the construct. Where what
// runs is the runtime's own, only the call says something.
std::uint32_t Stream::write_site(const void* call_site, const void* function) {
    auto body = reinterpret_cast<std::uintptr_t>(function);
    auto from = reinterpret_cast<std::uintptr_t>(call_site);
    std::uint32_t module = module_of(from);
    if (const std::uint32_t other = module_of(body); other != 0 && other != module) {
        const bool is_runtime = loaded_.covers(reinterpret_cast<std::uintptr_t>(&find_loaded_module));
        if (is_runtime) body = 0;
        else module = other, from = body + 1; // a reader looks before the return address
    }
    const std::uint32_t site = sites_.next();
    const bool stored = append<TEFF_REC_SITE>(0, base::ticks(), teff_rec_site{0, site, module, from, body});
    return stored ? site : 0;
}

// As add_site, but for each site and not only for new ones: it is the look at the stack that takes
// time. One without it is found as quickly as the record of it would be stored. Once there are too
// many, those that are known are still found, and all others to a construct are one, marked as cut.
// Once there are too many constructs, all further ones are one, too, which has no place.
std::uint32_t Stream::site_with_path(CallPaths& paths, const void* call_site, const void* function, Above above) {
    if (adds_site_.load(std::memory_order_relaxed)) return 0;
    const Ticks came = base::ticks();
    adds_site_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // [site-1]
    CallPaths::Path path = path_to(paths, call_site, function, above);
    std::uint32_t site = paths.find(call_site, function, path);
    if (site == 0 && above != Above::kNothing && call_site != nullptr && !paths.has_room()) {
        path = paths.cut(call_site, function, sites_.round());
        site = paths.find(call_site, function, path);
    }
    if (site == 0 && !paths.has_space()) {
        call_site = function = nullptr; // no place: all further constructs
        path = paths.cut(nullptr, nullptr, sites_.round());
        site = paths.find(nullptr, nullptr, path);
    }
    if (site == 0 || above != Above::kNothing) {
        const OwnTime time(*this, came);
        if (site == 0) site = write_site_with_path(paths, call_site, function, path);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst); // [site-1]
    adds_site_.store(false, std::memory_order_relaxed);
    return site;
}

CallPaths::Path Stream::path_to(CallPaths& paths, const void* call_site, const void* function, Above above) {
    const std::uint32_t round = sites_.round();
    if (above == Above::kNothing || call_site == nullptr) return paths.without_frames(call_site, function, round);
    CallPaths::Path path = paths.walk(call_site, function, round);
    if (above == Above::kWithPython) paths.read_python(path);
    return path;
}

std::uint32_t Stream::write_site_with_path(CallPaths& paths, const void* call_site, const void* function,
                                           const CallPaths::Path& path) {
    const std::uint32_t site = write_site(call_site, function);
    if (site == 0) return 0;
    sites_.take();
    if (write_path(paths, site, path)) paths.add(call_site, function, path, site);
    return site;
}

// False: it is lost.
bool Stream::write_path(CallPaths& paths, std::uint32_t site, const CallPaths::Path& path) {
    const std::uint32_t python_bytes = paths.python().bytes();
    if (path.frames == 0 && path.flags == 0 && python_bytes == 0) return true;
    for (std::uint32_t i = 0; i < path.frames; ++i)
        paths.frame(i).module = module_of(paths.frame(i).address - 1);
    const std::size_t frames_bytes = path.frames * sizeof(teff_path_frame), tail = frames_bytes + python_bytes;
    const std::size_t bytes = sizeof(teff_rec_call_path) + (tail + 15) / 16 * 16;
    char* const at = begin_record(bytes);
    if (at == nullptr) return false;
    auto* record = reinterpret_cast<teff_rec_call_path*>(at);
    record->site = site;
    record->tail_bytes = static_cast<std::uint32_t>(tail);
    record->frames = path.frames;
    record->python_bytes = python_bytes;
    std::memcpy(at + sizeof *record, &paths.frame(0), frames_bytes);
    std::memcpy(at + sizeof *record + frames_bytes, paths.python().text(), python_bytes);
    const std::uint64_t head = std::uint64_t{path.flags} << 8 | TEFF_REC_CALL_PATH;
    std::atomic_ref<std::uint64_t>(record->head).store(head, std::memory_order_release); // [trace-1]
    end_record();
    return true;
}

void Stream::make_room_for_site() {
    const Guest guest;
    if (guest.may_call()) (void)sites_.grow();
}

} // namespace teff::probe::trace
