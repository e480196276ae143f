// SPDX-License-Identifier: Apache-2.0
// Tests that an interrupted task finds its registers and its red zone unchanged, whatever ran in
// its place.
#include <cstring>
#include <memory>
#include <random>

#include "base/clock.h"
#include "preempt/fake_module.h"
#include "preempt/preempted_program.h"
#include "preempt/thread_timers.h"

namespace teff::preempt {
namespace {

constexpr int kSse = 1, kAvx = 2, kAvx512 = 3;

int best_level() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return kAvx512;
    return __builtin_cpu_supports("avx2") ? kAvx : kSse;
}

std::size_t vector_bytes(int level) { return level == kAvx512 ? 64 : level == kAvx ? 32 : 16; }
int vectors(int level) { return level == kAvx512 ? 32 : 16; }

void fill(Canaries& canaries, unsigned seed) {
    std::mt19937_64 random(seed);
    for (auto& vector : canaries.vectors)
        for (unsigned char& byte : vector)
            byte = static_cast<unsigned char>(random());
    for (std::uint64_t& mask : canaries.masks)
        mask = random() & 0xffff;
    for (std::uint64_t& general : canaries.general)
        general = random();
    for (std::uint64_t& word : canaries.red_zone)
        word = random();
    for (double& number : canaries.x87)
        number = static_cast<double>(random() >> 20);
    canaries.mxcsr = 0x1f80 | 0x4000;      // rounds up
    canaries.control_word = 0x37f | 0x400; // rounds down
}

// Leaves nothing of a task's registers as it was, within what a function may do.
[[gnu::noinline]] void clobber(int level) {
    if (level == kAvx512)
        asm volatile(
            "vpternlogd $0xff, %%zmm0, %%zmm0, %%zmm0\n\t vmovaps %%zmm0, %%zmm1\n\t vmovaps %%zmm0, %%zmm7\n\t"
            "vmovaps %%zmm0, %%zmm15\n\t vmovaps %%zmm0, %%zmm16\n\t vmovaps %%zmm0, %%zmm31\n\t"
            "kxnorw %%k0, %%k0, %%k1\n\t kmovw %%k1, %%k2\n\t kmovw %%k1, %%k7\n\t vzeroupper" ::
                : "memory");
    else if (level == kAvx)
        asm volatile("vxorps %%ymm0, %%ymm0, %%ymm0\n\t vxorps %%ymm7, %%ymm7, %%ymm7\n\t"
                     "vxorps %%ymm15, %%ymm15, %%ymm15\n\t vzeroall" ::
                         : "memory");
    asm volatile(
        "pxor %%xmm0, %%xmm0\n\t pxor %%xmm3, %%xmm3\n\t pxor %%xmm15, %%xmm15\n\t"
        "fld1\n\t fldpi\n\t fmulp\n\t fstp %%st(0)\n\t fninit\n\t"
        "xor %%eax, %%eax\n\t mov $-1, %%rcx\n\t mov %%rcx, %%r8\n\t mov %%rcx, %%r11\n\t stc\n\t std\n\t cld" ::
            : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm15",
              "cc", "memory");
    unsigned control = 0x1f80 | 0x6000;
    asm volatile("ldmxcsr %0" ::"m"(control));
    control = 0x1f80;
    asm volatile("ldmxcsr %0" ::"m"(control)); // its caller's again
}

class Registers : public PreemptedProgram {
  protected:
    void keep_while_interrupted();
};

// Something interrupts this thread again and again.
void Registers::keep_while_interrupted() {
    constexpr std::uint64_t kInterrupts = 100'000, kAtLeast = 1000;
    const std::uint64_t deadline = base::monotonic_ns() + 20'000'000'000u; // of a busy machine
    const int level = best_level();
    volatile int stop = 0;
    play.switch_away = [&] {
        clobber(level);
        stop = served() >= kInterrupts || base::monotonic_ns() > deadline;
    };
    const auto in = std::make_unique<Canaries>(), out = std::make_unique<Canaries>();
    fill(*in, 1);
    program.keep_canaries(in.get(), out.get(), &stop, level);
    EXPECT_GE(served(), kAtLeast);
    for (int i = 0; i < vectors(level); ++i)
        EXPECT_EQ(std::memcmp(in->vectors[i], out->vectors[i], vector_bytes(level)), 0) << "vector register " << i;
    for (int i = 1; i < 8 && level == kAvx512; ++i)
        EXPECT_EQ(in->masks[i], out->masks[i]) << "mask register " << i;
    for (int i = 0; i < 11; ++i)
        EXPECT_EQ(in->general[i], out->general[i]) << "general register " << i;
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ(in->red_zone[i], out->red_zone[i]) << "word " << i << " of the red zone";
    for (int i = 0; i < 7; ++i)
        EXPECT_EQ(in->x87[i], out->x87[i]) << "x87 register " << i;
    EXPECT_EQ(in->mxcsr & ~0x3fu, out->mxcsr & ~0x3fu);
    EXPECT_EQ(in->control_word, out->control_word);
    EXPECT_EQ(out->flags_changed, 0u);
}

TEST_F(Registers, AreAsTheyWereAfter100000Interrupts) {
    ASSERT_TRUE(make(target.tick, Mark::tick));
    arm_each(target.tick, 20, 20);
    keep_while_interrupted();
}

TEST_F(Registers, AreAsTheyWereAfter100000TicksOfTheModule) {
    const FakeModule module(target, 20);
    keep_while_interrupted();
}

} // namespace
} // namespace teff::preempt
