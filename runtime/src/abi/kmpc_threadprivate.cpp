// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_threadprivate_*: threadprivate data of Flang, and of Clang with -fnoopenmp-use-tls. (Other
// threadprivate data are thread-local variables.)
//
// The compiler asks for the calling thread's copy of a variable, and passes a word that belongs to
// the variable. There the runtime keeps the variable's record. The first thread uses the variable
// itself. The others get copies of it, as it was when the first of them asked for one; if the
// program has registered a constructor, that makes the copies. Copies live as long as the process.
//
// [tpcache-1] The thread that makes a record, or a thread's copy, publishes it (release); others
//             load it (acquire). Making is done under the mutex.
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/start_up.h"
#include "base/report.h"
#include "preempt/slots.h"
#include "sync/mutex.h"
#include "team/worker.h"

using namespace teff;
using abi::kmpc::Ident;
using team::current_worker;

namespace {

using Construct = void* (*)(void* copy);
using CopyConstruct = void* (*)(void* copy, void* original);

void* take(std::size_t bytes) {
    void* const memory = std::calloc(1, bytes);
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for %zu bytes of threadprivate data", bytes);
    return memory;
}

// A thread's copies by its worker's number: rows of growing length, which never move.
class CopiesOfThreads {
  public:
    std::atomic<void*>& of(std::uint32_t number) {
        const std::uint64_t place = std::uint64_t{number} + kFirstRow;
        const unsigned row = static_cast<unsigned>(std::bit_width(place)) - kFirstBits;
        std::atomic<void*>* slots = rows_[row].load(std::memory_order_acquire); // [tpcache-1]
        if (TEFF_UNLIKELY(slots == nullptr)) slots = make_row(row);
        return slots[place - (kFirstRow << row)];
    }

  private:
    static constexpr unsigned kFirstBits = 7, kRows = 26;
    static constexpr std::uint64_t kFirstRow = 1 << (kFirstBits - 1);

    std::atomic<void*>* make_row(unsigned row) {
        auto* const made = static_cast<std::atomic<void*>*>(take((kFirstRow << row) * sizeof(std::atomic<void*>)));
        std::atomic<void*>* known = nullptr;
        if (rows_[row].compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made; // [tpcache-1]
        std::free(made);
        return known;
    }

    std::atomic<std::atomic<void*>*> rows_[kRows];
};

struct Variable {
    void* data;
    Construct construct;
    CopyConstruct copy_construct;
    std::size_t bytes; // 0: not known yet
    void* image;       // of the data, for copies; null: it was not needed yet
    Variable* next;
    CopiesOfThreads copies;
};

constinit sync::Mutex mutex;             // for what follows, except copies
constinit Variable* variables = nullptr; // all, the latest first

Variable& variable_of(void* data) {
    for (Variable* at = variables; at != nullptr; at = at->next)
        if (at->data == data) return *at;
    auto* const made = ::new (take(sizeof(Variable))) Variable{};
    made->data = data;
    made->next = variables;
    return *(variables = made);
}

Variable& known_variable(void* data, std::size_t bytes) {
    mutex.lock();
    Variable& variable = variable_of(data);
    variable.bytes = bytes;
    if (variable.image == nullptr) variable.image = std::memcpy(take(bytes), data, bytes);
    mutex.unlock();
    return variable;
}

void* make_copy(const Variable& variable) {
    void* const copy = take(variable.bytes);
    if (variable.construct != nullptr) variable.construct(copy);
    else if (variable.copy_construct != nullptr) variable.copy_construct(copy, variable.data);
    else std::memcpy(copy, variable.image, variable.bytes);
    return copy;
}

void* copy_of_caller(Variable& variable) {
    const std::uint32_t number = current_worker().number;
    if (number == 0) return variable.data;
    std::atomic<void*>& slot = variable.copies.of(number);
    void* copy = slot.load(std::memory_order_relaxed); // only threads of this number, one after the other, write it
    if (TEFF_UNLIKELY(copy == nullptr)) slot.store(copy = make_copy(variable), std::memory_order_relaxed);
    return copy;
}

} // namespace

namespace teff::abi {

void declare_threadprivate_functions() {
    static constexpr std::string_view kNames[] = {"__kmpc_threadprivate_cached", "__kmpc_threadprivate"};
    preempt::set_functions_of_copies(kNames);
}

void forget_threadprivate_users() { ::new (&mutex) sync::Mutex; }

} // namespace teff::abi

TEFF_EXPORT void* __kmpc_threadprivate_cached(Ident*, std::int32_t, void* data, std::size_t bytes, void*** cache) {
    std::atomic_ref<void**> word(*cache);
    auto* variable = reinterpret_cast<Variable*>(word.load(std::memory_order_acquire)); // [tpcache-1]
    if (TEFF_UNLIKELY(variable == nullptr)) {
        variable = &known_variable(data, bytes);
        word.store(reinterpret_cast<void**>(variable), std::memory_order_release); // [tpcache-1]
    }
    return copy_of_caller(*variable);
}
TEFF_EXPORT void* __kmpc_threadprivate(Ident*, std::int32_t, void* data, std::size_t bytes) {
    return copy_of_caller(known_variable(data, bytes));
}
TEFF_EXPORT void __kmpc_threadprivate_register(Ident*, void* data, Construct construct, CopyConstruct copy_construct,
                                               void (*)(void*)) {
    mutex.lock();
    Variable& variable = variable_of(data);
    variable.construct = construct;
    variable.copy_construct = copy_construct;
    mutex.unlock();
}
