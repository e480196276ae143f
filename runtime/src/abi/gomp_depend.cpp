// SPDX-License-Identifier: Apache-2.0
#include "abi/gomp_depend.h"

#include <cerrno>
#include <iterator>

#include "base/report.h"

namespace teff::abi {

namespace {

using task::DependItems;
using task::DependRun;
using task::ItemKind;

ItemKind kind_of(const DependObject& object) {
    constexpr ItemKind kKinds[] = {ItemKind::kIn, ItemKind::kOut, ItemKind::kInout, ItemKind::kMutexinoutset,
                                   ItemKind::kInoutset};
    if (object.kind - 1 < std::size(kKinds)) return kKinds[object.kind - 1];
    base::fatal(0, "a depend clause names a depend object that is not initialised (its kind is %zu)", object.kind);
}

DependRun run_of(const DependObject& object) { return {&object.address, 1, kind_of(object)}; }

} // namespace

DependRun* DependList::make_room(std::size_t runs, DependRun* room) {
    if (runs <= kShort) return room;
    room = static_cast<DependRun*>(std::malloc(runs * sizeof(DependRun)));
    if (room == nullptr) base::fatal(ENOMEM, "no memory for the %zu depend objects of a construct", runs);
    return room;
}

DependItems DependList::read_long_form(void* const* array, DependRun* room) {
    const auto number = [array](int index) { return reinterpret_cast<std::uintptr_t>(array[index]); };
    if (number(1) == 0) return {room, 0}; // or the short form of an empty list
    const std::uintptr_t outs = number(2), mutexes = number(3), ins = number(4);
    void* const* const addresses = array + 5;
    void* const* const objects = addresses + outs + mutexes + ins;
    const std::uintptr_t object_count = number(1) - outs - mutexes - ins;
    DependRun* const runs = make_room(3 + object_count, room);
    runs[0] = run(addresses, outs, ItemKind::kInout);
    runs[1] = run(addresses + outs, mutexes, ItemKind::kMutexinoutset);
    runs[2] = run(addresses + outs + mutexes, ins, ItemKind::kIn);
    for (std::uintptr_t i = 0; i < object_count; ++i)
        runs[3 + i] = run_of(*static_cast<const DependObject*>(objects[i]));
    return {runs, 3 + object_count};
}

DependItems DependList::read_objects(int count, const DependObject* objects, DependRun* room) {
    if (count <= 0 || objects == nullptr) return {};
    DependRun* const runs = make_room(static_cast<std::size_t>(count), room);
    for (int i = 0; i < count; ++i)
        runs[i] = run_of(objects[i]);
    return {runs, static_cast<std::size_t>(count)};
}

} // namespace teff::abi
