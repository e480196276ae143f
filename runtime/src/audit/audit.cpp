// SPDX-License-Identifier: Apache-2.0
//
// libteff-audit.so: tells the dynamic linker to load Teff's libgomp.so.1 for every OpenMP runtime
// that Teff stands for (names.h) and that a program or one of its libraries asks for, whatever its
// name and folder (rtld-audit(7), LD_AUDIT). `teff run`, `stat` and `record` set it
// (docs/recording.md). So a process has one runtime, whichever compilers built its parts.
//
// A library path does not suffice: libraries with a built-in path (DT_RPATH), and bundled copies of
// a runtime with changed names (Python's wheels), are not found through a library path. Rejected:
// to preload libgomp.so.1. The library would also be loaded into every program that the program
// starts, and programs with AddressSanitizer would refuse to start.
//
// A program or library that uses libomptarget keeps its libomp: libomptarget calls functions of it
// that are no part of its interface.
//
// The dynamic linker loads this library before the program and its C library, into a separate
// namespace. So this library may need no other library than the dynamic linker: if it needed the C
// library, each program would get a second C library. The linker calls la_objsearch while the
// linker holds its lock, one call at a time. The linker keeps a name that la_objsearch returns only
// until the library is found. Nothing is allocated or freed.
//
// The versions of a library's symbols are looked up by the name that the library's user asks for,
// so the linker has to know Teff by each such name. It remembers the name that was first asked for,
// and every name that it has looked for in folders. So the first name is answered at once. For a
// further name, the paths that the linker tries for this name are answered: the linker then finds
// that it has this file, and remembers the name. Otherwise it would end the process
// ("Inconsistency detected by ld.so").
//
// The linker also calls la_objopen with each object that it has loaded, under the same lock. The
// library keeps the times of these loads for the recorder (probe/trace/object_loads.h).
#include <link.h>
#include <linux/limits.h> // Clang's <climits> has no PATH_MAX without a hosted C library

#include "audit/explain.h"
#include "audit/names.h"
#include "base/arch/arch.h"
#include "probe/trace/object_loads.h"

namespace {

using namespace teff::audit;

constexpr char kLibrary[] = "libgomp.so.1";

// Beside this library; empty until it is known. Only la_objsearch uses it.
char runtime[PATH_MAX];

// The path by which the linker knows this library. From glibc 2.35 on, its list of libraries also
// has the namespaces of auditors.
const char* own_path() {
    const auto* space = reinterpret_cast<const r_debug_extended*>(&_r_debug);
    for (; space != nullptr; space = space->r_next) {
        for (const link_map* map = space->base.r_map; map != nullptr; map = map->l_next)
            if (map->l_ld == _DYNAMIC) return map->l_name;
        if (space->base.r_version < 2) break;
    }
    return nullptr;
}

// Null where that cannot be told.
const char* path_of_runtime() {
    if (runtime[0] != '\0') return runtime;
    const char* const own = own_path();
    if (own == nullptr) return nullptr;
    const long folder = file_name(own) - own;
    if (folder == 0 || folder + static_cast<long>(sizeof kLibrary) > PATH_MAX) return nullptr;
    for (unsigned at = 0; at < sizeof kLibrary; ++at)
        runtime[folder + at] = kLibrary[at];
    for (long at = folder - 1; at >= 0; --at) // its first letter last: then it is whole
        runtime[at] = own[at];
    return runtime;
}

// Whether the namespace of `map` has Teff, whose file has libgomp's name.
bool has_teff(const link_map* map) {
    while (map->l_prev != nullptr)
        map = map->l_prev;
    for (; map != nullptr; map = map->l_next)
        if (is_name_of(kRuntimes[0], file_name(map->l_name))) return true;
    return false;
}

// Whether one of the libraries that this object needs is such a one.
template <class Condition> bool needs(const link_map* map, const Condition& is_such) {
    const char* names = nullptr;
    for (const ElfW(Dyn)* at = map->l_ld; at->d_tag != DT_NULL; ++at)
        if (at->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at->d_un.d_ptr);
    if (names == nullptr) return false;
    // Some linkers leave this address as it is in the file.
    if (reinterpret_cast<uintptr_t>(names) < map->l_addr) names += map->l_addr;
    for (const ElfW(Dyn)* at = map->l_ld; at->d_tag != DT_NULL; ++at)
        if (at->d_tag == DT_NEEDED && is_such(names + at->d_un.d_val)) return true;
    return false;
}

bool uses_libomptarget(const link_map* map) { return is_libomptarget(map->l_name) || needs(map, is_libomptarget); }

// Whether the object needs this library by a name with folders. The linker looks up versions by
// this name, too, but never looks for it in folders, so that it would not know Teff by it.
bool needs_by_path(const link_map* map, const char* name) {
    return needs(map, [name](const char* needed) {
        const char* const last = file_name(needed);
        return last != needed && is_equal(last, file_name(name));
    });
}

// Whether the linker shall look for this name itself. A name without a folder comes again, as the
// paths that the linker tries. One with folders that an object needs gets the runtime that it
// names.
bool is_further_name(const char* name, const link_map* asks) {
    return has_teff(asks) && (file_name(name) == name || needs_by_path(asks, name));
}

// Whether Teff shall be loaded for this name.
bool is_ours(const char* name, const link_map* asks) {
    if (!is_runtime(name)) return false;
    const bool is_libgomp = is_name_of(kRuntimes[0], file_name(name));
    return is_libgomp || !uses_libomptarget(asks);
}

} // namespace

// The linker's interface has had several versions, which differ in nothing that is used here.
extern "C" [[gnu::visibility("default")]] unsigned la_version(unsigned version) {
    explain::begin();
    return version;
}

extern "C" {
[[gnu::visibility("default")]] constinit teff::probe::trace::ObjectLoads teff_object_loads;
}

// The object's memory is mapped, and no code in it has run. 0: the linker need not tell which
// symbols are bound to this object.
extern "C" [[gnu::visibility("default")]] unsigned la_objopen(link_map* map, Lmid_t, uintptr_t*) {
    teff_object_loads.note(map->l_addr, teff::base::arch::read_ticks());
    if (!is_name_of(kRuntimes[0], file_name(map->l_name))) explain::loaded(map);
    return 0;
}

// `name` is what is asked for, and later each path that the linker would try for it. The cookie is
// the address of the library that asks (rtld-audit(7)).
extern "C" [[gnu::visibility("default")]] char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag) {
    const auto* const asks = reinterpret_cast<const link_map*>(*cookie);
    const bool ours = is_ours(name, asks);
    if (flag == LA_SER_ORIG && is_runtime(name)) explain::request(asks, name, ours ? path_of_runtime() : nullptr);
    if (!ours || (flag == LA_SER_ORIG && is_further_name(name, asks))) return const_cast<char*>(name);
    const char* const found = path_of_runtime();
    return const_cast<char*>(found != nullptr ? found : name);
}
