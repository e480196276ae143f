// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/site_table.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

void SiteTable::add(const void* call_site, const void* function, bool may_grow) {
    ++last_;
    if (2 * (count_ + 1) > mask_ + 1 && !(may_grow && grow())) return;
    insert({call_site, function, last_});
    ++count_;
}

void SiteTable::forget_all() {
    std::fill_n(entries_, mask_ + 1, Entry{});
    count_ = 0;
}

void SiteTable::insert(const Entry& entry) {
    std::size_t at = hash(entry.call_site, entry.function) & mask_;
    while (entries_[at].id != 0)
        at = (at + 1) & mask_;
    entries_[at] = entry;
}

bool SiteTable::grow() {
    const std::size_t before = mask_ + 1;
    const std::size_t bytes = 2 * before * sizeof(Entry);
    void* memory = map_memory(bytes); // all zero: all free
    if (memory == nullptr) return false;
    Entry* const old = entries_;
    entries_ = static_cast<Entry*>(memory);
    mask_ = 2 * before - 1;
    for (std::size_t i = 0; i < before; ++i)
        if (old[i].id != 0) insert(old[i]);
    if (old != first_entries_) call(SYS_munmap, old, before * sizeof(Entry));
    return true;
}

namespace {

char program_path[PATH_MAX]; // written once, before there are other threads

void copy_path(LoadedModule& to, const char* path) {
    const char* const known = path[0] != '\0' ? path : program_path; // the program itself has no name there
    const std::size_t length = strnlen(known, sizeof to.path - 1);
    std::memcpy(to.path, known, length);
    to.path[length] = '\0';
}

// glibc's, from version 2.35 on. It takes no lock; null where it is not there.
decltype(&_dl_find_object) find_object = nullptr;

bool find_without_lock(std::uintptr_t address, LoadedModule& found) {
    dl_find_object object;
    if (find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
    found.begin = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
    found.end = reinterpret_cast<std::uintptr_t>(object.dlfo_map_end);
    found.bias = object.dlfo_link_map->l_addr;
    copy_path(found, object.dlfo_link_map->l_name);
    return true;
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
    copy_path(*search.found, object->dlpi_name);
    return 1;
}

} // namespace

void prepare_to_find_modules() {
    const long length = call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program_path, sizeof program_path - 1);
    program_path[std::max(length, 0l)] = '\0';
    find_object = reinterpret_cast<decltype(find_object)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
    if (find_object == nullptr) dlerror(); // what it says is not the program's
}

bool find_loaded_module(std::uintptr_t address, LoadedModule& found) {
    if (find_object != nullptr) return find_without_lock(address, found);
    Search search{address, &found};
    return dl_iterate_phdr(visit_object, &search) != 0;
}

std::uint64_t count_unloaded() {
    std::uint64_t unloaded = 0;
    const auto visit_first = [](dl_phdr_info* object, std::size_t, void* argument) {
        *static_cast<std::uint64_t*>(argument) = object->dlpi_subs;
        return 1;
    };
    dl_iterate_phdr(visit_first, &unloaded);
    return unloaded;
}

} // namespace teff::probe::trace
