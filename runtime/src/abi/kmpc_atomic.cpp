// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_atomic_*: the atomic operations that Intel's compilers call. (Clang, Flang and GCC compile
// them to instructions.) A name has the type of the variable, the operation, and at the end
//
//     _cpt   it returns the variable's value, from after the operation if `flag` is not 0
//     _rev   the variable is the operation's right operand
//     _fp    the other operand is a number of 16 bytes, _float8 and _cmplx8: one of that type
//
// The tables below name each operation once. A variable of up to 8 bytes changes by a
// compare-exchange; larger ones change under the lock that GOMP_atomic_start takes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/program_locks.h"
#include "sync/critical.h"

using namespace teff;
using abi::MutexKind;
using abi::kmpc::Ident;

namespace {

template <typename T> struct Change {
    T before, after;
};

// What the processor exchanges. (A complex number of 8 bytes need lie at multiples of 4 only.)
template <std::size_t Bytes> struct Words;
template <> struct Words<1> {
    using Type [[gnu::may_alias]] = std::uint8_t;
};
template <> struct Words<2> {
    using Type [[gnu::may_alias]] = std::uint16_t;
};
template <> struct Words<4> {
    using Type [[gnu::may_alias]] = std::uint32_t;
};
template <> struct Words<8> {
    using Type [[gnu::may_alias]] = std::uint64_t;
};
template <std::size_t Bytes> using WordOf = typename Words<Bytes>::Type;

// Changes *at from a value to after(value), atomically.
template <typename T, typename After> Change<T> change(T* at, base::CallSite site, const After& after) {
    if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
        using Word = WordOf<sizeof(T)>;
        auto* const word = reinterpret_cast<Word*>(at);
        Word old = __atomic_load_n(word, __ATOMIC_RELAXED), next;
        Change<T> done;
        do {
            std::memcpy(&done.before, &old, sizeof old);
            done.after = after(done.before);
            std::memcpy(&next, &done.after, sizeof next);
        } while (!__atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
        return done;
    } else {
        abi::lock(sync::atomic_lock, MutexKind::kAtomic, site);
        const T before = *at;
        const Change<T> done{before, after(before)};
        *at = done.after;
        abi::unlock(sync::atomic_lock, MutexKind::kAtomic, site);
        return done;
    }
}

// Integers wrap, whatever their width: sums, differences, products and shifts to the left are
// computed in 64 bits without a sign.
template <typename L, typename R> constexpr bool kIntegers = std::is_integral_v<L> && std::is_integral_v<R>;
template <typename L, typename R, typename Compute> auto wrapping(L left, R right, Compute compute) {
    if constexpr (kIntegers<L, R>) return compute(static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(right));
    else return compute(left, right);
}

constexpr auto add = [](auto l, auto r) { return wrapping(l, r, [](auto a, auto b) { return a + b; }); };
constexpr auto sub = [](auto l, auto r) { return wrapping(l, r, [](auto a, auto b) { return a - b; }); };
constexpr auto mul = [](auto l, auto r) { return wrapping(l, r, [](auto a, auto b) { return a * b; }); };
constexpr auto shl = [](auto l, auto r) { return wrapping(l, r, [](auto a, auto b) { return a << (b & 63); }); };
constexpr auto shr = [](auto l, auto r) { return l >> (r & 63); };
constexpr auto quotient = [](auto l, auto r) { return l / r; };
constexpr auto andb = [](auto l, auto r) { return l & r; };
constexpr auto orb = [](auto l, auto r) { return l | r; };
constexpr auto differ = [](auto l, auto r) { return l ^ r; };
constexpr auto eqv = [](auto l, auto r) { return ~(l ^ r); };
constexpr auto andl = [](auto l, auto r) { return l != 0 && r != 0; };
constexpr auto orl = [](auto l, auto r) { return l != 0 || r != 0; };
constexpr auto max = [](auto l, auto r) { return l < r ? r : l; };
constexpr auto min = [](auto l, auto r) { return r < l ? r : l; };

constexpr auto forward = [](auto compute, auto variable, auto value) { return compute(variable, value); };
constexpr auto reverse = [](auto compute, auto variable, auto value) { return compute(value, variable); };

template <typename T> bool exchange(T* at, T* expected, T wanted) {
    return __atomic_compare_exchange_n(at, expected, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

} // namespace

#define CHANGED(T, way, compute)                                                                                       \
    change(at, TEFF_SITE, [value](T before) { return static_cast<T>(way(compute, before, value)); })

#define UPDATE(name, T, V, way, compute)                                                                               \
    TEFF_EXPORT void __kmpc_atomic_##name(Ident*, int, T* at, V value) { (void)CHANGED(T, way, compute); }
#define CAPTURE(name, T, V, way, compute)                                                                              \
    TEFF_EXPORT T __kmpc_atomic_##name(Ident*, int, T* at, V value, int flag) {                                        \
        const Change<T> done = CHANGED(T, way, compute);                                                               \
        return flag != 0 ? done.after : done.before;                                                                   \
    }
// Complex numbers of 8 bytes come back through memory.
#define CAPTURE_BY_ADDRESS(name, T, V, way, compute)                                                                   \
    TEFF_EXPORT void __kmpc_atomic_##name(Ident*, int, T* at, V value, T* captured, int flag) {                        \
        const Change<T> done = CHANGED(T, way, compute);                                                               \
        *captured = flag != 0 ? done.after : done.before;                                                              \
    }

#define OPERATION(type, T, op, compute)                                                                                \
    UPDATE(type##_##op, T, T, forward, compute)                                                                        \
    CAPTURE(type##_##op##_cpt, T, T, forward, compute)
#define REVERSIBLE(type, T, op, compute)                                                                               \
    OPERATION(type, T, op, compute)                                                                                    \
    UPDATE(type##_##op##_rev, T, T, reverse, compute)                                                                  \
    CAPTURE(type##_##op##_cpt_rev, T, T, reverse, compute)
#define ARITHMETIC(type, T)                                                                                            \
    OPERATION(type, T, add, add)                                                                                       \
    REVERSIBLE(type, T, sub, sub)                                                                                      \
    OPERATION(type, T, mul, mul)                                                                                       \
    REVERSIBLE(type, T, div, quotient)
#define ORDER(type, T)                                                                                                 \
    OPERATION(type, T, max, max)                                                                                       \
    OPERATION(type, T, min, min)
#define ACCESS(type, T)                                                                                                \
    TEFF_EXPORT T __kmpc_atomic_##type##_rd(Ident*, int, T* at) {                                                      \
        return change(at, TEFF_SITE, [](T value) { return value; }).before;                                            \
    }                                                                                                                  \
    TEFF_EXPORT void __kmpc_atomic_##type##_wr(Ident*, int, T* at, T value) {                                          \
        (void)change(at, TEFF_SITE, [value](T) { return value; });                                                     \
    }
#define SWAP(type, T)                                                                                                  \
    TEFF_EXPORT T __kmpc_atomic_##type##_swp(Ident*, int, T* at, T value) {                                            \
        return change(at, TEFF_SITE, [value](T) { return value; }).before;                                             \
    }

#define INTEGER(type, T, U)                                                                                            \
    ARITHMETIC(type, T)                                                                                                \
    ORDER(type, T)                                                                                                     \
    OPERATION(type, T, andb, andb)                                                                                     \
    OPERATION(type, T, orb, orb)                                                                                       \
    OPERATION(type, T, xor, differ)                                                                                    \
    REVERSIBLE(type, T, shl, shl)                                                                                      \
    REVERSIBLE(type, T, shr, shr)                                                                                      \
    OPERATION(type, T, andl, andl)                                                                                     \
    OPERATION(type, T, orl, orl)                                                                                       \
    OPERATION(type, T, eqv, eqv)                                                                                       \
    OPERATION(type, T, neqv, differ)                                                                                   \
    REVERSIBLE(type##u, U, div, quotient)                                                                              \
    REVERSIBLE(type##u, U, shr, shr)                                                                                   \
    UPDATE(type##_mul_float8, T, double, forward, mul)                                                                 \
    UPDATE(type##_div_float8, T, double, forward, quotient)                                                            \
    ACCESS(type, T)                                                                                                    \
    SWAP(type, T)
INTEGER(fixed1, std::int8_t, std::uint8_t)
INTEGER(fixed2, std::int16_t, std::uint16_t)
INTEGER(fixed4, std::int32_t, std::uint32_t)
INTEGER(fixed8, std::int64_t, std::uint64_t)

#define REAL(type, T)                                                                                                  \
    ARITHMETIC(type, T)                                                                                                \
    ORDER(type, T)                                                                                                     \
    ACCESS(type, T)                                                                                                    \
    SWAP(type, T)
REAL(float4, float)
REAL(float8, double)
UPDATE(float4_add_float8, float, double, forward, add)
UPDATE(float4_sub_float8, float, double, forward, sub)
UPDATE(float4_mul_float8, float, double, forward, mul)
UPDATE(float4_div_float8, float, double, forward, quotient)

using Complex4 = _Complex float;
using Complex8 = _Complex double;
#define COMPLEX4(op, compute)                                                                                          \
    UPDATE(cmplx4_##op, Complex4, Complex4, forward, compute)                                                          \
    CAPTURE_BY_ADDRESS(cmplx4_##op##_cpt, Complex4, Complex4, forward, compute)                                        \
    UPDATE(cmplx4_##op##_cmplx8, Complex4, Complex8, forward, compute)
#define COMPLEX4_REVERSE(op, compute)                                                                                  \
    UPDATE(cmplx4_##op##_rev, Complex4, Complex4, reverse, compute)                                                    \
    CAPTURE_BY_ADDRESS(cmplx4_##op##_cpt_rev, Complex4, Complex4, reverse, compute)
COMPLEX4(add, add)
COMPLEX4(sub, sub)
COMPLEX4(mul, mul)
COMPLEX4(div, quotient)
COMPLEX4_REVERSE(sub, sub)
COMPLEX4_REVERSE(div, quotient)
ACCESS(cmplx4, Complex4)
TEFF_EXPORT void __kmpc_atomic_cmplx4_swp(Ident*, int, Complex4* at, Complex4 value, Complex4* before) {
    *before = change(at, TEFF_SITE, [value](Complex4) { return value; }).before;
}

#define COMPLEX(type, T)                                                                                               \
    ARITHMETIC(type, T)                                                                                                \
    ACCESS(type, T)                                                                                                    \
    SWAP(type, T)
COMPLEX(cmplx8, Complex8)

#if defined(__x86_64__) // of Intel's compilers, there are none for other machines

using Float10 = long double;
using Float16 = __float128;
using Complex10 = _Complex long double;
using Complex16 __attribute__((mode(TC))) = _Complex float;
REAL(float10, Float10)
REAL(float16, Float16)
COMPLEX(cmplx10, Complex10)
COMPLEX(cmplx16, Complex16)

#define WITH_FLOAT16(type, T, op, compute)                                                                             \
    UPDATE(type##_##op##_fp, T, Float16, forward, compute)                                                             \
    CAPTURE(type##_##op##_cpt_fp, T, Float16, forward, compute)
#define WITH_FLOAT16_REVERSE(type, T, op, compute)                                                                     \
    UPDATE(type##_##op##_rev_fp, T, Float16, reverse, compute)                                                         \
    CAPTURE(type##_##op##_cpt_rev_fp, T, Float16, reverse, compute)
#define FLOAT16(type, T)                                                                                               \
    WITH_FLOAT16(type, T, add, add)                                                                                    \
    WITH_FLOAT16(type, T, sub, sub)                                                                                    \
    WITH_FLOAT16(type, T, mul, mul)                                                                                    \
    WITH_FLOAT16(type, T, div, quotient)                                                                               \
    WITH_FLOAT16_REVERSE(type, T, sub, sub)                                                                            \
    WITH_FLOAT16_REVERSE(type, T, div, quotient)
FLOAT16(fixed1, std::int8_t)
FLOAT16(fixed1u, std::uint8_t)
FLOAT16(fixed2, std::int16_t)
FLOAT16(fixed2u, std::uint16_t)
FLOAT16(fixed4, std::int32_t)
FLOAT16(fixed4u, std::uint32_t)
FLOAT16(fixed8, std::int64_t)
FLOAT16(fixed8u, std::uint64_t)
FLOAT16(float4, float)
FLOAT16(float8, double)
FLOAT16(float10, Float10)

#endif

// Compare and swap. The functions bool_* return whether they changed the variable, val_* what it
// was. Those with _cpt also store the value: bool_* if nothing changed, val_* that from afterwards.
#define COMPARE_AND_SWAP(bytes, T)                                                                                     \
    TEFF_EXPORT bool __kmpc_atomic_bool_##bytes##_cas(Ident*, int, T* at, T expected, T wanted) {                      \
        return exchange(at, &expected, wanted);                                                                        \
    }                                                                                                                  \
    TEFF_EXPORT T __kmpc_atomic_val_##bytes##_cas(Ident*, int, T* at, T expected, T wanted) {                          \
        (void)exchange(at, &expected, wanted);                                                                         \
        return expected;                                                                                               \
    }                                                                                                                  \
    TEFF_EXPORT bool __kmpc_atomic_bool_##bytes##_cas_cpt(Ident*, int, T* at, T expected, T wanted, T* captured) {     \
        const bool changed = exchange(at, &expected, wanted);                                                          \
        if (!changed) *captured = expected;                                                                            \
        return changed;                                                                                                \
    }                                                                                                                  \
    TEFF_EXPORT T __kmpc_atomic_val_##bytes##_cas_cpt(Ident*, int, T* at, T expected, T wanted, T* captured) {         \
        *captured = exchange(at, &expected, wanted) ? wanted : expected;                                               \
        return expected;                                                                                               \
    }
COMPARE_AND_SWAP(1, std::int8_t)
COMPARE_AND_SWAP(2, std::int16_t)
COMPARE_AND_SWAP(4, std::int32_t)
COMPARE_AND_SWAP(8, std::int64_t)

// Operations that the compiler passes: compute(result, variable, value).
using Compute = void (*)(void* result, void* variable, void* value);
#define COMPUTED(bytes, T)                                                                                             \
    TEFF_EXPORT void __kmpc_atomic_##bytes(Ident*, int, void* at, void* value, Compute compute) {                      \
        (void)change(static_cast<T*>(at), TEFF_SITE, [value, compute](T before) {                                      \
            T after;                                                                                                   \
            compute(&after, &before, value);                                                                           \
            return after;                                                                                              \
        });                                                                                                            \
    }
#define COMPUTED_UNDER_LOCK(bytes)                                                                                     \
    TEFF_EXPORT void __kmpc_atomic_##bytes(Ident*, int, void* at, void* value, Compute compute) {                      \
        abi::lock(sync::atomic_lock, MutexKind::kAtomic, TEFF_SITE);                                                   \
        compute(at, at, value);                                                                                        \
        abi::unlock(sync::atomic_lock, MutexKind::kAtomic, TEFF_SITE);                                                 \
    }
COMPUTED(1, std::uint8_t)
COMPUTED(2, std::uint16_t)
COMPUTED(4, std::uint32_t)
COMPUTED(8, std::uint64_t)
COMPUTED_UNDER_LOCK(10)
COMPUTED_UNDER_LOCK(16)
COMPUTED_UNDER_LOCK(20)
COMPUTED_UNDER_LOCK(32)

TEFF_EXPORT void __kmpc_atomic_start() { abi::lock(sync::atomic_lock, MutexKind::kAtomic, TEFF_SITE); }
TEFF_EXPORT void __kmpc_atomic_end() { abi::unlock(sync::atomic_lock, MutexKind::kAtomic, TEFF_SITE); }
