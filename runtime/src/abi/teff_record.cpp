// SPDX-License-Identifier: Apache-2.0
// Implements the routines of teff.h for the recorder: recording on and off, and named spans.
#include "abi/export.h"
#include "probe/trace/stream.h"
#include "region/recording_window.h"
#include "task/task.h"
#include "team/worker.h"

using namespace teff;

TEFF_EXPORT int teff_record_start() {
    team::Worker& worker = team::current_worker();
    return worker.trace != nullptr && region::start_recording(worker) ? 0 : -1;
}

TEFF_EXPORT int teff_record_stop() {
    team::Worker& worker = team::current_worker();
    if (worker.trace == nullptr) return -1;
    region::stop_recording(worker);
    return 0;
}

TEFF_EXPORT void teff_span_begin(const char* name) {
    const team::Worker& worker = team::current_worker();
    if (worker.trace != nullptr && name != nullptr) worker.trace->span_begin(name, worker.task->id);
}

TEFF_EXPORT void teff_span_end() {
    const team::Worker* const worker = team::current_worker_if_any();
    if (worker != nullptr && worker->trace != nullptr) worker->trace->span_end(worker->task->id);
}
