// SPDX-License-Identifier: Apache-2.0
#include "fiber/context.h"

#include <array>
#include <benchmark/benchmark.h>
#include <ucontext.h>

#include "fiber/stack_pool.h"
#include "fiber/test_stack.h"

namespace teff::fiber {
namespace {

struct Partner {
    Context own;
    TestStack other;
    bool stop = false;

    static void answer(void* argument) {
        auto& self = *static_cast<Partner*>(argument);
        while (!self.stop)
            self.other.context.switch_to(self.own, do_nothing());
        self.other.context.leave_for(self.own, do_nothing());
    }
};

// One iteration is two switches.
void switch_between(benchmark::State& state) {
    Partner partner;
    partner.own.start(partner.other.context, &Partner::answer, &partner, do_nothing());
    for (auto _ : state)
        partner.own.switch_to(partner.other.context, do_nothing());
    state.SetItemsProcessed(state.iterations() * 2);
    partner.stop = true;
    partner.own.switch_to(partner.other.context, do_nothing());
}
BENCHMARK(switch_between);

// The same with the C library's contexts, for comparison: they also change the signal mask.
struct LibraryPartner {
    ucontext_t own{}, other{};
    std::array<char, 64 << 10> stack;

    static LibraryPartner* current;
    static void answer() {
        for (;;)
            swapcontext(&current->other, &current->own);
    }
};
LibraryPartner* LibraryPartner::current;

void switch_between_with_ucontext(benchmark::State& state) {
    static LibraryPartner partner;
    LibraryPartner::current = &partner;
    getcontext(&partner.other);
    partner.other.uc_stack.ss_sp = partner.stack.data();
    partner.other.uc_stack.ss_size = partner.stack.size();
    makecontext(&partner.other, &LibraryPartner::answer, 0);
    for (auto _ : state)
        swapcontext(&partner.own, &partner.other);
    state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(switch_between_with_ucontext);

struct Visit {
    Context own;
    StackCache& cache;
    PooledContext* context = nullptr;

    static void come_and_go(void* argument) {
        auto& self = *static_cast<Visit*>(argument);
        self.context->leave_for(self.own, self.cache.returning(*self.context));
    }
    void once() {
        context = cache.take();
        own.start(*context, &come_and_go, this, do_nothing());
    }
};

// A context from the cache starts, ends at once, and goes back.
void start_and_leave(benchmark::State& state) {
    StackPool pool;
    StackCache cache{pool};
    if (!pool.open({256 << 10})) return state.SkipWithError("contexts do not work here");
    Visit visit{{}, cache};
    for (auto _ : state)
        visit.once();
    cache.hand_over_all();
    pool.close();
}
BENCHMARK(start_and_leave);

void take_and_give_back(benchmark::State& state) {
    StackPool pool;
    StackCache cache{pool};
    if (!pool.open({256 << 10})) return state.SkipWithError("contexts do not work here");
    for (auto _ : state) {
        PooledContext* context = cache.take();
        benchmark::DoNotOptimize(context);
        cache.give_back(*context);
    }
    cache.hand_over_all();
    pool.close();
}
BENCHMARK(take_and_give_back);

// The cost of a stack's first use: it is mapped, starts, has a page fault, and is unmapped.
void map_start_unmap(benchmark::State& state) {
    StackPool pool;
    StackCache cache{pool};
    if (!pool.open({256 << 10, 0, 0})) return state.SkipWithError("contexts do not work here");
    Visit visit{{}, cache};
    for (auto _ : state) {
        visit.once();
        cache.hand_over_all();
    }
    pool.close();
}
BENCHMARK(map_start_unmap);

} // namespace
} // namespace teff::fiber
