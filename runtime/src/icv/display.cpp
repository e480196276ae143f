// SPDX-License-Identifier: Apache-2.0
#include "icv/display.h"

#include <cstdlib>

#include "icv/knobs.h"

namespace teff::icv {

namespace {

// The _OPENMP value (OpenMP 4.5) that programs built by GCC 12 were compiled against.
constexpr char kOpenMpVersion[] = "201511";

bool is_shown(Shown shown, bool verbose) { return shown == Shown::always || (shown == Shown::verbose && verbose); }

} // namespace

void display(std::FILE* out, const GlobalIcvs& icvs, bool verbose) {
    std::fputs("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n", out);
    std::fprintf(out, "  _OPENMP = '%s'\n", kOpenMpVersion);
    for (const Knob& knob : knobs()) {
        if (!is_shown(knob.shown, verbose)) continue;
        std::fprintf(out, "  %.*s = '", static_cast<int>(knob.name.size()), knob.name.data());
        knob.access.print(out, icvs);
        std::fputs("'\n", out);
    }
    std::fputs("OPENMP DISPLAY ENVIRONMENT END\n", out);
}

void display_on_stderr(const GlobalIcvs& icvs, bool verbose) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const memory = open_memstream(&text, &size);
    if (memory == nullptr) return display(stderr, icvs, verbose);
    display(memory, icvs, verbose);
    if (std::fclose(memory) == 0) std::fwrite(text, 1, size, stderr);
    std::free(text);
}

} // namespace teff::icv
