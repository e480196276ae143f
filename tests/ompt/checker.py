# SPDX-License-Identifier: Apache-2.0
"""Follows the events of one process and reports where they contradict the specification.

Each event changes the model (model.py): the stack of tasks of each thread, the states of tasks, the
open scopes of each task. A complaint names the event. Faults that show only at the end (a task that
never completed, a scope that stayed open) are reported at the end.
"""

from loops import Loop
from model import EXPLICIT, IMPLICIT, INITIAL, Region, Task, Thread

KINDS = {"initial": INITIAL, "implicit": IMPLICIT, "explicit": EXPLICIT, "target": 0x8, "taskwait": 0x10}
SCOPES = {"sync", "wait", "reduction", "work", "masked"}
ENDED = ("done",)
# The number of levels that the tool asks for.
LEVELS = 12
# Events during which the runtime may already, or still, count the thread as part of another task.
BETWEEN_TASKS = {"schedule", "thread_begin", "thread_end", "implicit", "initial", "parallel_end", "dependences", "task_dependence",
                 "error", "flush", "control_tool", "target", "submit", "data_op"}


class Checker:
    def __init__(self, events, frames=True, levels=True, ends=True):
        """Says what to check: the frames of encountering tasks, the levels that entry points show, and (ends)
        whether the process ended normally."""
        self.frames, self.levels, self.ends = frames, levels, ends
        self.complaints = []
        self.threads, self.by_name = {}, {}
        self.regions, self.tasks = {}, {}
        self.loops = {}  # (region, number of the loop in it): Loop
        self.sections, self.taskloops, self.taskloop_chunks = {}, 0, []
        self.held, self.locks = {}, {}  # (task, wait id): how deep; wait id: is it initialized
        self.finalized = None
        self.event = None
        for self.event in events:
            self.take(self.event)
        self.event = None
        self.close()

    def complain(self, text):
        self.complaints.append(f"{self.event or 'at the end'}: {text}")

    def require(self, condition, text):
        if not condition:
            self.complain(text)
        return condition

    def take(self, event):
        if self.finalized:
            self.complain("an event after finalize")
        kind = event.words[0]
        if kind in ("start", "initialize", "set"):
            return
        if kind not in ("thread_begin", "finalize"):
            self.thread()
        if kind in SCOPES:
            self.scope(event)
        else:
            getattr(self, "on_" + kind)(event)
        if kind != "finalize":
            self.check_place(event, kind)

    # ---- Threads
    # ---------------------------------------------------------------------------------------------------

    def on_thread_begin(self, event):
        self.fresh(event)
        self.require(event.tid not in self.threads or self.threads[event.tid].ended, "the thread began before")
        self.require(event["th"] == event["thread"], "ompt_get_thread_data gives something else than the callback")
        thread = Thread(event["thread"], event.tid)
        self.threads[event.tid] = self.by_name[thread.name] = thread

    def on_thread_end(self, event):
        thread = self.thread()
        self.require(event["thread"] == event["th"] == thread.name, "the thread's data changed")
        self.require(not thread.stack, f"the thread ends in task {thread.current and thread.current.name}")
        self.require(not thread.ended, "the thread ended before")
        thread.ended = True

    def thread(self):
        """The thread on which the event occurred."""
        thread = self.threads.get(self.event.tid)
        if not thread:
            self.complain("the thread has not begun")
            thread = self.threads[self.event.tid] = Thread("?", self.event.tid)
        if thread.ended and self.event.words[0] != "thread_end":
            self.complain("the thread has ended")
        return thread

    def fresh(self, event):
        self.require(event["fresh"] == "1", "the new object's data is not zero")

    # ---- Regions and implicit tasks
    # --------------------------------------------------------------------------------

    def on_parallel_begin(self, event):
        self.fresh(event)
        thread = self.thread()
        self.current_is(event["task"])
        self.encountering_frame(event)
        region = Region(event["parallel"], thread.current, thread.levels(), thread, league=event.words[1] == "league")
        self.require(region.name not in self.regions, "the region began before")
        self.regions[region.name] = region

    def on_parallel_end(self, event):
        region = self.region(event["parallel"])
        if not region:
            return
        self.current_is(event["task"])
        self.require(self.thread() is region.thread, f"the region began on thread {region.thread.tid}")
        self.require(region.open, "the region ended before")
        self.require(region.size == len(region.indices), f"{len(region.indices)} implicit tasks began of {region.size}")
        self.require(region.league == (event.words[1] == "league"), "begin and end differ in their flags")
        region.open = False

    def on_implicit(self, event):
        if event.words[1] == "begin":
            self.implicit_begin(event, IMPLICIT)
        else:
            self.implicit_end(event)

    def on_initial(self, event):
        if event.words[1] == "begin":
            self.implicit_begin(event, INITIAL)
        else:
            self.implicit_end(event)

    def implicit_begin(self, event, kind):
        self.fresh(event)
        thread, size, index = self.thread(), int(event["size"]), int(event["index"])
        self.require(event["task"] not in self.tasks, "the task began before")
        league = self.regions.get(event["parallel"])
        if kind == INITIAL and not (league and league.league):
            self.initial_task(event, thread)
            return
        region = self.region(event["parallel"])
        if not region:
            return
        self.require(region.open, "the region has ended")
        self.require(index < size, "the index is not below the number of threads")
        self.require(index not in region.indices, "another implicit task has this index")
        self.require(region.size in (None, size), f"another implicit task says {region.size} threads")
        if index == 0:
            self.require(thread is region.thread and thread.current is region.encountering,
                         "the primary thread is not the one that encountered the region")
        elif not region.league:
            self.require(not thread.stack, f"the thread still runs task {thread.current and thread.current.name}")
        region.size = size
        region.indices[index] = event["task"]
        self.push(thread, Task(event["task"], kind, region, region.encountering, index))

    def initial_task(self, event, thread):
        """Outside any region, of an initial thread or a target region: its own region has no begin."""
        self.require((event["size"], event["index"]) == ("1", "1"), "an initial task is number 1 of 1")
        outer = thread.current  # a target task, whose region the host runs
        self.require(not outer or outer.kind == KINDS["target"], "the thread has a task already")
        region = None
        if event["parallel"] != "-":
            self.require(event["region_fresh"] == "1", "the initial task's region has the data of another one")
            region = self.regions[event["parallel"]] = Region(event["parallel"], None, [], thread)
            region.size = 1
        self.push(thread, Task(event["task"], INITIAL, region, outer, 0))

    def implicit_end(self, event):
        task = self.current_is(event["task"])
        if not task:
            return
        wanted = INITIAL if event.words[0] == "initial" else IMPLICIT
        self.require(task.kind == wanted, "the flags differ from those at the start")
        self.require(event["parallel"] in ("-", task.region and task.region.name), "another region than at the start")
        if task.region and task.region.thread is self.thread():
            self.require(task.region.open, "the region ended before its primary thread's implicit task")
        self.complete(task)
        self.thread().stack.pop()

    def region(self, name):
        region = self.regions.get(name)
        self.require(region, f"region {name} never began")
        return region

    # ---- Tasks
    # -----------------------------------------------------------------------------------------------------

    def on_task_create(self, event):
        self.fresh(event)
        thread = self.thread()
        parent = self.current_is(event["parent"])
        self.encountering_frame(event)
        kinds = [KINDS[word] for word in event.words[1].split("+") if word in KINDS]
        if not self.require(len(kinds) == 1, "the flags name no kind of task, or several"):
            return
        self.require(kinds[0] not in (INITIAL, IMPLICIT), "no create event belongs to this kind of task")
        task = Task(event["task"], kinds[0], thread.current and thread.current.region, parent)
        task.wants_dependences = event["dependences"] != "0"
        self.require(task.name not in self.tasks, "the task was created before")
        self.tasks[task.name] = task

    def on_dependences(self, event):
        kinds = {item.split(":")[0] for item in event["list"].split(",")}
        self.require(int(event["count"]) == len(event["list"].split(",")), "the count is not that of the list")
        self.require(not any(kind.startswith("?") for kind in kinds), "an unknown type of dependence")
        if kinds & {"source", "sink"}:
            self.current_is(event["task"])
            return
        task = self.task(event["task"])
        if task:
            self.require(task.state == "created", f"the task is {task.state} already")
            self.require(task.wants_dependences, "its create event said that it has none, or they came before")
            task.wants_dependences = False

    def on_task_dependence(self, event):
        self.task(event["source"])
        sink = self.task(event["sink"])
        if sink:
            self.require(sink.state == "created", f"the sink is {sink.state} already")

    def on_schedule(self, event):
        status = event.words[1]
        if status in ("early_fulfill", "late_fulfill", "taskwait_complete"):
            self.schedule_aside(event, status)
            return
        prior = self.current_is(event["prior"])
        upcoming = self.task(event["next"])
        if not prior or not upcoming:
            return
        thread = self.thread()
        if status == "detach":
            self.require(not prior.scopes, f"scopes are open: {prior.scopes}")
            prior.state = "detached"
            thread.stack.pop()
        elif status in ("complete", "cancel"):
            self.require(prior.kind not in (INITIAL, IMPLICIT), "such a task ends by implicit_task")
            self.complete(prior)
            thread.stack.pop()
        else:
            self.require(prior is not upcoming, "a task gives way to itself")
            prior.state = "waiting"
        self.resume(thread, upcoming)

    def schedule_aside(self, event, status):
        """Events that change no thread's current task."""
        self.require(event["next"] == "-", "there is no next task")
        task = self.task(event["prior"])
        if not task:
            return
        if status == "early_fulfill":
            self.require(task.state not in ("detached", "done"), f"the task is {task.state} already")
        elif status == "late_fulfill":
            self.require(task.state == "detached", f"the task is {task.state}, not detached")
            self.complete(task)
        else:
            self.require(task.kind == KINDS["taskwait"], "the task is no taskwait")
            self.complete(task)

    def resume(self, thread, task):
        """Makes a task the thread's current one: a new task, one lower on its stack, or one that waited elsewhere."""
        if task in thread.stack:
            while thread.current is not task:
                thread.stack.pop().thread = None
            task.state = "running"
            return
        self.require(task.state in ("created", "waiting"), f"the next task is {task.state}")
        if task.thread and task in task.thread.stack:
            self.complain(f"the next task is on thread {task.thread.tid}")
        self.require(not task.wants_dependences, "the next task has dependences that no event named")
        self.require(task.region is None or thread.number_in(task.region) is not None,
                     "the next task is of a region in which the thread does not work")
        self.push(thread, task)

    def push(self, thread, task):
        self.tasks[task.name] = task
        if thread.current:
            thread.current.state = "waiting"
        task.state, task.thread = "running", thread
        thread.stack.append(task)

    def complete(self, task):
        self.require(task.state not in ENDED, "the task completed before")
        self.require(not task.wants_dependences, "the task has dependences that no event named")
        self.require(not task.scopes, f"scopes are open: {task.scopes}")
        self.require(not any(holder is task for holder, _ in self.held), "the task holds a mutex")
        self.require(not task.acquiring or task.acquiring[0].startswith("test_"), f"{task.acquiring} was never acquired")
        task.state = "done"

    def task(self, name):
        task = self.tasks.get(name)
        self.require(task, f"task {name} never began")
        return task

    def current_is(self, name):
        """The task of this name, which must be the thread's current one."""
        task, current = self.task(name), self.thread().current
        if self.require(task is current, f"the thread's current task is {current and current.name}, not {name}"):
            return task
        return None

    # ---- Scopes
    # ----------------------------------------------------------------------------------------------------

    def scope(self, event):
        task = self.current_is(event["task"])
        if not task:
            return
        *what, endpoint = event.words
        what = ".".join(what)
        if endpoint in ("begin", "beginend"):
            self.scope_region(event, task, needed=True)
            if what.startswith("wait."):
                inside = task.scopes[-1] if task.scopes else None
                self.require(inside == "sync." + event.words[1], f"a wait inside {inside}")
            if what.startswith("work."):
                self.work_begin(event, task)
            if endpoint == "begin":
                task.scopes.append(what)
            return
        self.scope_region(event, task, needed="barrier_implicit_parallel" not in what)
        if self.require(what in task.scopes, "an end without its begin"):
            self.require(task.scopes[-1] == what, f"an end inside {task.scopes[-1]}")
            task.scopes.remove(what)

    def scope_region(self, event, task, needed):
        name = task.region.name if task.region else "-"
        self.require(event["parallel"] == name or (not needed and event["parallel"] == "-"), f"the task's region is {name}")

    def work_begin(self, event, task):
        kind, count = event.words[1], int(event["count"])
        if kind.startswith("loop"):
            task.loops += 1
            loop = self.loops.setdefault((task.region, task.loops), Loop(count))
            self.require(loop.count == count, f"another thread says {loop.count} iterations")
        elif kind == "sections":
            task.loops += 1
            self.sections.setdefault((task.region, task.loops), [count, 0])
        elif kind == "taskloop":
            self.taskloops += count
        elif kind in ("single_executor", "single_other", "scope"):
            self.require(count == 1, "the count of this construct is 1")

    def on_dispatch(self, event):
        task = self.current_is(event["task"])
        if not task:
            return
        kind = event.words[1]
        inside = next((scope for scope in reversed(task.scopes) if scope.startswith("work.")), "no work")
        self.scope_region(event, task, needed=True)
        if kind == "taskloop_chunk":
            self.taskloop_chunks.append((int(event["start"]), int(event["iterations"])))
        elif kind == "ws_loop_chunk":
            if self.require(inside.startswith("work.loop"), f"a chunk inside {inside}"):
                self.loops[task.region, task.loops].chunks.append((int(event["start"]), int(event["iterations"])))
        elif kind == "section":
            if self.require(inside == "work.sections", f"a section inside {inside}"):
                self.sections[task.region, task.loops][1] += 1
        elif kind == "iteration":
            self.require(inside.startswith("work.loop"), f"an iteration inside {inside}")

    # ---- Mutexes
    # ---------------------------------------------------------------------------------------------------

    def on_acquire(self, event):
        task = self.thread().current
        if not task:
            return
        before = task.acquiring
        self.require(not before or before[0].startswith("test_"), f"{before} was never acquired")
        task.acquiring = (event.words[1], event["wait"])

    def on_acquired(self, event):
        task = self.thread().current
        if not task:
            return
        self.require(task.acquiring == (event.words[1], event["wait"]), f"the task acquires {task.acquiring}")
        task.acquiring = None
        # Another task may still seem to hold the lock, because its event comes after the release.
        self.require((task, event["wait"]) not in self.held, "the task holds it already")
        self.held[task, event["wait"]] = 1

    def on_released(self, event):
        depth = self.held.pop((self.thread().current, event["wait"]), None)
        self.require(depth, "the task did not acquire it")
        self.require(depth in (None, 1), f"{depth} sets of the nest lock are not undone")

    def on_lock_init(self, event):
        self.locks[event["wait"]] = self.locks.get(event["wait"], 0) + 1

    def on_lock_destroy(self, event):
        self.require(self.locks.get(event["wait"], 0) > 0, "the lock was never initialized")
        self.locks[event["wait"]] = 0

    def on_nest_lock(self, event):
        task, wait = self.thread().current, event["wait"]
        if not task or not self.require((task, wait) in self.held, "the task does not hold it"):
            return
        if event.words[1] == "begin":  # a set or test of a lock that the task holds: owned, instead of acquired
            self.require(task.acquiring in [("nest_lock", wait), ("test_nest_lock", wait)], f"the task acquires {task.acquiring}")
            task.acquiring = None
        self.held[task, wait] += 1 if event.words[1] == "begin" else -1
        self.require(self.held[task, wait] > 0, "more unsets than sets")

    # ---- Target constructs
    # -----------------------------------------------------------------------------------------

    def on_target(self, event):
        kind, endpoint = event.words[1:]
        targets = self.thread().targets
        if endpoint == "begin":
            self.fresh(event)
            self.task(event["task"])
            if event["target_task"] != "-":
                self.current_is(event["target_task"])
            targets.append((kind, event["target"], event["task"], event["target_task"]))
        elif self.require(targets, "an end without its begin"):
            self.require(targets.pop() == (kind, event["target"], event["task"], event["target_task"]), "begin and end differ")

    def on_submit(self, event):
        thread, target = self.thread(), event["target"]
        self.require(thread.targets and thread.targets[-1][1] == target, "not in this target region")
        self.require(event["operation"] == "1", "there is no place for the operation's id")
        begins = event.words[1] == "begin"
        self.require(thread.submits == (None if begins else target), f"the thread submits {thread.submits}")
        thread.submits = target if begins else None

    def on_data_op(self, event):
        self.task(event["target_task"])

    # ---- The rest
    # --------------------------------------------------------------------------------------------------

    def on_cancel(self, event):
        flags = event.words[1].split("+")
        self.require(len(set(flags) & {"parallel", "sections", "loop", "taskgroup"}) == 1, "not one kind of construct")
        self.require(len(set(flags) & {"activated", "detected", "discarded_task"}) == 1, "not one of activated, detected, discarded")
        task = self.task(event["task"])
        if not task:
            return
        if "discarded_task" in flags:
            task.wants_dependences = False
        else:
            self.current_is(event["task"])
        if task.region:
            task.region.cancelled = True

    def on_flush(self, event):
        self.require(event["thread"] == self.thread().name, "another thread's data")

    def on_error(self, event):
        """Nothing to compare."""

    on_control_tool = on_error

    def on_sample(self, event):
        self.require(event["bad"] == "0", "what the entry points said in a signal handler does not hold")

    def on_finalize(self, event):
        self.finalized = event

    # ---- What entry points and frames say
    # --------------------------------------------------------------------------

    def check_place(self, event, kind):
        thread = self.threads.get(event.tid)
        if "th" in event and thread and kind not in ("thread_begin", "thread_end"):
            self.require(event["th"] == thread.name, f"ompt_get_thread_data says {event['th']}, not {thread.name}")
        late = event.name.endswith("barrier_implicit_parallel.end") # the region may be gone
        if self.levels and thread and kind not in BETWEEN_TASKS and not late and "T" in event:
            self.check_levels(event, thread)

    def check_levels(self, event, thread):
        expected = [(task.name, task.kind, task.region.name if task.region else "-", number) for task, number in thread.levels()[:LEVELS]]
        said = [(task, flags & 0xff, region, number) for task, flags, number, region, _, _ in event.tasks()]
        self.require(said == expected, f"ompt_get_task_info says {said}, not {expected}")
        regions = [(region.name, region.size) for region in thread.regions()[:LEVELS]]
        self.require(event.regions() == regions, f"ompt_get_parallel_info says {event.regions()}, not {regions}")

    def encountering_frame(self, event):
        if not self.frames:
            return
        enter, exit_ = event["enter"], event["exit"]
        current = self.thread().current
        if not self.require(enter not in ("0", "-", "far"), f"enter_frame is {enter} while the runtime runs"):
            return
        height, flags = enter.split(":")
        self.require(int(height) > 0, "enter_frame is below the callback's own frame")
        self.require(int(flags, 16) & ~1 in (0, 0x10, 0x20, 0x30), f"enter_frame has unknown flags {flags}")
        if current and current.kind == INITIAL and current.parent is None:
            self.require(exit_ == "0", "the initial task has an exit_frame, but no runtime frame called it")
        elif self.require(":" in exit_, f"exit_frame is {exit_}"):
            self.require(int(exit_.split(":")[0]) >= int(height), "exit_frame is below enter_frame")

    # ---- The end
    # ---------------------------------------------------------------------------------------------------

    def close(self):
        if self.finalized is None and self.ends:
            self.complain("no finalize")
        if self.ends:
            self.close_objects()
        self.close_work()

    def close_objects(self):
        for task in self.tasks.values():
            self.require(task.state in ENDED, f"task {task.name} is {task.state}")
        for region in self.regions.values():
            if region.encountering:
                self.require(not region.open, f"region {region.name} never ended")
        for thread in self.threads.values():
            self.require(thread.ended, f"thread {thread.tid} never ended")
            self.require(not thread.submits, "a submit never ended")
            self.require(not thread.targets, f"target regions never ended: {thread.targets}")

    def close_work(self):
        for (region, number), loop in self.loops.items():
            for fault in loop.faults((region and region.cancelled) or not self.ends):
                self.complain(f"loop {number} of region {region and region.name}: {fault}")
        for (region, _), (count, seen) in self.sections.items():
            if self.ends and not (region and region.cancelled):
                self.require(count == seen, f"{seen} sections were dispatched of {count} in region {region and region.name}")
        if self.ends and not any(region.cancelled for region in self.regions.values()):
            total = sum(iterations for _, iterations in self.taskloop_chunks)
            self.require(total == self.taskloops, f"{total} iterations of taskloops were dispatched of {self.taskloops}")
