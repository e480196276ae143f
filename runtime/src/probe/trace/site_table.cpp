// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/site_table.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <utility>

#include "base/arch/arch.h"
#include "probe/trace/calls.h"
#include "probe/trace/digest.h"
#include "probe/trace/own_memory.h"

namespace teff::probe::trace {

std::uint32_t SiteTable::confirm(const void* call_site, const void* function, std::uint64_t objects) {
    Entry& entry = entry_of(call_site, function);
    if (entry.id == 0 || entry.objects != objects) return 0;
    entry.round = round_;
    return entry.id;
}

void SiteTable::add(const void* call_site, const void* function, std::uint64_t objects) {
    ++last_;
    Entry& entry = entry_of(call_site, function);
    const bool is_new = entry.id == 0;
    if (is_new && is_full()) return;
    if (is_new) ++count_;
    entry = {call_site, function, objects, last_, round_};
}

void SiteTable::forget_all() {
    std::fill_n(const_cast<Entry*>(entries()), mask_ + 1, Entry{});
    count_ = 0;
}

bool SiteTable::grow() {
    const std::size_t before = mask_ + 1;
    void* memory = map_memory(2 * before * sizeof(Entry)); // all zero: all free
    if (memory == nullptr) return false;
    const Entry* const old = entries();
    Entry* const old_memory = std::exchange(grown_, static_cast<Entry*>(memory));
    mask_ = 2 * before - 1;
    for (std::size_t i = 0; i < before; ++i)
        if (old[i].id != 0) entry_of(old[i].call_site, old[i].function) = old[i];
    if (old_memory != nullptr) call(SYS_munmap, old_memory, before * sizeof(Entry));
    return true;
}

namespace {

char program_path[PATH_MAX]; // written once, before there are other threads

// `build`: another build may come to lie in the same place, at the same path.
std::uint64_t identity_of(std::uintptr_t begin, std::uintptr_t end, std::uint64_t build, const char* path) {
    return mix_bytes(mix(mix(mix(0, begin), end), build), path, std::strlen(path));
}

void copy_path(LoadedModule& to, const char* path) {
    const char* const known = path[0] != '\0' ? path : program_path; // the program itself has no name there
    const std::size_t length = strnlen(known, sizeof to.path - 1);
    std::memcpy(to.path, known, length);
    to.path[length] = '\0';
}

// glibc's, from version 2.35 on. It takes no lock; null where it is not there.
decltype(&_dl_find_object) find_object = nullptr;

std::uint64_t identity_of(const dl_find_object& object) {
    const auto begin = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
    const auto end = reinterpret_cast<std::uintptr_t>(object.dlfo_map_end);
    const link_map& map = *object.dlfo_link_map;
    return identity_of(begin, end, build_in(begin, end, map.l_addr).mark, map.l_name);
}

// Beside its addresses, which are known.
void set_identity(LoadedModule& module, const Build& build, const char* path) {
    module.build_id = build.id;
    module.build_mark = build.mark;
    module.identity = identity_of(module.begin, module.end, build.mark, path);
}

void set_addresses(LoadedModule& module, const dl_find_object& object, std::uintptr_t bias) {
    module.begin = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
    module.end = reinterpret_cast<std::uintptr_t>(object.dlfo_map_end);
    module.bias = bias;
}

bool find_without_lock(std::uintptr_t address, LoadedModule& found) {
    dl_find_object object;
    if (find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
    const link_map& map = *object.dlfo_link_map;
    set_addresses(found, object, map.l_addr);
    set_identity(found, build_in(found.begin, found.end, found.bias), map.l_name);
    copy_path(found, map.l_name);
    return true;
}

bool read_path(std::uintptr_t from, char (&path)[PATH_MAX]) {
    constexpr std::size_t kPage = base::arch::kPageBytes;
    const OwnMemory memory;
    for (std::size_t length = 0; length < sizeof path;) {
        const std::size_t bytes = std::min(kPage - (from + length) % kPage, sizeof path - length);
        if (!memory.read(from + length, path + length, bytes)) return false;
        if (std::memchr(path + length, '\0', bytes) != nullptr) return true;
        length += bytes;
    }
    return false;
}

bool is_same(const dl_find_object& a, const dl_find_object& b) {
    return a.dlfo_map_start == b.dlfo_map_start && a.dlfo_map_end == b.dlfo_map_end &&
           a.dlfo_link_map == b.dlfo_link_map;
}

// The dynamic linker unmaps an object, then forgets it, then frees its link_map. So what was read
// is the object's if the linker still knows it afterwards.
bool copy_without_lock(std::uintptr_t address, LoadedModule& found, ObjectCopy& copy) {
    dl_find_object object, afterwards;
    if (find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
    struct {
        ElfW(Addr) bias;
        std::uintptr_t path;
    } map;
    static_assert(offsetof(link_map, l_addr) == 0 && offsetof(link_map, l_name) == sizeof map.bias);
    if (!OwnMemory().read(reinterpret_cast<std::uintptr_t>(object.dlfo_link_map), map)) return false;
    if (!read_path(map.path, found.path)) return false;
    set_addresses(found, object, map.bias);
    set_identity(found, build_in(found.begin, found.end, found.bias, &copy), found.path);
    if (found.path[0] == '\0') copy_path(found, "");
    return find_object(reinterpret_cast<void*>(address), &afterwards) == 0 && is_same(object, afterwards);
}

struct Search {
    std::uintptr_t address;
    LoadedModule* found;
};

int visit_object(dl_phdr_info* object, std::size_t, void* argument) {
    auto& search = *static_cast<Search*>(argument);
    std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
    bool covers = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const std::uintptr_t from = object->dlpi_addr + segment.p_vaddr;
        begin = std::min(begin, from);
        end = std::max<std::uintptr_t>(end, from + segment.p_memsz);
        covers = covers || (search.address >= from && search.address < from + segment.p_memsz);
    }
    if (!covers) return 0;
    search.found->begin = begin;
    search.found->end = end;
    search.found->bias = object->dlpi_addr;
    set_identity(*search.found, build_of(object->dlpi_phdr, object->dlpi_phnum, object->dlpi_addr), object->dlpi_name);
    copy_path(*search.found, object->dlpi_name);
    return 1;
}

// A program that the runtime is linked into calls it from the same object.
OwnObject find_own_object() {
    LoadedModule own;
    if (find_object == nullptr || !find_without_lock(reinterpret_cast<std::uintptr_t>(&find_loaded_module), own))
        return {};
    return own.covers(getauxval(AT_ENTRY)) ? OwnObject{} : OwnObject{own.begin, own.end - own.begin};
}

// Of the objects that are there when the library is prepared: the auditor is not told of the
// kernel's (vdso).
constinit ObjectLoads first_loads;
const ObjectLoads* told_loads = nullptr; // the auditor's; null: there is none

// The auditor's table. It is in a namespace of its own, which glibc lists from version 2.35 on.
const ObjectLoads* loads_of_auditor() {
    const auto* space = static_cast<const r_debug_extended*>(dlsym(RTLD_DEFAULT, "_r_debug"));
    for (; space != nullptr && space->base.r_version >= 2; space = space->r_next) {
        link_map* const map = space->base.r_map;
        if (map == nullptr || std::strstr(map->l_name, "/libteff-audit.so") == nullptr) continue;
        return static_cast<const ObjectLoads*>(dlsym(map, kObjectLoadsName)); // the map is its handle
    }
    return nullptr;
}

// Called by a constructor, which has the linker's lock.
int note_object(dl_phdr_info* object, std::size_t, void*) {
    first_loads.note(object->dlpi_addr, 1);
    return 0;
}

} // namespace

base::Ticks last_load(std::uintptr_t bias) {
    const base::Ticks told = told_loads != nullptr ? told_loads->last_load(bias) : ObjectLoads::kUnknown;
    return told != ObjectLoads::kUnknown ? told : first_loads.last_load(bias);
}

std::uint32_t number_of_loads() { return told_loads != nullptr ? told_loads->number() : 0; }

void prepare_to_find_modules() {
    const long length = call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program_path, sizeof program_path - 1);
    program_path[std::max(length, 0l)] = '\0';
    find_object = reinterpret_cast<decltype(find_object)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
    if (find_object == nullptr) dlerror(); // what it says is not the program's
    own_object = find_own_object();
    told_loads = loads_of_auditor();
    if (told_loads == nullptr) dlerror();
    dl_iterate_phdr(note_object, nullptr);
}

bool finds_modules_without_lock() { return find_object != nullptr; }

bool find_loaded_module(std::uintptr_t address, LoadedModule& found) {
    if (find_object != nullptr) return find_without_lock(address, found);
    Search search{address, &found};
    return dl_iterate_phdr(visit_object, &search) != 0;
}

bool copy_loaded_module(std::uintptr_t address, LoadedModule& found, ObjectCopy& copy) {
    if (find_object != nullptr) return copy_without_lock(address, found, copy);
    return find_loaded_module(address, found); // no object is unloaded under the linker's lock
}

bool find_object_without_lock(std::uintptr_t address, FoundObject& found) {
    dl_find_object object;
    if (find_object == nullptr || find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
    found = {reinterpret_cast<std::uintptr_t>(object.dlfo_map_start),
             reinterpret_cast<std::uintptr_t>(object.dlfo_map_end), object.dlfo_eh_frame, identity_of(object)};
    return true;
}

std::uint64_t objects_at(const void* call_site, const void* function) {
    if (find_object == nullptr) return 0;
    dl_find_object object;
    const bool in_one = find_object(const_cast<void*>(call_site), &object) == 0;
    const std::uint64_t of_call = in_one ? identity_of(object) : 0;
    if (in_one && function >= object.dlfo_map_start && function < object.dlfo_map_end) return of_call;
    return find_object(const_cast<void*>(function), &object) == 0 ? mix(of_call, identity_of(object)) : of_call;
}

} // namespace teff::probe::trace
