# SPDX-License-Identifier: Apache-2.0
"""Writes a C program that calls the atomic operations __kmpc_atomic_* and judges each by the
expression that it stands for. The program prints what was wrong, and then `ok` or nothing."""

import re

TYPES = {
    "fixed1": "int8_t", "fixed1u": "uint8_t", "fixed2": "int16_t", "fixed2u": "uint16_t",
    "fixed4": "int32_t", "fixed4u": "uint32_t", "fixed8": "int64_t", "fixed8u": "uint64_t",
    "float4": "float", "float8": "double", "float10": "long double", "float16": "__float128",
    "cmplx4": "_Complex float", "cmplx8": "_Complex double",
    "cmplx10": "_Complex long double", "cmplx16": "_Complex _Float128",
}
EXPRESSIONS = {
    "add": "l + r", "sub": "l - r", "mul": "l * r", "div": "l / r", "andb": "l & r", "orb": "l | r", "xor": "l ^ r",
    "shl": "l << r", "shr": "l >> r", "andl": "l && r", "orl": "l || r", "eqv": "~(l ^ r)", "neqv": "l ^ r",
    "max": "l < r ? r : l", "min": "r < l ? r : l",
}
OTHERS = {"_fp": "float16", "_float8": "float8", "_cmplx8": "cmplx8"}
NAME = re.compile(rf"({'|'.join(TYPES)})_({'|'.join(EXPRESSIONS)}|rd|wr|swp)(_cpt)?(_rev)?({'|'.join(OTHERS)})?")
PAIRS = [(7, 3), (11, 9), (2, 5), (-7, 3)]

HEAD = """
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
static int wrong;
static void judge(bool good, const char* what) {
    if (good) return;
    printf("%s\\n", what);
    wrong++;
}
static void add_int(void* result, void* variable, void* value) { *(int*)result = *(int*)variable + *(int*)value; }
static void add_long_double(void* result, void* variable, void* value) {
    *(long double*)result = *(long double*)variable + *(long double*)value;
}
void __kmpc_atomic_4(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_10(void*, int, void*, void*, void (*)(void*, void*, void*));
int __kmpc_global_thread_num(void*);
#define ME __kmpc_global_thread_num(0)
void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
"""
CAS = """
bool __kmpc_atomic_bool_{bytes}_cas(void*, int, T*, T, T), __kmpc_atomic_bool_{bytes}_cas_cpt(void*, int, T*, T, T, T*);
T __kmpc_atomic_val_{bytes}_cas(void*, int, T*, T, T), __kmpc_atomic_val_{bytes}_cas_cpt(void*, int, T*, T, T, T*);
static void cas_{bytes}(void) {{
    T x = 5, seen = 1;
    judge(!__kmpc_atomic_bool_{bytes}_cas(0, ME, &x, 4, 9) && x == 5, "bool_{bytes}_cas, not equal");
    judge(__kmpc_atomic_bool_{bytes}_cas(0, ME, &x, 5, 9) && x == 9, "bool_{bytes}_cas, equal");
    judge(__kmpc_atomic_val_{bytes}_cas(0, ME, &x, 5, 6) == 9 && x == 9, "val_{bytes}_cas, not equal");
    judge(__kmpc_atomic_val_{bytes}_cas(0, ME, &x, 9, 6) == 9 && x == 6, "val_{bytes}_cas, equal");
    judge(!__kmpc_atomic_bool_{bytes}_cas_cpt(0, ME, &x, 5, 9, &seen) && x == 6 && seen == 6, "bool_{bytes}_cas_cpt, not equal");
    seen = 1;
    judge(__kmpc_atomic_bool_{bytes}_cas_cpt(0, ME, &x, 6, 9, &seen) && x == 9 && seen == 1, "bool_{bytes}_cas_cpt, equal");
    judge(__kmpc_atomic_val_{bytes}_cas_cpt(0, ME, &x, 1, 2, &seen) == 9 && x == 9 && seen == 9, "val_{bytes}_cas_cpt, not equal");
    judge(__kmpc_atomic_val_{bytes}_cas_cpt(0, ME, &x, 9, 2, &seen) == 9 && x == 2 && seen == 2, "val_{bytes}_cas_cpt, equal");
}}
"""


class Operation:
    """What a name says."""

    def __init__(self, name):
        match = NAME.fullmatch(name)
        self.known = match is not None
        if match:
            kind, self.operation, self.captures, self.reversed, other = match.groups()
            self.name = f"__kmpc_atomic_{name}"
            self.type = TYPES[kind]
            self.value_type = TYPES[OTHERS[other]] if other else self.type
            self.is_unsigned = kind.endswith("u")
            self.by_address = kind == "cmplx4" and (self.captures or self.operation == "swp")

    def declaration(self):
        if self.operation == "rd":
            return f"{self.type} {self.name}(void*, int, {self.type}*);"
        more = f", {self.type}*" if self.by_address else ""
        more += ", int" if self.captures else ""
        returns = self.captures or self.operation == "swp"
        result = self.type if returns and not self.by_address else "void"
        return f"{result} {self.name}(void*, int, {self.type}*, {self.value_type}{more});"

    def call(self, flag=None):
        if self.operation == "rd":
            return f"seen = {self.name}(0, ME, &x);"
        flag = f", {flag}" if self.captures else ""
        if self.by_address:
            return f"{self.name}(0, ME, &x, value, &seen{flag});"
        stores = "seen = " if self.captures or self.operation == "swp" else ""
        return f"{stores}{self.name}(0, ME, &x, value{flag});"

    def expression(self):
        """The variable's value afterwards, from `before` and `value`."""
        if self.operation in ("wr", "swp", "rd"):
            return "before" if self.operation == "rd" else "value"
        left, right = ("value", "before") if self.reversed else ("before", "value")
        words = {"l": left, "r": right}
        return re.sub(r"\b[lr]\b", lambda word: words[word[0]], EXPRESSIONS[self.operation])

    def allows(self, before, value):
        """Whether these values have a defined result."""
        if before < 0 and (self.is_unsigned or (self.reversed and self.operation in ("shl", "shr"))):
            return False
        is_mixed = self.is_unsigned and self.value_type != self.type
        return not is_mixed or self.operation != "sub" or (value >= before if self.reversed else before >= value)

    def checks(self):
        for before, value in PAIRS:
            if not self.allows(before, value):
                continue
            start = f"const {self.type} before = {before}; const {self.value_type} value = {value}; (void)value; "
            start += f"const {self.type} after = ({self.type})({self.expression()}); {self.type} x = before, seen = 0; (void)seen; "
            says = f'"{self.name} of {before} and {value}"'
            yield f"    {{ {start}{self.call(1)} judge(x == after, {says});"
            if self.captures:
                yield f"      judge(seen == after, {says} \", captured\"); x = before; {self.call(0)} judge(seen == before, {says} \", old\");"
            if self.operation in ("rd", "swp"):
                yield f"      judge(seen == before, {says} \", returned\");"
            yield "    }"

    def race(self):
        """Threads that add at once; only for plain additions."""
        if self.operation != "add" or self.captures:
            return
        yield f"    {{ {self.type} x = 0; const {self.value_type} value = 1;"
        yield "    #pragma omp parallel num_threads(4)"
        yield f"    for (int i = 0; i < 1000; i++) {self.name}(0, ME, &x, value);"
        yield f'      judge(x == ({self.type})4000, "{self.name} by four threads"); }}'


def program(names):
    """The source, and the names that it does not call. `names` come without __kmpc_atomic_."""
    operations = {name: Operation(name) for name in names}
    known = [operation for operation in operations.values() if operation.known]
    lines = [HEAD, *(operation.declaration() for operation in known)]
    for bytes_ in (1, 2, 4, 8):
        lines += [f"#define T int{8 * bytes_}_t", CAS.format(bytes=bytes_), "#undef T"]
    for number, operation in enumerate(known):
        lines += [f"static void f{number}(void) {{", *operation.checks(), *operation.race(), "}"]
    lines += ["int main(void) {", *(f"    f{number}();" for number in range(len(known)))]
    lines += [f"    cas_{bytes_}();" for bytes_ in (1, 2, 4, 8)]
    lines += ["""
    int number = 0, one = 1;
    long double large = 0, large_one = 1;
    long guarded = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 1000; i++) {
        __kmpc_atomic_4(0, ME, &number, &one, add_int);
        __kmpc_atomic_10(0, ME, &large, &large_one, add_long_double);
        __kmpc_atomic_start();
        guarded++;
        __kmpc_atomic_end();
    }
    judge(number == 4000, "__kmpc_atomic_4");
    judge(large == 4000, "__kmpc_atomic_10");
    judge(guarded == 4000, "__kmpc_atomic_start");
    if (wrong == 0) printf("ok\\n");
    return wrong != 0;
}"""]
    return "\n".join(lines) + "\n", [name for name, operation in operations.items() if not operation.known]
