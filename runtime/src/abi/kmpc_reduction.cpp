// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: task reductions, as LLVM's compilers call them. The program describes each list item,
// with functions that initialise, combine and finish copies. The runtime makes a copy for each
// thread of the team and combines them at the end.
//
// A Block describes the items of one construct, as one thread passed them; it owns the core's part
// (task/reduction.h).
//
// A lazy item's functions need a size that the program makes known only to a thread that asks for
// its copy: an array whose size is known at run time. So each such copy is initialised when its
// thread asks for it first, and only those copies are combined.
//
// With reduction(task, ...) on a parallel or work-sharing construct, each member has a Block with
// list items of its own. The members share the copies (SharedCopies). The last member that finishes
// combines all copies with its own list items, which the construct's reduction then combines with
// the others'.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "base/report.h"
#include "loop/events.h"
#include "loop/sections.h"
#include "task/reduction.h"
#include "task/task.h"
#include "task/taskgroup.h"
#include "team/team.h"

using namespace teff;
using abi::kmpc::Ident;
using team::current_worker;

namespace {

using S32 = std::int32_t;

// kmp_taskred_input_t.
struct Input {
    void* shared;
    void* original; // for the initialiser
    std::size_t bytes;
    void (*initialise)(void* copy, void* original);
    void (*finish)(void* copy);
    void (*combine)(void* into, void* copy);
    S32 flags;

    bool is_lazy() const { return (flags & 1) != 0; }
};
static_assert(sizeof(Input) == 56);

// kmp_task_red_input_t, of compilers before Clang 10: the initialiser has one argument, and ignores
// a second one.
struct OldInput {
    void* shared;
    std::size_t bytes;
    void (*initialise)(void* copy, void* ignored);
    void (*finish)(void* copy);
    void (*combine)(void* into, void* copy);
    S32 flags;

    operator Input() const { return {shared, nullptr, bytes, initialise, finish, combine, flags}; }
};
static_assert(sizeof(OldInput) == 48);

struct Block;

struct SharedCopies {
    char* memory;
    std::size_t bytes; // of one thread's
    unsigned threads;
    std::atomic<unsigned> users;            // members that have yet to finish
    std::atomic<Block*> finished = nullptr; // their blocks: a member may still come that reads the first one

    // For each thread and item, whether the copy is initialised. Only the thread itself writes it
    // until the group is over.
    bool* initialised() { return reinterpret_cast<bool*>(this + 1); }
};

struct Block {
    SharedCopies* copies;
    Block* next; // in the list of those that have finished
    std::size_t count;
    Input* inputs; // behind the items

    task::ReductionItem* items() { return reinterpret_cast<task::ReductionItem*>(this + 1); }
    char* copy(std::size_t item, unsigned thread) {
        return copies->memory + thread * copies->bytes + items()[item].offset;
    }
    bool& is_initialised(std::size_t item, unsigned thread) { return copies->initialised()[thread * count + item]; }
    void initialise(std::size_t item, unsigned thread) {
        if (is_initialised(item, thread)) return;
        is_initialised(item, thread) = true;
        const Input& input = inputs[item];
        if (input.initialise != nullptr) input.initialise(copy(item, thread), input.original);
    }
};

constexpr std::size_t kCopyAlign = base::kCacheLine; // copies of different threads lie on different lines

std::size_t whole_lines(std::size_t bytes) { return (bytes + kCopyAlign - 1) / kCopyAlign * kCopyAlign; }

template <class Type> Type* allocate(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for a task reduction");
    return static_cast<Type*>(memory);
}

template <class Given> Block& make_block(const Given* inputs, std::size_t count) {
    const std::size_t items_bytes = count * sizeof(task::ReductionItem);
    auto* const block = ::new (allocate<void>(sizeof(Block) + items_bytes + count * sizeof(Input))) Block{};
    block->count = count;
    block->inputs = reinterpret_cast<Input*>(reinterpret_cast<char*>(block->items()) + items_bytes);
    std::uintptr_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        ::new (&block->inputs[i]) Input(inputs[i]);
        block->items()[i] = {reinterpret_cast<std::uintptr_t>(inputs[i].shared), offset, 0};
        offset += whole_lines(inputs[i].bytes);
    }
    return *block;
}

void make_copies(Block& block, unsigned threads, unsigned users) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < block.count; ++i)
        bytes += whole_lines(block.inputs[i].bytes);
    const std::size_t all = threads * block.count;
    block.copies = ::new (allocate<void>(sizeof(SharedCopies) + all))
        SharedCopies{task::allocate_copies(bytes, kCopyAlign, threads), bytes, threads, users};
    std::memset(block.copies->initialised(), 0, all);
    for (unsigned thread = 0; thread < threads; ++thread)
        for (std::size_t i = 0; i < block.count; ++i)
            if (!block.inputs[i].is_lazy()) block.initialise(i, thread);
}

// The member of this number has asked for this copy, which is its own. Asking is enough: another
// member may have said that the item is lazy, and then nobody has initialised the copy.
void initialise_asked(Block& block, unsigned member, const void* copy) {
    for (std::size_t i = 0; i < block.count; ++i)
        if (block.copy(i, member) == copy) block.initialise(i, member);
}

void register_block(team::Worker& worker, task::Taskgroup& group, Block& block) {
    const task::ReductionPart part{.items = block.items(),
                                   .count = block.count,
                                   .copies = block.copies->memory,
                                   .bytes = block.copies->bytes,
                                   .threads = block.copies->threads,
                                   .owner = &block};
    task::register_part(worker, group, part, nullptr);
}

// Of a member that enters a construct; `first`: of the member that came first.
void enter(team::Worker& worker, void* own, void* first) {
    Block& block = *static_cast<Block*>(own);
    const unsigned members = worker.member->team->size;
    if (first == nullptr) make_copies(block, members, members);
    else block.copies = static_cast<Block*>(first)->copies;
    register_block(worker, task::begin_worksharing_group(worker), block);
}

void combine(Block& block) {
    for (unsigned thread = 0; thread < block.copies->threads; ++thread)
        for (std::size_t i = 0; i < block.count; ++i)
            if (block.is_initialised(i, thread)) block.inputs[i].combine(block.inputs[i].shared, block.copy(i, thread));
}

void finish(Block& block) {
    for (unsigned thread = 0; thread < block.copies->threads; ++thread)
        for (std::size_t i = 0; i < block.count; ++i)
            if (block.inputs[i].finish != nullptr && block.is_initialised(i, thread))
                block.inputs[i].finish(block.copy(i, thread));
}

void free_all(SharedCopies* copies) {
    for (Block* at = copies->finished.load(std::memory_order_relaxed); at != nullptr;)
        std::free(std::exchange(at, at->next));
    std::free(copies->memory);
    std::free(copies);
}

// Called when the group is over: the last user combines.
//
// [kmpcred-1] The subtraction (acq_rel) orders what the tasks of all members did to the copies, and
//             the blocks that they added to the list, before the combination.
void end_block(team::Worker& worker, Block& block, base::CallSite site) {
    SharedCopies* const copies = block.copies;
    block.next = copies->finished.load(std::memory_order_relaxed);
    while (!copies->finished.compare_exchange_weak(block.next, &block, std::memory_order_relaxed)) {
    }
    if (copies->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return; // [kmpcred-1]
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::reduction(worker, true, site);
    combine(block); // [kmpcred-1]
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::reduction(worker, false, site);
    finish(block);
    free_all(copies);
}

// The blocks of one group: a group may have several task_reduction constructs' items.
constexpr std::size_t kMostBlocks = 16;

void end_group(team::Worker& worker, base::CallSite site) {
    task::Taskgroup& group = *worker.task->group.get();
    const task::Reductions* const outer = group.outer != nullptr ? group.outer->reductions : nullptr;
    Block* blocks[kMostBlocks];
    std::size_t count = 0;
    for (const task::Reductions* at = group.reductions; at != outer && count < kMostBlocks; at = at->next)
        if (at->part.owner != nullptr) blocks[count++] = static_cast<Block*>(at->part.owner);
    task::taskgroup_end(worker, site);
    for (std::size_t i = 0; i < count; ++i)
        end_block(current_worker(), *blocks[i], site);
}

// Of the task group that has just begun.
template <class Given> void* init_group(const void* inputs, S32 count) {
    team::Worker& worker = current_worker();
    task::Taskgroup& group = *worker.task->group.get();
    Block& block = make_block(static_cast<const Given*>(inputs), static_cast<std::size_t>(count));
    make_copies(block, worker.member->team->size, 1);
    register_block(worker, group, block);
    return &group;
}

// Of a parallel or work-sharing construct.
template <class Given> void* init_construct(const void* inputs, S32 count) {
    team::Worker& worker = current_worker();
    Block& block = make_block(static_cast<const Given*>(inputs), static_cast<std::size_t>(count));
    loop::share_reductions(worker, {.own = &block, .enter = enter});
    return worker.task->group.get();
}

} // namespace

TEFF_EXPORT void* __kmpc_taskred_init(S32, S32 count, void* inputs) { return init_group<Input>(inputs, count); }
TEFF_EXPORT void* __kmpc_task_reduction_init(S32, S32 count, void* inputs) {
    return init_group<OldInput>(inputs, count);
}
TEFF_EXPORT void* __kmpc_task_reduction_get_th_data(S32, void*, void* data) {
    team::Worker& worker = current_worker();
    const task::ReductionCopy found = task::find_copy(worker, data);
    if (auto* const block = static_cast<Block*>(found.part->owner); block != nullptr)
        initialise_asked(*block, worker.member->number, found.copy);
    return found.copy;
}

TEFF_EXPORT void* __kmpc_taskred_modifier_init(Ident*, S32, S32, S32 count, void* inputs) {
    return init_construct<Input>(inputs, count);
}
TEFF_EXPORT void* __kmpc_task_reduction_modifier_init(Ident*, S32, S32, S32 count, void* inputs) {
    return init_construct<OldInput>(inputs, count);
}
TEFF_EXPORT void __kmpc_task_reduction_modifier_fini(Ident*, S32, S32) { end_group(current_worker(), TEFF_SITE); }

TEFF_EXPORT void __kmpc_taskgroup(Ident*, S32) { task::taskgroup_begin(current_worker(), TEFF_SITE); }
TEFF_EXPORT void __kmpc_end_taskgroup(Ident*, S32) {
    team::Worker& worker = current_worker();
    const task::Taskgroup& group = *worker.task->group.get();
    const task::Reductions* const outer = group.outer != nullptr ? group.outer->reductions : nullptr;
    if (TEFF_LIKELY(group.reductions == outer)) task::taskgroup_end(worker, TEFF_SITE);
    else end_group(worker, TEFF_SITE);
}
