// SPDX-License-Identifier: Apache-2.0
// Fuzzes allocators: any traits make an allocator or are refused. Blocks from an allocator are
// aligned and large enough, do not overlap, and never exceed the allocator's pool in all.
#include "mem/omp_allocator.h"

#include <algorithm>
#include <vector>

#include "fuzz/input.h"

namespace {

using namespace teff::mem;

constexpr std::uintptr_t kAbort = static_cast<std::uintptr_t>(Fallback::abort);

struct Block {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char filling;
};

// Mostly values that mean something, sometimes any.
std::uintptr_t trait_value(teff::fuzz::Input& input) {
    const std::uint8_t kind = input.byte();
    const std::uintptr_t value = kind < 160 ? kind % 24 : kind < 200 ? std::uintptr_t{1} << (kind % 64) : input.word();
    return value == kAbort ? 0 : value; // that ends the program, as it should
}

AllocatorHandle make(teff::fuzz::Input& input) {
    std::vector<AllocatorTrait> traits(input.byte() % 6);
    for (AllocatorTrait& trait : traits) {
        trait = {static_cast<std::int32_t>(input.byte() % 10), trait_value(input)};
        // The program vouches that this one is an allocator.
        if (trait.key == static_cast<std::int32_t>(TraitKey::fb_data)) trait.value = 1 + trait.value % kLastPredefined;
        // Absurd alignments are asked for in `step`; here one would make all memory of the
        // allocator absurd.
        if (trait.key == static_cast<std::int32_t>(TraitKey::alignment)) trait.value %= 8192;
    }
    return make_allocator(input.byte() % 6, static_cast<int>(traits.size()), traits.data());
}

void check(const Block& block) {
    FUZZ_CHECK(std::all_of(block.memory, block.memory + block.bytes,
                           [&](unsigned char byte) { return byte == block.filling; }));
}

class Heap {
  public:
    explicit Heap(AllocatorHandle handle) : handle_(handle) {}
    ~Heap() {
        while (!blocks_.empty())
            give_back(0);
    }

    void step(teff::fuzz::Input& input) {
        const std::uint8_t what = input.byte();
        const std::size_t bytes = input.byte() * std::size_t{input.byte()};
        if (what % 8 == 0) return absurd(input.word());
        if (what % 3 == 0 && !blocks_.empty()) return give_back(what % blocks_.size());
        if (what % 3 == 1 && !blocks_.empty()) return change(what % blocks_.size(), bytes);
        const std::size_t alignment = std::size_t{1} << (what % 13);
        void* memory = allocate(handle_, alignment, bytes, what % 2 ? Content::zero : Content::any);
        if (memory == nullptr) return;
        FUZZ_CHECK(bytes != 0 && reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
        auto* first = static_cast<unsigned char*>(memory);
        if (what % 2) check({first, bytes, 0});
        keep(first, bytes);
    }

  private:
    void keep(unsigned char* memory, std::size_t bytes) {
        const auto filling = static_cast<unsigned char>(blocks_.size() + 1);
        std::memset(memory, filling, bytes);
        blocks_.push_back({memory, bytes, filling});
    }

    void give_back(std::size_t index) {
        check(blocks_[index]);
        teff::mem::free(blocks_[index].memory);
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
    }

    void change(std::size_t index, std::size_t bytes) {
        const Block old = blocks_[index];
        check(old);
        void* memory = reallocate(handle_, old.memory, bytes);
        if (memory == nullptr) return; // and the old one is as it was
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
        auto* first = static_cast<unsigned char*>(memory);
        check({first, std::min(bytes, old.bytes), old.filling});
        keep(first, bytes);
    }

    // More than there can be.
    void absurd(std::uint64_t word) {
        const std::size_t bytes = ~std::size_t{0} - word % (std::size_t{1} << 60);
        FUZZ_CHECK(allocate(handle_, std::size_t{1} << (word % 60), bytes, Content::any) == nullptr);
    }

    AllocatorHandle handle_;
    std::vector<Block> blocks_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    teff::fuzz::Input input(data, size);
    const AllocatorHandle handle = make(input);
    if (handle == kNullAllocator) return 0;
    {
        Heap heap(handle);
        while (!input.empty())
            heap.step(input);
    }
    destroy_allocator(handle);
    return 0;
}
