// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/callbacks.h"

#include <gtest/gtest.h>

namespace teff::probe::ompt {

namespace {

int begun, ended;
void on_begin(ompt_thread_t, ompt_data_t*) { ++begun; }
void on_end(ompt_data_t*) { ++ended; }

ompt_callback_t generic(auto* function) { return reinterpret_cast<ompt_callback_t>(function); }

struct Callbacks : testing::Test {
    void SetUp() override { begun = ended = 0; }
    void TearDown() override { clear_callbacks(); }
};

TEST_F(Callbacks, AreCalledWhenSetAndNotOtherwise) {
    ompt_data_t data{};
    call<ompt_callback_thread_end_t>(ompt_callback_thread_end, &data);
    EXPECT_EQ(set_callback(ompt_callback_thread_begin, generic(on_begin)), ompt_set_always);
    call<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, ompt_thread_worker, &data);
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(ended, 0);
}

TEST_F(Callbacks, AreReplacedAndTakenAway) {
    ompt_data_t data{};
    EXPECT_EQ(set_callback(ompt_callback_thread_end, generic(on_end)), ompt_set_always);
    EXPECT_EQ(set_callback(ompt_callback_thread_end, nullptr), ompt_set_always);
    call<ompt_callback_thread_end_t>(ompt_callback_thread_end, &data);
    EXPECT_EQ(ended, 0);
}

TEST_F(Callbacks, AreFoundAgainIfTheirEventIsReported) {
    ompt_callback_t found = nullptr;
    EXPECT_EQ(get_callback(ompt_callback_thread_end, &found), 0) << "none is set";
    set_callback(ompt_callback_thread_end, generic(on_end));
    EXPECT_EQ(get_callback(ompt_callback_thread_end, &found), 1);
    EXPECT_EQ(found, generic(on_end));
    set_callback(ompt_callback_device_load, generic(on_end));
    EXPECT_EQ(get_callback(ompt_callback_device_load, &found), 0) << "one that is never called";
}

TEST_F(Callbacks, OfNoEventAreAnError) {
    ompt_callback_t found = nullptr;
    for (const int event : {0, ompt_callback_error + 1, 63}) { // the type holds no more than 63
        EXPECT_EQ(set_callback(static_cast<ompt_callbacks_t>(event), generic(on_end)), ompt_set_error) << event;
        EXPECT_EQ(get_callback(static_cast<ompt_callbacks_t>(event), &found), 0) << event;
    }
}

TEST_F(Callbacks, OfEveryEventHaveAnHonestAnswer) {
    for (const ompt_callbacks_t event : {ompt_callback_device_initialize, ompt_callback_target_map_emi})
        EXPECT_EQ(set_callback(event, nullptr), ompt_set_never) << event;
    for (const ompt_callbacks_t event :
         {ompt_callback_work, ompt_callback_dispatch, ompt_callback_mutex_acquire, ompt_callback_mutex_released,
          ompt_callback_masked, ompt_callback_flush, ompt_callback_reduction})
        EXPECT_EQ(set_callback(event, nullptr), ompt_set_sometimes) << event;
}

} // namespace

} // namespace teff::probe::ompt
