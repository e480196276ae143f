// SPDX-License-Identifier: Apache-2.0
// Fuzzes the environment: each line of the input is one variable. For any input, the internal
// control variables have values that the runtime allows, and OMP_DISPLAY_ENV prints only printable
// characters.
#include "icv/environment.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/input.h"
#include "icv/display.h"
#include "icv/knobs.h"

namespace teff::fuzz {
namespace {

using icv::GlobalIcvs;

void check_sizes(const GlobalIcvs& icvs) {
    for (const std::uint32_t threads : icvs.num_threads)
        FUZZ_CHECK(threads >= 1 && threads <= INT32_MAX);
    FUZZ_CHECK(icvs.default_team_size >= 1 && icvs.default_team_size <= INT32_MAX);
    FUZZ_CHECK(icvs.thread_limit >= 1);
    FUZZ_CHECK(icvs.max_active_levels <= icv::kSupportedActiveLevels);
    FUZZ_CHECK(icvs.num_teams <= INT32_MAX && icvs.teams_thread_limit <= INT32_MAX);
    FUZZ_CHECK(icvs.stacksize_bytes == 0 || icvs.stacksize_bytes >= 16384);
    FUZZ_CHECK(std::has_single_bit(icvs.deque_limit));
    FUZZ_CHECK(icvs.spin_us >= icv::kSpinAutomatic && icvs.spin_us <= icv::kSpinMax_us);
    FUZZ_CHECK(icvs.max_task_priority >= 0 && icvs.default_device >= 0);
}

void check_words(const GlobalIcvs& icvs) {
    FUZZ_CHECK(!icvs.proc_bind.empty());
    for (const icv::ProcBind bind : icvs.proc_bind)
        FUZZ_CHECK(bind <= icv::ProcBind::spread);
    FUZZ_CHECK(icvs.schedule.kind >= icv::ScheduleKind::static_ && icvs.schedule.kind <= icv::ScheduleKind::auto_);
    FUZZ_CHECK(icvs.schedule.chunk >= (icvs.schedule.kind == icv::ScheduleKind::static_ ? 0 : 1));
    const icv::AllocatorRequest& allocator = icvs.default_allocator;
    FUZZ_CHECK((allocator.predefined == 0) == (allocator.trait_count > 0));
    FUZZ_CHECK(allocator.trait_count <= icv::AllocatorRequest::kMaximumTraits);
}

void check_display(const GlobalIcvs& icvs) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const memory = open_memstream(&text, &size);
    icv::display(memory, icvs, true);
    std::fclose(memory);
    std::size_t lines = 0;
    for (std::size_t i = 0; i < size; ++i) {
        FUZZ_CHECK(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
        lines += text[i] == '\n';
    }
    const auto is_shown = [](const icv::Knob& knob) { return knob.shown != icv::Shown::never; };
    const auto shown = static_cast<std::size_t>(std::ranges::count_if(icv::knobs(), is_shown));
    FUZZ_CHECK(lines == shown + 4); // an empty line, two frames, _OPENMP
    std::free(text);
}

} // namespace
} // namespace teff::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    teff::fuzz::Input input(data, size);
    std::vector<std::string> variables;
    while (!input.empty())
        variables.emplace_back(input.line());
    std::vector<const char*> envp;
    for (const std::string& variable : variables)
        envp.push_back(variable.c_str());
    envp.push_back(nullptr);
    const teff::icv::Settings settings = teff::icv::find_settings(envp.data());
    for (const bool privileged : {false, true}) {
        const teff::icv::GlobalIcvs icvs = teff::icv::read_settings(settings, static_cast<int>(size % 5), privileged);
        teff::fuzz::check_sizes(icvs);
        teff::fuzz::check_words(icvs);
        teff::fuzz::check_display(icvs);
        FUZZ_CHECK(!privileged ||
                   (icvs.trace_directory.empty() && icvs.tool_libraries.empty() && icvs.acc_proflib.empty()));
    }
    return 0;
}
