// SPDX-License-Identifier: Apache-2.0
#include "processes/dependences.h"

#include "processes/libc_memory.h"
#include "processes/missing.h"
#include "processes/report.h"

namespace teff::processes {

struct Successor {
    Task* task;
    Successor* next;
};

namespace {

struct Reader {
    Task* task;
    Reader* next;
};

struct Item {
    const void* address;
    Task* writer;
    Reader* readers; // since
    Item* next;
};

template <class Record> Record* make(const Record& record) {
    auto* const made = static_cast<Record*>(__libc_malloc(sizeof(Record)));
    if (made == nullptr) fail("no memory for the dependences of a task");
    *made = record;
    return made;
}

void await(Task& task, Task* before) {
    if (before == nullptr || before == &task || before->ended) return;
    before->successors = make(Successor{&task, before->successors});
    ++task.awaited;
}

void drop_readers(Item& item) {
    while (Reader* const reader = item.readers) {
        item.readers = reader->next;
        tasks::drop(reader->task);
        __libc_free(reader);
    }
}

} // namespace

struct DependTable {
    static constexpr std::size_t kBuckets = 1024;
    Item* buckets[kBuckets];

    Item& find(const void* address) {
        const auto hash = reinterpret_cast<std::uintptr_t>(address) * 0x9e37'79b9'7f4a'7c15;
        Item*& first = buckets[hash >> 54];
        for (Item* item = first; item != nullptr; item = item->next)
            if (item->address == address) return *item;
        return *(first = make(Item{address, nullptr, nullptr, first}));
    }
};

namespace {

void read(Item& item, Task& task) {
    await(task, item.writer);
    ++task.references;
    item.readers = make(Reader{&task, item.readers});
}

void write(Item& item, Task& task) {
    await(task, item.writer);
    for (const Reader* reader = item.readers; reader != nullptr; reader = reader->next)
        await(task, reader->task);
    drop_readers(item);
    if (item.writer != nullptr) tasks::drop(item.writer);
    ++task.references;
    item.writer = &task;
}

} // namespace

bool dependences::add(Task& task, const task::DependItems& items) {
    DependTable*& table = task.parent->table;
    if (table == nullptr) {
        table = static_cast<DependTable*>(__libc_calloc(1, sizeof(DependTable)));
        if (table == nullptr) fail("no memory for the dependences of a task");
    }
    for (const task::DependRun& run : items)
        for (void* const address : run) {
            if (address == nullptr) missing("depend(...: omp_all_memory)");
            if (run.kind == task::ItemKind::kIn) read(table->find(address), task);
            else write(table->find(address), task);
        }
    return task.awaited == 0;
}

void dependences::release(Task& task, void (*ready)(Task*)) {
    task.ended = true;
    while (Successor* const successor = task.successors) {
        task.successors = successor->next;
        Task* const next = successor->task;
        __libc_free(successor);
        if (--next->awaited == 0 && !next->held_back) ready(next);
    }
}

void dependences::forget(Task& task) {
    DependTable* const table = task.table;
    if (table == nullptr) return;
    task.table = nullptr;
    for (Item* item : table->buckets)
        while (item != nullptr) {
            drop_readers(*item);
            if (item->writer != nullptr) tasks::drop(item->writer);
            Item* const next = item->next;
            __libc_free(item);
            item = next;
        }
    __libc_free(table);
}

} // namespace teff::processes
