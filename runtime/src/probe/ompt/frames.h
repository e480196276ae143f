// SPDX-License-Identifier: Apache-2.0
//
// Where on the stack a task's own code begins and ends, for a tool that unwinds it.
//
// exit_frame: the runtime's frame from which the task's code was called (its frame pointer). It is
// set while the task is on the stack. enter_frame: the runtime's frame that the task's code has
// called (its canonical frame address), while the task is in the runtime.
#pragma once

#include "base/call_site.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

// The current task's code has called the runtime at `site`. A call inside that call changes
// nothing.
inline void enter_runtime(ThreadRecord& thread, base::CallSite site) {
    TaskRecord* task = thread.current();
    if (task == nullptr || task->frame.enter_frame.ptr != nullptr) return;
    task->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
    task->frame.enter_frame.ptr = site.frame();
}

// The current task's code goes on.
inline void leave_runtime(ThreadRecord& thread) {
    TaskRecord* task = thread.current();
    if (task != nullptr) task->frame.enter_frame.ptr = nullptr;
}

// While it lives, the current task's code is in the runtime.
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

  private:
    ThreadRecord& thread_;
    TaskRecord* task_;
    bool nested_;
};

} // namespace teff::probe::ompt
