// SPDX-License-Identifier: Apache-2.0
#include "device/later_libraries.h"

#include <algorithm>
#include <dlfcn.h>

#include "base/report.h"
#include "device/message.h"

namespace teff::device {

namespace {

void receive_reason(Turn& turn, std::uint64_t bytes, char (&reason)[kLongestReason + 1]) {
    if (bytes > kLongestReason) turn.refuse("the reason that it gives is too long");
    turn.receive(reason, bytes);
    reason[bytes] = '\0';
}

void receive_modules(Turn& turn, std::uint64_t bytes) {
    if (bytes % sizeof(ModuleRecord) != 0 || bytes / sizeof(ModuleRecord) > kMostModules)
        turn.refuse("it is no list of modules");
    base::List<ModuleRecord>& modules = turn.device().its_modules;
    modules.resize(bytes / sizeof(ModuleRecord));
    turn.receive(modules.data(), bytes);
}

void load(Turn& turn, Address address) {
    const Device& device = turn.device();
    const FilePath path = path_of_module_at(address);
    Outgoing outgoing;
    outgoing.construct.passing = Passing::loads;
    outgoing.path = path.text;
    turn.send(outgoing);
    Answer answer;
    while (!turn.take_answer(answer))
        continue;
    const std::uint64_t bytes = answer.header.bytes - sizeof answer.times;
    if (answer.header.bytes < sizeof answer.times) turn.refuse("it is too short");
    if (answer.header.kind == MessageKind::cut) {
        char reason[kLongestReason + 1];
        receive_reason(turn, bytes, reason);
        base::fatal(0, "%s needs a library that device %u cannot load: %s", describe(device, turn.where()).text,
                    device.number, reason);
    }
    receive_modules(turn, bytes);
    turn.match_modules();
    if (device.memory.modules.translate(address) == 0) refuse_version(device, path.text);
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

const char* load_library(const char* path) {
    dlerror();
    return dlopen(path, RTLD_LAZY) != nullptr ? nullptr : dlerror();
}

} // namespace teff::device
