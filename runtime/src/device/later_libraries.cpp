// SPDX-License-Identifier: Apache-2.0
#include "device/later_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include "base/report.h"
#include "device/message.h"
#include "sync/mutex.h"

namespace teff::device {

namespace {

// The reason is too long for a small stack.
[[noreturn]] void fail(Turn& turn, std::uint64_t bytes) {
    if (bytes > kLongestReason) turn.refuse("the reason that it gives is too long");
    base::List<char> reason;
    turn.receive(reason.extend(bytes), bytes);
    reason.push('\0');
    base::fatal(0, "%s needs a library that device %u cannot load: %s", describe(turn.device(), turn.where()).text,
                turn.device().number, reason.data());
}

ModuleRecord receive_module(Turn& turn, std::uint64_t bytes) {
    ModuleRecord module;
    if (bytes != sizeof module) turn.refuse("it is no module");
    turn.receive(&module, bytes);
    return module;
}

void load(Turn& turn, Address address) {
    Device& device = turn.device();
    base::List<char> path;
    find_path_of_module_at(device.memory.modules.address_in_file(address), path);
    Outgoing outgoing;
    outgoing.construct.passing = Passing::loads;
    outgoing.path = path.data();
    turn.send(outgoing);
    Answer answer;
    while (!turn.take_answer(answer))
        continue;
    const std::uint64_t bytes = answer.header.bytes - sizeof answer.times;
    if (answer.header.bytes < sizeof answer.times) turn.refuse("it is too short");
    if (answer.header.kind == MessageKind::cut) fail(turn, bytes);
    const ModuleRecord module = receive_module(turn, bytes);
    bool is_same;
    {
        const sync::MutexGuard guard(device.memory_mutex);
        is_same = device.memory.modules.match_at(address, module);
    }
    if (!is_same) refuse_version(device, path.data());
}

} // namespace

void load_later_libraries(Turn& turn, const Items& items, Address function) {
    const Modules& modules = turn.device().memory.modules;
    if (TEFF_LIKELY(!modules.has_unmatched())) return;
    if (modules.is_unmatched(function)) load(turn, function);
    for (std::size_t i = 0; i < items.count; ++i)
        if (items.kind(i) != MapKind::firstprivate_int && modules.is_unmatched(items.address(i)))
            load(turn, items.address(i));
}

const char* load_library(const char* path, Address& inside) {
    dlerror();
    void* const library = dlopen(path, RTLD_LAZY);
    const link_map* map = nullptr;
    if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return dlerror();
    inside = reinterpret_cast<Address>(map->l_ld);
    return nullptr;
}

} // namespace teff::device
