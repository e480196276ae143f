// SPDX-License-Identifier: Apache-2.0
#include "preempt/sources.h"

#include "base/standard_error.h"
#include "preempt/preempted_program.h"

namespace teff::preempt {
namespace {

class Sources : public PreemptedProgram {
  protected:
    volatile int stop = 0;
    volatile std::uint64_t count = 0;

    void TearDown() override {
        PreemptedProgram::TearDown();
        choose("TEFF_PREEMPT=on");
    }

    static void choose(const char* setting) {
        const char* const environment[] = {setting, nullptr};
        icv::initialise(environment, 2);
    }

    void register_with(const char* setting) {
        unregister_thread(target);
        choose(setting);
        register_thread(target);
    }

    // Computes until the thread has looked `times` times by itself.
    void spin_until_looked(int times) {
        int looked = 0;
        play.may_switch = [&](std::uint32_t) {
            stop = ++looked >= times;
            return false;
        };
        program.spin(&stop, &count);
        EXPECT_GE(looked, times);
    }
};

TEST_F(Sources, OnDemandNothingTicks) {
    EXPECT_EQ(source(), (icv::Preemption{icv::PreemptionSource::demand, 0}));
    EXPECT_TRUE(signals_requests());
    EXPECT_EQ(target.tick.id, ThreadTimer::kNone);
    EXPECT_LT(target.perf_file, 0);
}

TEST_F(Sources, ATimerTicksAndRequestsAreNotSignalled) {
    register_with("TEFF_PREEMPT=timer:100us");
    if (signals_requests()) GTEST_SKIP() << "a test before this one has made the process fall back";
    EXPECT_EQ(source(), (icv::Preemption{icv::PreemptionSource::timer, 100}));
    spin_until_looked(20);
    stop = 0;
    play.may_switch = [&](std::uint32_t priority) {
        if (priority == 1) stop = 1;
        return false;
    };
    std::thread asker([&] { EXPECT_EQ(request(target, 1), Asked::joined); });
    asker.join();
    EXPECT_EQ(target.signals.load(), 0u);
    program.spin(&stop, &count);
    EXPECT_EQ(target.word.asked(), 0u);
}

TEST_F(Sources, APerformanceEventTicks) {
    register_with("TEFF_PREEMPT=perf:100us");
    if (target.perf_file < 0) {
        EXPECT_TRUE(signals_requests()) << "it has fallen back";
        GTEST_SKIP() << "this system gives no performance event";
    }
    EXPECT_EQ(source(), (icv::Preemption{icv::PreemptionSource::perf, 100}));
    spin_until_looked(20);
    unregister_thread(target);
    EXPECT_LT(target.perf_file, 0);
}

// The last of these: what was asked for counts as not there from now on.
TEST_F(Sources, WhereTheModuleIsNotThereRequestsAreSignalled) {
    if (access("/dev/teff_preempt", F_OK) == 0) GTEST_SKIP() << "this machine has the module";
    testing::internal::CaptureStderr();
    base::note_standard_error(); // as the library's constructor
    register_with("TEFF_PREEMPT=kernel");
    unregister_thread(target);
    register_thread(target);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(signals_requests());
    EXPECT_EQ(source(), (icv::Preemption{icv::PreemptionSource::demand, 0}));
    EXPECT_EQ(target.slot.load(), Target::kNoSlot);
    constexpr const char* kRemark = "going on as with TEFF_PREEMPT=on";
    EXPECT_NE(said.find(kRemark), std::string::npos) << said;
    EXPECT_EQ(said.find(kRemark), said.rfind(kRemark)) << "once";
    std::thread asker([&] { EXPECT_EQ(request(target, 1), Asked::signalled); });
    asker.join();
    play.switch_away = [&] { stop = 1; };
    program.spin(&stop, &count);
    EXPECT_EQ(served(), 1u);
}

} // namespace
} // namespace teff::preempt
