// SPDX-License-Identifier: Apache-2.0
//
// The device memory routines that create tasks. The task copies or fills memory when the
// dependences of the routine's depend objects are satisfied. Outside parallel regions, where tasks
// are not deferred, the routine does the work before it returns.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "abi/device_memory.h"
#include "abi/export.h"
#include "abi/gomp_depend.h"
#include "task/create.h"

using namespace teff;
using abi::DependObject;
using abi::MemoryAt;
using abi::Rectangle;

namespace {

// `code`, in the arguments of the tasks, is the place of the routine's call. The routine may return
// before the task runs.

// The task's function, and the data from which its arguments are made, `bytes` bytes. If a plain
// copy of the data is not enough, `copy` builds the arguments.
struct Work {
    void (*function)(void*);
    void* data;
    std::size_t bytes;
    void (*copy)(void* to, void* from) = nullptr;
};

void create(const Work& work, int object_count, DependObject* objects, base::CallSite site) {
    const abi::DependList depend(object_count, objects);
    const auto flags = static_cast<std::uint16_t>(depend.items().given() ? task::kDependent : 0);
    task::create_any(team::current_worker(), {.function = work.function,
                                              .data = work.data,
                                              .copy = work.copy,
                                              .arg_bytes = work.bytes,
                                              .arg_align = alignof(std::max_align_t),
                                              .flags = flags,
                                              .clauses = {.depend = depend.items(), .site = site}});
}

struct Copy {
    MemoryAt to, from;
    std::size_t bytes;
    const void* code;
};

struct Fill {
    MemoryAt memory;
    int value;
    std::size_t bytes;
    const void* code;
};

// The data of a task that copies a box. The box's arrays of numbers belong to the program and may
// not exist when the task runs, so copies of these arrays follow the structure in memory.
struct BoxCopy {
    MemoryAt to, from;
    Rectangle box;
    const void* code;

    static constexpr std::size_t kArrays = 5;
    std::size_t* numbers() { return reinterpret_cast<std::size_t*>(this + 1); }
};

void build_box_copy(void* to, void* from) {
    auto& task = *static_cast<BoxCopy*>(std::memcpy(to, from, sizeof(BoxCopy)));
    std::size_t* room = task.numbers();
    Rectangle& box = task.box;
    for (const std::size_t** array :
         {&box.volume, &box.to_offsets, &box.from_offsets, &box.to_sizes, &box.from_sizes}) {
        const std::size_t* const source = *array;
        *array = room;
        room = std::copy_n(source, box.dimensions, room);
    }
}

MemoryAt memory_at(const void* address, int device) {
    return {abi::place_of_memory(device), const_cast<char*>(static_cast<const char*>(address))};
}

void run_copy(void* arguments) {
    const auto& copy = *static_cast<const Copy*>(arguments);
    abi::copy_bytes(copy.to, copy.from, copy.bytes, device::routine_at(copy.code));
}

void run_fill(void* arguments) {
    const auto& fill = *static_cast<const Fill*>(arguments);
    abi::fill(fill.memory, fill.value, fill.bytes, device::routine_at(fill.code));
}

void run_box_copy(void* arguments) {
    const auto& copy = *static_cast<const BoxCopy*>(arguments);
    abi::copy_box(copy.to, copy.from, copy.box, device::routine_at(copy.code));
}

} // namespace

TEFF_EXPORT int omp_target_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                        std::size_t from_offset, int to_device, int from_device, int object_count,
                                        DependObject* objects) {
    Copy copy{memory_at(to, to_device), memory_at(from, from_device), bytes, TEFF_SITE.code()};
    if (!copy.to.place.is_valid || !copy.from.place.is_valid) return EINVAL;
    copy.to.address += to_offset;
    copy.from.address += from_offset;
    create({run_copy, &copy, sizeof copy}, object_count, objects, TEFF_SITE);
    return 0;
}

TEFF_EXPORT int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element_bytes, int dimensions,
                                             const std::size_t* volume, const std::size_t* to_offsets,
                                             const std::size_t* from_offsets, const std::size_t* to_sizes,
                                             const std::size_t* from_sizes, int to_device, int from_device,
                                             int object_count, DependObject* objects) {
    abi::first_use();
    if (to == nullptr && from == nullptr) return INT_MAX;
    const Rectangle box{element_bytes, dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes};
    BoxCopy copy{memory_at(to, to_device), memory_at(from, from_device), box, TEFF_SITE.code()};
    if (!copy.to.place.is_valid || !copy.from.place.is_valid || !abi::is_valid(box)) return EINVAL;
    const std::size_t numbers = BoxCopy::kArrays * static_cast<std::size_t>(dimensions);
    create({run_box_copy, &copy, sizeof copy + numbers * sizeof(std::size_t), build_box_copy}, object_count, objects,
           TEFF_SITE);
    return 0;
}

TEFF_EXPORT void* omp_target_memset_async(void* memory, int value, std::size_t bytes, int device, int object_count,
                                          DependObject* objects) {
    Fill fill{{abi::place_to_fill(device), static_cast<char*>(memory)}, value, bytes, TEFF_SITE.code()};
    create({run_fill, &fill, sizeof fill}, object_count, objects, TEFF_SITE);
    return memory;
}
