// SPDX-License-Identifier: Apache-2.0
//
// Where a task's own code begins and ends on the stack, for a tool that unwinds the stack.
//
// exit_frame is the frame pointer of the runtime's frame that called the task's code, or an address
// in the program's frame that called it. It is set while the task's code is on the stack.
// enter_frame is the canonical frame address of the runtime's frame that the task's code has
// called. It is set while the task is in the runtime.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// Sets enter_frame: the current task's code has called the runtime at `site`. A nested call of the
// runtime changes nothing.
inline void enter_runtime(ThreadRecord& thread, base::CallSite site) {
    TaskRecord* task = thread.current();
    if (task == nullptr || task->frame.enter_frame.ptr != nullptr) return;
    task->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
    task->frame.enter_frame.ptr = site.frame();
}

// Clears enter_frame: the current task's code continues.
inline void leave_runtime(ThreadRecord& thread) {
    TaskRecord* task = thread.current();
    if (task != nullptr) task->frame.enter_frame.ptr = nullptr;
}

// Marks the current task as in the runtime while this object lives.
class InRuntime {
  public:
    InRuntime(ThreadRecord& thread, base::CallSite site) : thread_(thread), task_(thread.current()) {
        nested_ = task_ == nullptr || task_->frame.enter_frame.ptr != nullptr;
        enter_runtime(thread, site);
    }
    ~InRuntime() {
        if (!nested_) leave_runtime(thread_);
    }
    InRuntime(const InRuntime&) = delete;
    InRuntime& operator=(const InRuntime&) = delete;

    // Returns true if the task was in the runtime before.
    bool is_nested() const { return nested_; }

  private:
    ThreadRecord& thread_;
    TaskRecord* task_;
    bool nested_;
};

} // namespace teff::probe::ompt
