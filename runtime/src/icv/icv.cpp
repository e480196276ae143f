// SPDX-License-Identifier: Apache-2.0
#include "icv/icv.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sys/auxv.h>

#include "base/report.h"
#include "icv/display.h"
#include "icv/environment.h"
#include "icv/knobs.h"

namespace teff::icv {

namespace detail {
constinit GlobalIcvs process_icvs{};
constinit TaskIcvs initial_icvs{};
} // namespace detail

namespace {

using detail::initial_icvs;
using detail::process_icvs;

constinit char* the_values[kKnobCapacity] = {}; // copies of the values in the environment, in the table's order

TaskIcvs first_task_icvs(const GlobalIcvs& icvs) {
    return {
        .nthreads = icvs.default_team_size,
        .thread_limit = icvs.thread_limit,
        .max_active_levels = icvs.max_active_levels,
        .default_device = icvs.default_device,
        .run_sched = icvs.schedule,
        .bind = *icvs.proc_bind.begin(),
        .dyn = icvs.dynamic,
        .list_position = 0,
    };
}

// Members of GlobalIcvs point into the values, so these must outlive the program's changes to its environment.
void keep_copies(const Settings& found) {
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        std::free(the_values[i]); // of an earlier call: only tests make one
        the_values[i] = found.values[i] != nullptr ? strdup(found.values[i]) : nullptr;
        if (found.values[i] != nullptr && the_values[i] == nullptr)
            base::warn("out of memory: %s is not heeded", knobs()[i].name.data());
    }
}

Settings kept_settings() {
    Settings settings;
    std::copy(std::begin(the_values), std::end(the_values), settings.values.begin());
    return settings;
}

// The item that holds `position` levels down, or null where the list has ended and the value of the level above stays.
template <class T> const T* item_at(const LevelList<T>& list, std::size_t position) {
    return position < list.size ? list.begin() + position : nullptr;
}

} // namespace

void initialise(const char* const* envp, int processors) {
    keep_copies(find_settings(envp));
    process_icvs = read_settings(kept_settings(), processors, getauxval(AT_SECURE) != 0);
    initial_icvs = first_task_icvs(process_icvs);
    if (process_icvs.display_env != DisplayEnv::no)
        display_on_stderr(process_icvs, process_icvs.display_env == DisplayEnv::verbose);
}

void give_up_binding() {
    process_icvs.proc_bind = {};
    process_icvs.proc_bind.append(ProcBind::false_);
    initial_icvs.bind = ProcBind::false_;
}

bool inner_differs(const TaskIcvs& icvs) {
    const std::size_t next = std::size_t{icvs.list_position} + 1;
    return next < process_icvs.num_threads.size || next < process_icvs.proc_bind.size;
}

TaskIcvs inner(const TaskIcvs& icvs) {
    if (!inner_differs(icvs)) return icvs;
    TaskIcvs result = icvs;
    ++result.list_position;
    if (const auto* threads = item_at(process_icvs.num_threads, result.list_position)) result.nthreads = *threads;
    if (const auto* bind = item_at(process_icvs.proc_bind, result.list_position)) result.bind = *bind;
    return result;
}

} // namespace teff::icv
