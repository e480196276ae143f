// SPDX-License-Identifier: Apache-2.0
// Several threads execute atomic operations of 16 bytes. The results are known, because they do not
// depend on the order of the operations.
#include <atomic>
#include <cstdio>

using Wide = unsigned __int128;

static constexpr int kTimes = 1000;
static std::atomic<Wide> total{0};
static Wide sum, bits, mask = ~Wide(0), others;

static void print(const char* name, Wide value) {
    std::printf("%s %llx %llx\n", name, (unsigned long long)(value >> 64), (unsigned long long)value);
}

int main() {
#pragma omp parallel for num_threads(4)
    for (int i = 1; i <= kTimes; ++i) {
        Wide seen = total.load();
        while (!total.compare_exchange_weak(seen, seen + (Wide(i) << 64) + 1)) {}
        // The carry into the upper half is part of one operation.
        __atomic_fetch_add(&sum, (Wide(1) << 64) - 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_sub(&others, Wide(i), __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&bits, Wide(1) << (i % 128), __ATOMIC_SEQ_CST);
        __atomic_fetch_and(&mask, ~(Wide(1) << (i % 100)), __ATOMIC_SEQ_CST);
        __atomic_fetch_or(&mask, Wide(1) << (i % 100), __ATOMIC_SEQ_CST);
    }
    print("total", total.exchange(7));
    print("exchanged", total);
    print("sum", sum);
    print("others", others);
    print("bits", bits);
    print("mask", mask);
    print("before nand", __atomic_fetch_nand(&mask, Wide(5), __ATOMIC_SEQ_CST));
    print("nand", mask);
    Wide expected = 8;
    const bool is_changed = total.compare_exchange_strong(expected, 9);
    std::printf("%d ", is_changed);
    print("found", expected);
    total.store(10);
    print("stored", total);
}
