// SPDX-License-Identifier: Apache-2.0
// The sizes of all types of record that this runtime writes, as the header of every chunk has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "teff_trace.h"

namespace teff::probe::trace {

struct RecordSizes {
    std::uint8_t of[256] = {}; // teff_chunk_header::sizes

    template <class Record> constexpr void note(teff_record_type type, bool has_tail = false) {
        static_assert(sizeof(Record) % TEFF_SIZE_UNIT == 0);
        static_assert(sizeof(Record) / TEFF_SIZE_UNIT < TEFF_SIZE_HAS_TAIL);
        of[type] = static_cast<std::uint8_t>(sizeof(Record) / TEFF_SIZE_UNIT | (has_tail ? TEFF_SIZE_HAS_TAIL : 0));
    }
    constexpr std::size_t fixed_bytes(teff_record_type type) const {
        return of[type] % TEFF_SIZE_HAS_TAIL * std::size_t{TEFF_SIZE_UNIT};
    }
};

inline constexpr RecordSizes kRecordSizes = [] {
    RecordSizes sizes;
    sizes.note<teff_rec_site>(TEFF_REC_SITE);
    sizes.note<teff_rec_module>(TEFF_REC_MODULE, true);
    sizes.note<teff_rec_create>(TEFF_REC_CREATE);
    sizes.note<teff_rec_run>(TEFF_REC_RUN);
    sizes.note<teff_rec_wait>(TEFF_REC_WAIT);
    sizes.note<teff_rec_region>(TEFF_REC_REGION);
    sizes.note<teff_rec_region_end>(TEFF_REC_REGION_END);
    sizes.note<teff_rec_loop>(TEFF_REC_LOOP);
    sizes.note<teff_rec_chunk>(TEFF_REC_CHUNK);
    sizes.note<teff_rec_loop_thread>(TEFF_REC_LOOP_THREAD);
    sizes.note<teff_rec_dep>(TEFF_REC_DEP);
    sizes.note<teff_rec_idle>(TEFF_REC_IDLE);
    sizes.note<teff_rec_steal>(TEFF_REC_STEAL);
    sizes.note<teff_rec_clock>(TEFF_REC_CLOCK);
    sizes.note<teff_rec_start>(TEFF_REC_START);
    sizes.note<teff_rec_lost>(TEFF_REC_LOST);
    sizes.note<teff_rec_group_begin>(TEFF_REC_GROUP_BEGIN);
    sizes.note<teff_rec_priority>(TEFF_REC_PRIORITY);
    sizes.note<teff_rec_fulfil>(TEFF_REC_FULFIL);
    sizes.note<teff_rec_thread>(TEFF_REC_THREAD);
    sizes.note<teff_rec_lock>(TEFF_REC_LOCK);
    sizes.note<teff_rec_memory>(TEFF_REC_MEMORY);
    sizes.note<teff_rec_processor>(TEFF_REC_PROCESSOR);
    sizes.note<teff_rec_counter>(TEFF_REC_COUNTER, true);
    sizes.note<teff_rec_counts>(TEFF_REC_COUNTS, true);
    sizes.note<teff_rec_sampling>(TEFF_REC_SAMPLING);
    sizes.note<teff_rec_recorder>(TEFF_REC_RECORDER);
    sizes.note<teff_rec_doacross>(TEFF_REC_DOACROSS);
    sizes.note<teff_rec_call_path>(TEFF_REC_CALL_PATH, true);
    sizes.note<teff_rec_team_size>(TEFF_REC_TEAM_SIZE);
    sizes.note<teff_rec_short_create>(TEFF_REC_SHORT_CREATE);
    sizes.note<teff_rec_short_run>(TEFF_REC_SHORT_RUN);
    sizes.note<teff_rec_short_dep>(TEFF_REC_SHORT_DEP);
    sizes.note<teff_rec_wake>(TEFF_REC_WAKE);
    sizes.note<teff_rec_moved>(TEFF_REC_MOVED);
    sizes.note<teff_rec_request>(TEFF_REC_REQUEST);
    sizes.note<teff_rec_off>(TEFF_REC_OFF);
    sizes.note<teff_rec_window>(TEFF_REC_WINDOW);
    sizes.note<teff_rec_span>(TEFF_REC_SPAN);
    sizes.note<teff_rec_name>(TEFF_REC_NAME, true);
    sizes.note<teff_rec_sample>(TEFF_REC_SAMPLE);
    sizes.note<teff_rec_samples>(TEFF_REC_SAMPLES);
    sizes.note<teff_rec_stack>(TEFF_REC_STACK, true);
    sizes.note<teff_rec_code>(TEFF_REC_CODE, true);
    sizes.note<teff_rec_sampled>(TEFF_REC_SAMPLED);
    sizes.note<teff_rec_prepared>(TEFF_REC_PREPARED);
    sizes.note<teff_rec_short_wait>(TEFF_REC_SHORT_WAIT);
    sizes.note<teff_rec_short_chunk>(TEFF_REC_SHORT_CHUNK);
    sizes.note<teff_rec_short_task>(TEFF_REC_SHORT_TASK);
    sizes.note<teff_rec_device>(TEFF_REC_DEVICE);
    sizes.note<teff_rec_sums>(TEFF_REC_SUMS);
    sizes.note<teff_rec_exchange>(TEFF_REC_EXCHANGE);
    return sizes;
}();

} // namespace teff::probe::trace
