// SPDX-License-Identifier: Apache-2.0
#include "fiber/unseen_exceptions.h"

#include <algorithm>

#include "base/mapped_file.h"
#include "fiber/context.h"

namespace teff::fiber {

bool exceptions_are_out_of_sight() {
    if (knows_exceptions()) return false;
    constexpr std::string_view kHandlers = ".gcc_except_table";
    const base::MappedFile program("/proc/self/exe");
    const auto sections = program.sections();
    return std::any_of(sections.begin(), sections.end(), [&](const ElfW(Shdr) & section) {
        return program.name_of(section).substr(0, kHandlers.size()) == kHandlers;
    });
}

} // namespace teff::fiber
