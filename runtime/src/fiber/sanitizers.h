// SPDX-License-Identifier: Apache-2.0
// The functions that inform AddressSanitizer and ThreadSanitizer of stacks. They are weak symbols:
// they exist if the program was built with the sanitizer, no matter how the runtime was built.
// Called only by context.cpp and stack_pool.cpp; preempt/ checks whether they exist.
#pragma once

#include <cstddef>

extern "C" {

[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes);

[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);

} // extern "C"
