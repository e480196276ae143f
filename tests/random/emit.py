# SPDX-License-Identifier: Apache-2.0
"""Writes a random program as C, for a bug report: each node as its directive.

The C program counts how often each node runs, as the interpreter does, and compares these counts at
its end. The interpreter also checks waits, the order of dependences, and exclusion. A failure of
these checks shows in the C program only if it changes a count. Dependences name cells of the task
that creates; the cells are an array in its scope.
"""

from tree import DEPENDENCES

HEADER = """// A random OpenMP program. gcc -O2 -fopenmp FILE -o program
// Settings: OMP_NUM_THREADS=2 OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=8
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long ran[%(count)d];
static omp_lock_t locks[4];
static omp_nest_lock_t nests[4];

static void count(int node) { __atomic_fetch_add(&ran[node], 1, __ATOMIC_RELAXED); }
static void work(long n) { for (volatile long i = 0; i < n; i++) {} }
static void* fulfil_soon(void* event) { omp_fulfill_event((omp_event_handle_t)event); return NULL; }
static void fulfil_elsewhere(omp_event_handle_t event) {
    pthread_t thread;
    pthread_create(&thread, NULL, fulfil_soon, (void*)event);
    pthread_detach(thread);
}
// The kind inoutset, which compilers before GCC 13 do not know.
static void make_inoutset(omp_depend_t* object) { ((void**)object)[1] = (void*)5; }
"""

SCHEDULES = ("static", "static, {chunk}", "dynamic, {chunk}", "guided, {chunk}", "runtime", "auto",
             "monotonic : dynamic, {chunk}", "nonmonotonic : dynamic, {chunk}")
RUNTIME_SCHEDULES = ("omp_sched_static", "omp_sched_dynamic", "omp_sched_guided", "omp_sched_auto",
                     "(omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic)")
CRITICALS = ("", "(first)", "(second)", "(third)")
CLAUSE_NAMES = {"in": "in", "out": "out", "inout": "inout", "mutex": "mutexinoutset"}
CELLS = 8


class Emitter:
    def __init__(self, root):
        self.root = root
        self.ids = {id(node): index for index, node in enumerate(root.walk())}
        self.functions = []
        self.lines = []
        self.indent = 1

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def open(self, text="{"):
        self.line(text)
        self.indent += 1

    def close(self):
        self.indent -= 1
        self.line("}")

    def pragma(self, text):
        self.line("#pragma omp " + " ".join(text.split()))

    def count(self, node):
        self.line(f"count({self.ids[id(node)]});")

    # `frame` is what the nodes of one task share: the variables of its reductions, and what may
    # cancel it.
    def children(self, node, frame):
        for child in node.children:
            self.node(child, frame)

    def node(self, node, frame):
        getattr(self, node.kind, self.simple)(node, frame)

    def own_scope(self, node, frame):
        """The body of a task or an iteration: cells of its own, if its children need some."""
        self.open()
        if any(has_dependences(one) for one in tasks_of(node)):
            self.line(f"char cells[{CELLS}];")
            self.line("(void)cells;")
        self.count(node)
        self.children(node, frame)
        self.close()

    # ---- simple ones ----

    def simple(self, node, _frame):
        self.count(node)
        text = {"work": f"work({node.get('n')});", "pause": f"usleep({node.get('us')});",
                "release": "omp_pause_resource_all(omp_pause_soft);"}.get(node.kind)
        if text:
            self.line(text)
        else:
            self.pragma(node.kind)

    def taskwait(self, node, _frame):
        self.count(node)
        self.pragma("taskwait " + depend_clauses(node))

    def atomic(self, node, _frame):
        number = self.ids[id(node)]
        wide = node.get("how") == 3
        self.count(node)
        self.functions.append(f"static {'long double' if wide else 'long'} sum{number};")
        if node.get("how") == 1:
            self.open("{ long seen;")
            self.pragma("atomic capture")
            self.line(f"seen = ++sum{number};")
            self.line("(void)seen;")
            self.close()
            return
        self.pragma("atomic" + (" seq_cst" if node.get("how") == 2 else ""))
        self.line(f"sum{number} += 1;")

    def repeat(self, node, frame):
        number = self.ids[id(node)]
        self.open(f"for (int r{number} = 0; r{number} < {node.get('n')}; r{number}++) {{")
        self.count(node)
        self.children(node, frame)
        self.close()

    def critical(self, node, frame):
        self.pragma("critical" + CRITICALS[node.get("name") % 4])
        self.open()
        self.count(node)
        self.children(node, frame)
        self.close()

    def lock(self, node, frame):
        name = node.get("name") % 4
        nest = node.get("how") == 2
        take = f"omp_set_nest_lock(&nests[{name}]);" if nest else f"omp_set_lock(&locks[{name}]);"
        if node.get("how") == 1:
            take = f"if (!omp_test_lock(&locks[{name}])) {take}"
        for _ in range(1 + nest):
            self.line(take)
        self.count(node)
        self.children(node, frame)
        for _ in range(1 + nest):
            self.line(take.replace("_set_", "_unset_") if nest else f"omp_unset_lock(&locks[{name}]);")

    # ---- tasks ----

    def task(self, node, frame):
        frame = dict(frame)
        clauses, objects = "untied " * (node.get("untied") != 0), depend_objects(node)
        reduces = node.get("reduce") and frame.get("sum") and not node.get("cancel")
        detach = node.get("detach") if detaches(node, frame) and not reduces else 0
        has_depends = not reduces and not node.get("cancel") and (detach or not node.get("bytes"))
        self.open()
        if has_depends and objects:
            # Not an array, because GCC 12 would read its element as an array section.
            for index, (kind, cell) in enumerate(objects):
                self.line(f"omp_depend_t object{index};")
                self.pragma(f"depobj(object{index}) depend({CLAUSE_NAMES.get(kind, 'inout')} : cells[{cell}])")
                if kind == "set":
                    self.line(f"make_inoutset(&object{index});")
        if detach == 3 and node.get("undeferred"):
            detach = 1
        if detach:
            self.line("omp_event_handle_t event;")
            clauses += "detach(event) "
        clauses += flag_clauses(node, detach)
        if has_depends:
            clauses += " " + depend_clauses(node)
        if reduces:
            clauses += f" in_reduction(+ : {frame['sum']})"
        if node.get("bytes") and not (detach or reduces or node.get("cancel")):
            self.line("struct { char bytes[512]; } payload;")
            self.line("memset(&payload, 1, sizeof payload);")
            clauses += " firstprivate(payload)"
        self.pragma("task " + clauses)
        self.task_body(node, {**frame, "final": frame.get("final") or node.get("final")}, detach, reduces)
        if detach == 3:
            self.pragma("task firstprivate(event)")
            self.line("omp_fulfill_event(event);")
        for index in range(len(objects) if has_depends else 0):
            self.pragma(f"depobj(object{index}) destroy")
        self.close()

    def task_body(self, node, frame, detach, reduces):
        self.open()
        if detach == 1:
            self.line("omp_fulfill_event(event);")
        if detach == 2:
            self.pragma("task firstprivate(event)")
            self.line("omp_fulfill_event(event);")
        if detach == 4:
            self.line("fulfil_elsewhere(event);")
        if reduces:
            self.line(f"{frame['sum']} += 2;")
        self.own_scope(node, {**frame, "sum": None} if reduces else frame)
        if node.get("cancel") and frame.get("loose") and frame.get("group"):
            self.pragma("cancel taskgroup")
        self.close()

    def tree(self, node, frame):
        """A function that creates the tree's task of one level and, inside it, those of the levels below."""
        name = f"tree{self.ids[id(node)]}"
        outer, self.lines, indent, self.indent = self.lines, [], self.indent, 1
        untied = node.get("untied")
        self.line(f"int undeferred = depth < {node.get('undeferred')}, last = depth < {node.get('final')};")
        self.line("(void)undeferred; (void)last;")
        flags = ""
        if any(node.get(flag) for flag in ("final", "undeferred", "priority", "mergeable")):
            flags = f"if (!undeferred) final(last) priority({node.get('priority')})"
        flags += " mergeable" * (node.get("mergeable") != 0)
        if untied == 2:
            self.open("if (depth % 2) {")
        for tie in {0: [""], 1: ["untied "], 2: ["untied ", ""]}[untied]:
            self.pragma(f"task {tie}{flags}")
            self.open()
            self.own_scope(node, {"final": frame.get("final"), "loose": frame.get("loose")})
            self.branches(node, name)
            self.close()
            if tie and untied == 2:
                self.close()
                self.open("else {")
        if untied == 2:
            self.close()
        self.functions += [f"static void {name}(int depth) {{", *self.lines, "}"]
        self.lines, self.indent = outer, indent
        self.line(f"{name}({node.get('depth')});")

    def branches(self, node, name):
        self.open("if (depth > 0) {")
        if node.get("wait") == 2:
            self.pragma("taskgroup")
            self.open()
        self.line(f"for (int i = 0; i < {node.get('fan')}; i++) {name}(depth - 1);")
        if node.get("yield"):
            self.pragma("taskyield")
        if node.get("wait") == 1:
            self.pragma("taskwait")
        if node.get("wait") == 2:
            self.close()
        self.close()

    def taskgroup(self, node, frame):
        self.count(node)
        frame = {**frame, "group": True, "loose": frame.get("loose") or bool(node.get("cancel"))}
        self.open()
        clause = ""
        if node.get("reduce"):
            frame["sum"] = f"sum{self.ids[id(node)]}"
            self.line(f"long {frame['sum']} = 0;")
            clause = f" task_reduction(+ : {frame['sum']})"
        self.pragma("taskgroup" + clause)
        self.open()
        self.children(node, frame)
        self.close()
        self.close()

    def taskloop(self, node, frame):
        number, clauses = self.ids[id(node)], ""
        self.open()
        if node.get("reduce"):
            self.line(f"long sum{number} = 0;")
            clauses = f"grainsize({node.get('grain') or 1}) reduction(+ : sum{number})"
        else:
            clauses = "untied " * (node.get("untied") != 0) + flag_clauses(node, 0)
            if node.get("grain"):
                clauses += f" grainsize({node.get('grain')})"
            elif node.get("tasks"):
                clauses += f" num_tasks({node.get('tasks')})"
            clauses += " nogroup" * node.get("nogroup")
        self.pragma("taskloop " + clauses)
        self.open(f"for (long i{number} = 0; i{number} < {node.get('n')}; i{number}++) {{")
        if node.get("reduce"):
            self.line(f"sum{number} += i{number};")
        self.own_scope(node, {**frame, "sum": None, "final": frame.get("final") or node.get("final")})
        self.close()
        self.close()

    # ---- worksharing ----

    def schedule(self, node):
        if node.get("schedule") == 4:
            self.line(f"omp_set_schedule({RUNTIME_SCHEDULES[node.get('how') % 5]}, {node.get('chunk')});")
        text = SCHEDULES[7 if node.get("schedule") > 6 else node.get("schedule")]
        if node.get("ordered") or node.kind == "doacross":
            text = text.replace("nonmonotonic : ", "")
        return f"schedule({text.format(chunk=node.get('chunk') or 1)})"

    def loop(self, node, frame):
        number = self.ids[id(node)]
        plain = not (node.get("cancel") or node.get("ordered") or node.get("reduce"))
        clauses = self.schedule(node)
        if plain and node.get("type") == 2:
            dynamic = f"dynamic, {node.get('chunk') or 1}"
            clauses = f"collapse(2) schedule({dynamic if node.get('schedule') else 'static'})"
        elif node.get("nowait") and not node.get("cancel") and node.get("reduce") != 2:
            clauses += " nowait"
        clauses += " ordered" * bool(node.get("ordered") and not node.get("cancel"))
        if node.get("reduce") and not (node.get("cancel") or node.get("ordered")):
            # The variable of a reduction must be shared. Nobody reads this one.
            self.functions.append(f"static long sum{number};")
            clauses += f" reduction({'task, ' * (node.get('reduce') == 2)}+ : sum{number})"
            frame = {**frame, "sum": f"sum{number}" if node.get("reduce") == 2 else None}
        self.pragma("for " + clauses)
        kind = "unsigned long long" if node.get("type") == 1 else "long"
        n = node.get("n")
        if plain and node.get("type") == 2:
            self.line(f"for (long i{number} = 0; i{number} < {n // 4}; i{number}++)")
            self.open(f"for (int j{number} = 0; j{number} < 4; j{number}++) {{")
        else:
            self.open(f"for ({kind} i{number} = 0; i{number} < {n}; i{number}++) {{")
        self.loop_body(node, frame, number)
        self.close()

    def loop_body(self, node, frame, number):
        if node.get("cancel"):
            self.pragma("cancellation point for")
        if node.get("ordered") and not node.get("cancel"):
            self.count(node)
            if node.get("ordered") == 1:
                self.children(node, frame)
            self.pragma("ordered")
            self.open()
            if node.get("ordered") == 2:
                self.children(node, frame)
            self.close()
            return
        self.count(node)
        self.children(node, frame)
        if node.get("cancel"):
            self.open(f"if ((long)i{number} == {node.get('cancel') - 1}) {{")
            self.pragma("cancel for")
            self.close()

    def doacross(self, node, frame):
        number = self.ids[id(node)]
        self.pragma(f"for {self.schedule(node)} ordered(1)")
        self.open(f"for (long i{number} = 0; i{number} < {node.get('n')}; i{number}++) {{")
        self.count(node)
        if node.get("ordered") != 2:
            self.children(node, frame)
        self.pragma(f"ordered depend(sink : i{number} - {3 if node.get('depth') == 3 else 1})")
        if node.get("ordered") == 2:
            self.children(node, frame)
        self.pragma("ordered depend(source)")
        self.close()

    def sections(self, node, frame):
        self.pragma("sections" + " nowait" * (node.get("nowait") != 0))
        self.open()
        for child in node.children:
            self.pragma("section")
            self.open()
            self.count(node)
            self.children(child, frame)
            self.count(child)
            self.close()
        self.close()

    def block(self, node, frame, text):
        self.pragma(text)
        self.open()
        self.count(node)
        self.children(node, frame)
        self.close()

    def single(self, node, frame):
        self.block(node, frame, "single" + " nowait" * (node.get("nowait") != 0))

    def master(self, node, frame):
        self.block(node, frame, "master")

    def masked(self, node, frame):
        self.block(node, frame, f"masked filter({node.get('n')})")

    # ---- regions ----

    def parallel(self, node, _frame):
        number, size = self.ids[id(node)], node.get("size")
        frame = {"region": True, "loose": bool(node.get("cancel"))}
        threads = f" num_threads({size})" if size else ""
        self.open()
        if node.get("icv") and size and not (node.get("cancel") or node.get("reduce") or node.get("serial")):
            threads = ""
        if node.get("icv") and size:
            self.line("int before = omp_get_max_threads();")
            self.line(f"omp_set_num_threads({size});")
        if node.get("reduce") and not node.get("cancel"):
            self.line(f"long sum{number} = 0;")
            threads += f" reduction(task, + : sum{number})"
            frame["sum"] = f"sum{number}"
        elif node.get("serial") and not node.get("cancel"):
            threads += " if (0)"
        self.pragma("parallel" + threads)
        if node.get("cancel"):
            self.cancelled_body(node, frame)
        else:
            self.own_scope(node, frame)
        if node.get("icv") and size:
            self.line("omp_set_num_threads(before);")
        self.close()

    def cancelled_body(self, node, frame):
        half = len(node.children) // 2
        self.open()
        self.count(node)
        for child in node.children[:half]:
            self.node(child, frame)
        self.pragma("cancellation point parallel")
        self.open(f"if (omp_get_thread_num() == {node.get('cancel') - 1} % omp_get_num_threads()) {{")
        self.pragma("cancel parallel")
        self.close()
        for child in node.children[half:]:
            self.node(child, frame)
        self.close()

    def parfor(self, node, _frame):
        number, size = self.ids[id(node)], node.get("size")
        self.open()
        clauses = self.schedule(node) + (f" num_threads({size})" if size else "")
        self.pragma("parallel for " + clauses)
        self.open(f"for (long i{number} = 0; i{number} < {node.get('n')}; i{number}++) {{")
        self.own_scope(node, {"region": True})
        self.close()
        self.close()

    # ---- around regions ----

    def initial(self, node, name):
        """A function that does the content of a node, after the first steps of a thread."""
        outer, self.lines, indent, self.indent = self.lines, [], self.indent, 1
        self.line("omp_set_dynamic(0);")
        self.line("omp_set_max_active_levels(8);")
        self.line(f"char cells[{CELLS}];")
        self.line("(void)cells;")
        if node.kind != "fork":
            self.count(node)
        self.children(node, {})
        result = "" if node.kind != "threads" else "    return NULL;"
        head = f"static void {name}(void) {{"
        if node.kind == "threads":
            head = f"static void* {name}(void* none) {{\n    (void)none;"
        self.functions += [head, *self.lines, *([result] if result else []), "}"]
        self.lines, self.indent = outer, indent

    def threads(self, node, _frame):
        name, n = f"thread{self.ids[id(node)]}", min(node.get("n"), 8)
        self.initial(node, name)
        self.open()
        self.line(f"pthread_t threads[{n}];")
        self.line(f"for (int i = 0; i < {n}; i++) pthread_create(&threads[i], NULL, {name}, NULL);")
        self.line(f"for (int i = 0; i < {n}; i++) pthread_join(threads[i], NULL);")
        self.close()

    def fork(self, node, _frame):
        name = f"child{self.ids[id(node)]}"
        self.initial(node, name)
        self.count(node)
        self.open()
        self.line("pid_t child = fork();")
        self.line(f"if (child == 0) {{ {name}(); _exit(0); }}")
        self.line("int status = 0;")
        self.line("if (waitpid(child, &status, 0) != child || status != 0) exit(1);")
        self.close()

    def program(self):
        self.initial(self.root, "program")
        expected = f"{len(self.ids)}"
        ending = ["int main(void) {",
                  "    for (int i = 0; i < 4; i++) { omp_init_lock(&locks[i]); omp_init_nest_lock(&nests[i]); }",
                  "    program();",
                  f'    for (int i = 0; i < {expected}; i++) printf("count %d %ld\\n", i, ran[i]);',
                  '    printf("ok the counts are the program\'s result\\n");',
                  "    return 0;",
                  "}"]
        return "\n".join([HEADER % {"count": len(self.ids)}, *self.functions, *ending]) + "\n"


def tasks_of(node):
    """The nodes that the task of a node meets itself: those below it, except the ones inside other tasks."""
    for child in node.children:
        yield child
        if child.kind not in ("task", "tree", "taskloop", "parallel", "parfor", "threads", "fork"):
            yield from tasks_of(child)


def has_dependences(node):
    return any(node.get(kind) for kind in DEPENDENCES)


def cells_in(mask):
    return [cell for cell in range(CELLS) if mask >> cell & 1]


def depend_objects(node):
    """(kind, cell) of the dependences that are given by depend objects."""
    kinds = DEPENDENCES if node.get("depobj") else ("set",)
    return [(kind, cell) for kind in kinds for cell in cells_in(node.get(kind))]


def depend_clauses(node):
    clauses = []
    if not node.get("depobj") or node.kind == "taskwait":
        for kind, name in CLAUSE_NAMES.items():
            if node.get(kind):
                clauses.append(f"depend({name} : {', '.join(f'cells[{cell}]' for cell in cells_in(node.get(kind)))})")
    if node.kind == "task":
        clauses += [f"depend(depobj : object{index})" for index in range(len(depend_objects(node)))]
    return " ".join(clauses)


def flag_clauses(node, detach):
    clauses = []
    if node.get("undeferred"):
        clauses.append("if (0)")
    if node.get("final") and not detach:
        clauses.append("final(1)")
    if node.get("priority"):
        clauses.append(f"priority({node.get('priority')})")
    if node.get("mergeable") and not detach:
        clauses.append("mergeable")
    return " ".join(clauses)


def detaches(node, frame):
    return not (node.get("cancel") or node.get("final") or frame.get("final") or frame.get("loose"))


def emit(root):
    """The C source of a program."""
    return Emitter(root).program()
