// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/other_events.h"

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/tool.h"

namespace teff::probe::ompt {

namespace {

// While an object of this class lives, the program's own code asks the tool for something.
class ControlsTool {
  public:
    ControlsTool(ThreadRecord& thread, const InRuntime& in_runtime) : thread_(thread) {
        thread.controls_tool = !in_runtime.is_nested();
    }
    ~ControlsTool() { thread_.controls_tool = false; }
    ControlsTool(const ControlsTool&) = delete;
    ControlsTool& operator=(const ControlsTool&) = delete;

  private:
    ThreadRecord& thread_;
};

} // namespace

void error_directive(ompt_severity_t severity, const char* message, std::size_t length, base::CallSite site) {
    call<ompt_callback_error_t>(ompt_callback_error, severity, message, length, site.code());
}

void flush(ThreadRecord& thread, base::CallSite site) {
    call<ompt_callback_flush_t>(ompt_callback_flush, &thread.data, site.code());
}

int control_tool(ThreadRecord* thread, int command, int modifier, void* argument, base::CallSite site) {
    constexpr int kNoTool = -2, kNoCallback = -1; // omp_control_tool_result_t
    if (thread == nullptr || !attached()) return kNoTool;
    const auto callback =
        reinterpret_cast<ompt_callback_control_tool_t>(detail::find_callback(ompt_callback_control_tool));
    if (callback == nullptr) return kNoCallback;
    const InRuntime in_runtime(*thread, site);
    const ControlsTool controls(*thread, in_runtime);
    return callback(static_cast<std::uint64_t>(command), static_cast<std::uint64_t>(modifier), argument, site.code());
}

} // namespace teff::probe::ompt
