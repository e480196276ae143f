// SPDX-License-Identifier: Apache-2.0
// Target constructs on devices that are other processes: their order among the sibling tasks, their
// deferral with nowait, and the data environments of target data.
#pragma once

#include "abi/target_arguments.h"
#include "abi/target_task.h"
#include "device/role.h"

namespace teff::abi {

enum class DeviceAction : unsigned char { region, update, enter_data, exit_data };

struct DeviceConstruct {
    DeviceAction action;
    unsigned device;
    bool has_clause;     // else a region may run on another device (device/placement.h)
    void (*body)(void*); // of a region
    unsigned thread_limit;
    TargetData data;
    TargetOrder order;
};

// Carries out a construct on a device. With nowait it becomes a detachable task, and a copy of the
// list and of firstprivate data is made during the call. The task's body only gives the construct
// to the device's thread (device/deferred.h), which fulfils the task's event. The thread that makes
// the task ready runs this body (task/at_once.h). Otherwise, and in a final task, the construct has
// been carried out when this function returns.
void run_on_device(team::Worker& worker, const DeviceConstruct& construct);

// target data: maps the data on the device, or does nothing for the host (kOnHost), until the same
// task calls end_data_environment. The environments of a task are nested.
void begin_data_environment(team::Worker& worker, int device, const TargetData& data, base::CallSite site);
void end_data_environment(team::Worker& worker, base::CallSite site);

} // namespace teff::abi
