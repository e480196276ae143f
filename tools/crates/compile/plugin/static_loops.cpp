// SPDX-License-Identifier: Apache-2.0
//
// A plugin for GCC that makes the chunks of static loops visible. `teff cc` builds it for the GCC
// in use, and passes it to that GCC.
//
// GCC compiles the division of a static loop into the program, so the runtime sees no chunk. But
// libgomp has functions for static loops, GOMP_loop_static_start and others, which give each thread
// the same iterations. GCC itself never calls them. This plugin makes GCC call them, in two steps
// for each function of the program:
//
// 1. Before the pass "omplower", each static loop becomes schedule(monotonic: dynamic). So GCC
//    makes calls of GOMP_loop_dynamic_start and _next for it. A loop without a chunk size gets the
//    chunk size 0, which libgomp's static functions take for "one chunk for each thread".
// 2. After the pass "ompexp", these calls become calls of the static functions. They are in the
//    function itself and in those into which GCC has moved the bodies of its parallel regions.
//
// GCC makes the same calls for a few loops that are really dynamic (is_like_a_changed_loop). A
// function with such a loop stays as it is. Loops also stay as they are if GCC can compile them
// with a static schedule only.
//
// Everything here runs in the compiler's only thread. GCC compiles one function from step 1 to step
// 2 before it begins with the next, so one variable says whether step 2 has anything to do.
#include "gcc-plugin.h"

#include "plugin-version.h"

#include "tree.h"

#include "basic-block.h"
#include "cgraph.h"
#include "context.h"
#include "function.h"
#include "gimple.h"

#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gomp-constants.h"
#include "omp-general.h"
#include "tree-pass.h"

int plugin_is_GPL_compatible; // GCC asks for this symbol; the licence is in the first line

namespace {

bool function_has_changed_loops = false; // from step 1 of a function to its step 2

const int schedule_kinds = OMP_CLAUSE_SCHEDULE_MASK;

// Returns the loop if the statement is a work-sharing loop of OpenMP, else nullptr.
gomp_for* work_sharing_loop(gimple* statement) {
    gomp_for* loop = dyn_cast<gomp_for*>(statement);
    return loop != nullptr && gimple_omp_for_kind(loop) == GF_OMP_FOR_KIND_FOR ? loop : nullptr;
}

tree clause_of(const gomp_for* loop, omp_clause_code code) {
    return omp_find_clause(gimple_omp_for_clauses(loop), code);
}

int schedule_of(const gomp_for* loop) {
    const tree clause = clause_of(loop, OMP_CLAUSE_SCHEDULE);
    return clause == NULL_TREE ? int(OMP_CLAUSE_SCHEDULE_STATIC) : int(OMP_CLAUSE_SCHEDULE_KIND(clause));
}

bool has_conditional_lastprivate(const gomp_for* loop) {
    for (tree clause = gimple_omp_for_clauses(loop); clause != NULL_TREE; clause = OMP_CLAUSE_CHAIN(clause))
        if (OMP_CLAUSE_CODE(clause) == OMP_CLAUSE_LASTPRIVATE && OMP_CLAUSE_LASTPRIVATE_CONDITIONAL(clause))
            return true;
    return false;
}

// For dynamic loops with an ordered clause, GCC calls GOMP_loop_dynamic_next if the clause has a
// number (doacross).
bool is_like_a_changed_loop(const gomp_for* loop) {
    const int schedule = schedule_of(loop);
    if ((schedule & schedule_kinds) != OMP_CLAUSE_SCHEDULE_DYNAMIC) return false;
    return (schedule & OMP_CLAUSE_SCHEDULE_MONOTONIC) != 0 || has_conditional_lastprivate(loop) ||
           clause_of(loop, OMP_CLAUSE_ORDERED) != NULL_TREE;
}

// The two loops of an inclusive or exclusive scan rely on the same division among the threads.
bool has_scan(const gomp_for* loop) {
    for (tree clause = gimple_omp_for_clauses(loop); clause != NULL_TREE; clause = OMP_CLAUSE_CHAIN(clause))
        if (OMP_CLAUSE_CODE(clause) == OMP_CLAUSE_REDUCTION && OMP_CLAUSE_REDUCTION_INSCAN(clause)) return true;
    return false;
}

// If a loop has both a linear clause and a reduction with the modifier "task", GCC itself compiles
// it wrongly with other schedules: the linear variable begins at 0.
bool loses_linear_start(const gomp_for* loop) {
    if (clause_of(loop, OMP_CLAUSE_LINEAR) == NULL_TREE) return false;
    for (tree clause = gimple_omp_for_clauses(loop); clause != NULL_TREE; clause = OMP_CLAUSE_CHAIN(clause))
        if (OMP_CLAUSE_CODE(clause) == OMP_CLAUSE_REDUCTION && OMP_CLAUSE_REDUCTION_TASK(clause)) return true;
    return false;
}

// In a loop that is not rectangular, an inner loop's bound is a vector that names an outer
// variable.
bool is_rectangular(const gomp_for* loop) {
    for (size_t i = 1; i < gimple_omp_for_collapse(loop); ++i)
        if (TREE_CODE(gimple_omp_for_initial(loop, i)) == TREE_VEC ||
            TREE_CODE(gimple_omp_for_final(loop, i)) == TREE_VEC)
            return false;
    return true;
}

bool counts_up(const gomp_for* loop) {
    const tree_code condition = gimple_omp_for_cond(loop, 0);
    if (condition != NE_EXPR) return condition == LT_EXPR || condition == LE_EXPR;
    const tree step = omp_get_for_step_from_incr(gimple_location(loop), gimple_omp_for_incr(loop, 0));
    return integer_onep(step); // with !=, the step is 1 or -1
}

// GCC itself compiles a dynamic loop that counts an unsigned variable of less than 64 bits down as
// if the step were a large positive number: the loop has no iteration. Collapsed loops count up.
bool counts_wrongly(const gomp_for* loop) {
    const tree type = TREE_TYPE(gimple_omp_for_index(loop, 0));
    if (gimple_omp_for_collapse(loop) != 1 || !TYPE_UNSIGNED(type)) return false;
    return TYPE_PRECISION(type) < TYPE_PRECISION(long_integer_type_node) && !counts_up(loop);
}

bool can_be_changed(const gomp_for* loop) {
    const int kind = schedule_of(loop) & schedule_kinds;
    if (kind != OMP_CLAUSE_SCHEDULE_STATIC && kind != OMP_CLAUSE_SCHEDULE_AUTO) return false;
    return clause_of(loop, OMP_CLAUSE_ORDERED) == NULL_TREE && !has_scan(loop) && is_rectangular(loop) &&
           !counts_wrongly(loop) && !loses_linear_start(loop);
}

// GCC 12 and later make a loop with order(concurrent), and the construct "loop", static once more
// if the order of its iterations is to be reproducible. In the end the changed loop is
// reproducible.
void allow_other_orders(const gomp_for* loop) {
#ifdef OMP_CLAUSE_ORDER_UNCONSTRAINED
    const tree clause = clause_of(loop, OMP_CLAUSE_ORDER);
    if (clause == NULL_TREE) return;
    OMP_CLAUSE_ORDER_UNCONSTRAINED(clause) = 1;
    OMP_CLAUSE_ORDER_REPRODUCIBLE(clause) = 0;
#else
    (void)loop;
#endif
}

void change_schedule(gomp_for* loop) {
    tree clause = clause_of(loop, OMP_CLAUSE_SCHEDULE);
    if (clause == NULL_TREE) {
        clause = build_omp_clause(gimple_location(loop), OMP_CLAUSE_SCHEDULE);
        OMP_CLAUSE_CHAIN(clause) = gimple_omp_for_clauses(loop);
        gimple_omp_for_set_clauses(loop, clause);
    }
    OMP_CLAUSE_SCHEDULE_KIND(clause) =
        omp_clause_schedule_kind(OMP_CLAUSE_SCHEDULE_DYNAMIC | OMP_CLAUSE_SCHEDULE_MONOTONIC);
    if (OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(clause) == NULL_TREE)
        OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(clause) = build_int_cst(long_integer_type_node, 0);
    allow_other_orders(loop);
}

struct Loops {
    auto_vec<gomp_for*> to_change;
    bool one_is_like_them = false;
};

tree find_loops(gimple_stmt_iterator* place, bool* handled, walk_stmt_info* walk) {
    *handled = false; // the statements inside are visited too
    gomp_for* loop = work_sharing_loop(gsi_stmt(*place));
    if (loop == nullptr) return NULL_TREE;
    Loops& loops = *static_cast<Loops*>(walk->info);
    if (is_like_a_changed_loop(loop)) loops.one_is_like_them = true;
    if (can_be_changed(loop)) loops.to_change.safe_push(loop);
    return NULL_TREE;
}

unsigned change_loops(function* whole) {
    Loops loops;
    walk_stmt_info walk;
    memset(&walk, 0, sizeof walk);
    walk.info = &loops;
    walk_gimple_seq(gimple_body(whole->decl), find_loops, nullptr, &walk);
    function_has_changed_loops = !loops.one_is_like_them && !loops.to_change.is_empty();
    if (!function_has_changed_loops) return 0;
    for (gomp_for* loop : loops.to_change)
        change_schedule(loop);
    return 0;
}

const struct {
    built_in_function dynamic_one, static_one;
} functions[] = {
    {BUILT_IN_GOMP_LOOP_DYNAMIC_START, BUILT_IN_GOMP_LOOP_STATIC_START},
    {BUILT_IN_GOMP_LOOP_DYNAMIC_NEXT, BUILT_IN_GOMP_LOOP_STATIC_NEXT},
    {BUILT_IN_GOMP_LOOP_ULL_DYNAMIC_START, BUILT_IN_GOMP_LOOP_ULL_STATIC_START},
    {BUILT_IN_GOMP_LOOP_ULL_DYNAMIC_NEXT, BUILT_IN_GOMP_LOOP_ULL_STATIC_NEXT},
    {BUILT_IN_GOMP_PARALLEL_LOOP_DYNAMIC, BUILT_IN_GOMP_PARALLEL_LOOP_STATIC},
};

// Returns END_BUILTINS if the call is of another function.
built_in_function static_counterpart(const gcall* call) {
    for (const auto& pair : functions)
        if (gimple_call_builtin_p(call, pair.dynamic_one)) return pair.static_one;
    return END_BUILTINS;
}

// GOMP_loop_start, for loops with task reductions and others, has the schedule as an argument.
void change_argument(gcall* call) {
    const unsigned schedule_argument = 3 + gimple_call_builtin_p(call, BUILT_IN_GOMP_LOOP_ULL_START); // `up` is first
    const HOST_WIDE_INT monotonic = HOST_WIDE_INT_1 << 31;
    const tree schedule = gimple_call_arg(call, schedule_argument);
    if (tree_fits_uhwi_p(schedule) && tree_to_uhwi(schedule) == (unsigned HOST_WIDE_INT)(monotonic + 2))
        gimple_call_set_arg(call, schedule_argument, build_int_cst(TREE_TYPE(schedule), monotonic + 1));
}

// Returns the place in the source of the nearest statement before this one that has any.
location_t location_before(gimple_stmt_iterator place) {
    constexpr int most_blocks = 32;
    basic_block block = gsi_bb(place);
    for (int i = 0; i < most_blocks; ++i) {
        for (; !gsi_end_p(place); gsi_prev(&place))
            if (gimple_has_location(gsi_stmt(place))) return gimple_location(gsi_stmt(place));
        if (!single_pred_p(block)) break;
        block = single_pred(block);
        place = gsi_last_bb(block);
    }
    return UNKNOWN_LOCATION;
}

// GCC gives the calls of the runtime no place in the source. With optimisation they would get that
// of any instruction before them, and recordings would have the wrong line.
void change_call(gcall* call, gimple_stmt_iterator place) {
    const bool has_schedule = gimple_call_builtin_p(call, BUILT_IN_GOMP_LOOP_START) ||
                              gimple_call_builtin_p(call, BUILT_IN_GOMP_LOOP_ULL_START);
    if (has_schedule) change_argument(call);
    const built_in_function other = static_counterpart(call);
    if (other != END_BUILTINS) gimple_call_set_fndecl(call, builtin_decl_explicit(other));
    if ((has_schedule || other != END_BUILTINS) && !gimple_has_location(call))
        gimple_set_location(call, location_before(place));
}

bool is_body_of_construct(tree decl) {
    if (TREE_CODE(decl) != FUNCTION_DECL || !DECL_ARTIFICIAL(decl)) return false;
    const function* body = DECL_STRUCT_FUNCTION(decl);
    return body != nullptr && body->cfg != nullptr && strstr(IDENTIFIER_POINTER(DECL_NAME(decl)), "_omp_fn") != nullptr;
}

// Adds the functions whose addresses the call passes, and that "ompexp" has made.
void add_bodies(const gcall* call, hash_set<tree>& seen, vec<tree>& bodies) {
    for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
        const tree argument = gimple_call_arg(call, i);
        if (TREE_CODE(argument) != ADDR_EXPR) continue;
        const tree decl = TREE_OPERAND(argument, 0);
        if (is_body_of_construct(decl) && !seen.add(decl)) bodies.safe_push(decl);
    }
}

void change_calls_in(function* body, hash_set<tree>& seen, vec<tree>& bodies) {
    basic_block block;
    FOR_EACH_BB_FN(block, body) {
        for (gimple_stmt_iterator place = gsi_start_bb(block); !gsi_end_p(place); gsi_next(&place)) {
            gcall* call = dyn_cast<gcall*>(gsi_stmt(place));
            if (call == nullptr) continue;
            change_call(call, place);
            add_bodies(call, seen, bodies);
        }
    }
}

unsigned change_calls(function* whole) {
    if (!function_has_changed_loops) return 0;
    function_has_changed_loops = false;
    hash_set<tree> seen;
    auto_vec<tree> bodies;
    change_calls_in(whole, seen, bodies);
    while (!bodies.is_empty()) {
        const tree decl = bodies.pop();
        push_cfun(DECL_STRUCT_FUNCTION(decl));
        change_calls_in(cfun, seen, bodies);
        cgraph_edge::rebuild_edges(); // "ompexp" has recorded the calls; those of the whole function come later
        pop_cfun();
    }
    return 0;
}

using Step = unsigned (*)(function*);

class Pass final : public gimple_opt_pass {
  public:
    Pass(const pass_data& data, Step step) : gimple_opt_pass(data, g), step(step) {}
    bool gate(function*) final override { return flag_openmp != 0; }
    unsigned int execute(function* whole) final override { return step(whole); }

  private:
    const Step step;
};

const pass_data first_data = {GIMPLE_PASS, "teff_static_loops", OPTGROUP_OMP, TV_NONE, PROP_gimple_any, 0, 0, 0, 0};
const pass_data second_data = {GIMPLE_PASS, "teff_static_calls", OPTGROUP_OMP, TV_NONE, PROP_gimple_eomp, 0, 0, 0, 0};

void insert(const char* plugin, gimple_opt_pass* pass, pass_positioning_ops where, const char* other) {
    register_pass_info info;
    info.pass = pass;
    info.reference_pass_name = other;
    info.ref_pass_instance_number = 1;
    info.pos_op = where;
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

} // namespace

int plugin_init(plugin_name_args* plugin, plugin_gcc_version* version) {
    if (!plugin_default_version_check(version, &gcc_version)) return 1;
    insert(plugin->base_name, new Pass(first_data, change_loops), PASS_POS_INSERT_BEFORE, "omplower");
    insert(plugin->base_name, new Pass(second_data, change_calls), PASS_POS_INSERT_AFTER, "ompexp");
    return 0;
}
