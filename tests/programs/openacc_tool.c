// SPDX-License-Identifier: Apache-2.0
// A library for ACC_PROFLIB: counts the events of each kind, and prints them when the process ends.
#include <acc_prof.h>
#include <stdio.h>
#include <unistd.h>

static int counts[acc_ev_last];
static int odd;

static void count(acc_prof_info* prof, acc_event_info* event, acc_api_info* api) {
    const int ends = prof->event_type % 2 == (prof->event_type > acc_ev_free);
    if (prof->device_number != 0 || api->device_type != prof->device_type || prof->version < 201711) odd++;
    if (event->event_type != prof->event_type) odd++;
    // The structure of the start's event is that of the end's.
    if (ends && event->other_event.tool_info != (void*)&counts[prof->event_type - 1]) odd++;
    if (!ends) event->other_event.tool_info = &counts[prof->event_type];
    __atomic_add_fetch(&counts[prof->event_type], 1, __ATOMIC_RELAXED);
}

void acc_register_library(acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup) {
    (void)lookup;
    usleep(20000); // so that other threads of the program meet OpenACC before the callbacks are there
    for (int event = acc_ev_none + 1; event < acc_ev_last; event++)
        reg((acc_event_t)event, count, acc_reg);
    reg(acc_ev_update_start, count, acc_reg);
    unreg(acc_ev_update_start, count, acc_reg); // still registered once
    unreg(acc_ev_exit_data_end, count, acc_reg);
    unreg(acc_ev_exit_data_start, count, acc_toggle);
}

__attribute__((destructor)) static void print(void) {
    for (int event = 0; event < acc_ev_last; event++)
        if (counts[event] != 0) printf("%d:%d ", event, counts[event]);
    printf("odd:%d\n", odd);
}
