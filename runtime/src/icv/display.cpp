// SPDX-License-Identifier: Apache-2.0
#include "icv/display.h"

#include <cstdlib>

#include "icv/knobs.h"

namespace teff::icv {

namespace {

// The _OPENMP value (OpenMP 4.5) that programs built by GCC 12 were compiled against.
constexpr char kOpenMpVersion[] = "201511";

bool is_shown(Shown shown, bool verbose) { return shown == Shown::always || (shown == Shown::verbose && verbose); }

// False: there is no memory for the text.
template <class Use> bool with_text_of(const GlobalIcvs& icvs, bool verbose, Use use) {
    char* text = nullptr;
    std::size_t bytes = 0;
    std::FILE* const memory = open_memstream(&text, &bytes);
    if (memory == nullptr) return false;
    display(memory, icvs, verbose);
    const bool whole = std::fclose(memory) == 0;
    if (whole) use(text, bytes);
    std::free(text);
    return whole;
}

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
    const bool whole =
        with_text_of(icvs, verbose, [](const char* text, std::size_t bytes) { std::fwrite(text, 1, bytes, stderr); });
    if (!whole) display(stderr, icvs, verbose);
}

void hold_display(base::HeldWords& held, const GlobalIcvs& icvs) {
    if (icvs.display_env == DisplayEnv::no) return held.add("", 0);
    (void)with_text_of(icvs, icvs.display_env == DisplayEnv::verbose,
                       [&held](const char* text, std::size_t bytes) { held.add(text, bytes); });
}

} // namespace teff::icv
