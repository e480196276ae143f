// SPDX-License-Identifier: Apache-2.0
#include "icv/icv.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/auxv.h>

#include "base/report.h"
#include "icv/devices.h"
#include "icv/environment.h"
#include "icv/knobs.h"
#include "icv/parse.h"

namespace teff::icv {

namespace detail {
constinit GlobalIcvs process_icvs{};
constinit TaskIcvs initial_icvs{};
} // namespace detail

namespace {

using detail::initial_icvs;
using detail::process_icvs;

constinit Settings the_settings; // their values are copies of those in the environment
constinit GlobalIcvs as_read{};  // what each variable says, before `settle`
constinit std::optional<unsigned> own_device;

TaskIcvs first_task_icvs(const GlobalIcvs& icvs) {
    return {
        .nthreads = icvs.default_team_size,
        .thread_limit = icvs.thread_limit,
        .max_active_levels = icvs.max_active_levels,
        .default_device = icvs.default_device,
        .default_allocator = icvs.default_allocator.predefined,
        .run_sched = icvs.schedule,
        .bind = *icvs.proc_bind.begin(),
        .dyn = icvs.dynamic,
        .list_position = 0,
    };
}

void use(int processors, Precedence precedence) {
    process_icvs = as_read;
    settle(process_icvs, processors, precedence);
    initial_icvs = first_task_icvs(process_icvs);
}

// Copies the value of a knob found in the environment, in place of an earlier one.
void keep_copy(const Settings& found, std::size_t knob) {
    Setting& kept = the_settings.values[knob];
    std::free(const_cast<char*>(kept.value));
    kept = found.values[knob];
    if (kept.value == nullptr) return;
    kept.value = strdup(kept.value);
    if (kept.value == nullptr) base::warn("out of memory: %s is not heeded", knobs()[knob].name.data());
}

// Copies the values found in the environment. Members of GlobalIcvs point into these copies, which
// stay valid when the program changes its environment.
void keep_copies(const Settings& found) {
    for (std::size_t i = 0; i < knobs().size(); ++i)
        keep_copy(found, i);
}

bool is_same(const Setting& one, const Setting& other) {
    if (one.value == nullptr || other.value == nullptr) return one.value == other.value;
    return one.variant == other.variant && std::strcmp(one.value, other.value) == 0;
}

// Returns the item of the list at `position`. Null if the list has no such item; the value of the
// level above then stays.
template <class T> const T* item_at(const LevelList<T>& list, std::size_t position) {
    return position < list.size ? list.begin() + position : nullptr;
}

} // namespace

void initialise(const char* const* envp, int processors, Precedence precedence, std::optional<unsigned> device) {
    own_device = device;
    keep_copies(find_settings(envp, own_device));
    as_read = read_knobs(the_settings, getauxval(AT_SECURE) != 0);
    use(processors, precedence);
}

// Teff's variables have been used: what points into their values must stay valid.
bool read_again(const char* const* envp, int processors, Precedence precedence) {
    const Settings found = find_settings(envp, own_device);
    bool has_changed = false;
    for (std::size_t i = 0; i < knobs().size(); ++i) {
        if (is_ours(knobs()[i].name) || is_same(found.values[i], the_settings.values[i])) continue;
        has_changed = true;
        keep_copy(found, i);
    }
    if (!has_changed) return false;
    as_read = read_knobs(the_settings, getauxval(AT_SECURE) != 0);
    use(processors, precedence);
    return true;
}

// The copy of a value is never freed: members of GlobalIcvs point into it.
void set_defaults(std::string_view text, int processors, Precedence precedence) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('|'), text.size());
        const std::string_view setting = parse::trim({text.data(), end});
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = setting.find('=');
        if (equals == std::string_view::npos) continue;
        const char* const value = strndup(setting.data() + equals + 1, setting.size() - equals - 1);
        if (value == nullptr) continue;
        (void)read_setting({setting.data(), equals}, value, as_read);
    }
    use(processors, precedence);
}

void forget_places() { process_icvs.places = {}; }
void forget_cpu_affinity() { process_icvs.cpu_affinity = {}; }

void leave_processors(int processors) {
    if (!process_icvs.num_threads.empty()) return;
    const auto most = static_cast<std::uint32_t>(processors);
    process_icvs.default_team_size = std::min(process_icvs.default_team_size, most);
    initial_icvs.nthreads = process_icvs.default_team_size;
}

void have_devices() {
    if (process_icvs.default_device_asked) return;
    process_icvs.default_device = 0;
    initial_icvs.default_device = 0;
}

void set_initial_allocator(std::uintptr_t handle) { initial_icvs.default_allocator = handle; }

void set_stacksize(std::uint64_t bytes) {
    std::atomic_ref(process_icvs.stacksize_bytes).store(bytes, std::memory_order_relaxed);
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
