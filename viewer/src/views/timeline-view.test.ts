// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { column } from '../../test/column';
import { devicesOf } from '../../test/devices';
import { all, click, one, paintOf, point, press, show, storeOf, textsOf, usePage } from '../../test/page';
import { formatTime } from '../base/format';
import { ns } from '../base/time';
import { grainRow } from '../model/ids';
import { TimelineView } from './timeline-view';
import { Tooltip } from './tooltip';

usePage();

const AXIS = 24;
const GAP = 4;
/** Of four lanes in a view that is 400 pixels high. */
const LANE = 40;

function viewOf(store = storeOf()) {
  const paint = paintOf(store);
  const tooltip = new Tooltip(store);
  const view = new TimelineView(store, () => paint, tooltip);
  show(view.root);
  const surface = one(view.root, '.surface');
  const yOf = (worker: number) => AXIS + worker * (LANE + GAP) + LANE / 2;
  const xOf = (time: number) => (time / view.shown()) * 800;
  return { store, view, tooltip, surface, xOf, yOf };
}

/** The row of the longest fragment. */
function longest({ model }: ReturnType<typeof storeOf>): number {
  const { start, end } = model.fragment;
  const length = (row: number) => end[row]! - start[row]!;
  return [...start.keys()].reduce((a, b) => (length(b) > length(a) ? b : a));
}

it('names a lane for each worker, and shows the whole run', () => {
  const { store, view } = viewOf(
    storeOf((json) => {
      json.run.worker_names = ['core 0'];
    }),
  );
  const names = all(view.root, '.lane-names span').map(({ textContent }) => textContent);
  expect(names).toEqual(['core 0', 'Worker 1', 'Worker 2', 'Worker 3']);
  expect(view.shown()).toBeCloseTo(store.model.run.wall_ns * 1.005);
  expect(textsOf(one(view.root, '.surface'))[0]).toBe('0');
});

it('selects the grain of the fragment that is clicked, and nothing where nothing ran', () => {
  const { store, surface, xOf, yOf } = viewOf();
  const { fragment } = store.model;
  const row = longest(store);
  click(surface, xOf((fragment.start[row]! + fragment.end[row]!) / 2), yOf(fragment.worker[row]!));
  expect(store.selected.value).toBe(fragment.grain[row]);
  click(surface, 400, 395);
  expect(store.selected.value).toBeUndefined();
});

it('says what is under the pointer: a grain, or an idle time and who ended it', () => {
  const { store, tooltip, surface, xOf, yOf } = viewOf();
  const { fragment, idle } = store.model;
  const row = longest(store);
  point(surface, 'pointermove', xOf((fragment.start[row]! + fragment.end[row]!) / 2), yOf(fragment.worker[row]!));
  expect(store.hovered.value).toBe(fragment.grain[row]);
  const took = formatTime(ns(fragment.end[row]! - fragment.start[row]!));
  expect(tooltip.root.textContent).toMatch(/^[a-z]+\.c:\d+ /);
  expect(tooltip.root.textContent).toContain(` · ${took} here · `);
  expect(tooltip.root.textContent).toContain(` · Worker ${fragment.worker[row]} at `);
  surface.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
  expect(tooltip.root.hidden).toBe(true);
  press(surface, '0');
  const long = (at: number) => idle.end[at]! - idle.start[at]!;
  const at = [...idle.start.keys()].filter((one) => idle.woken[one]! > 0).reduce((a, b) => (long(b) > long(a) ? b : a));
  point(surface, 'pointermove', xOf((idle.start[at]! + idle.end[at]!) / 2), yOf(idle.worker[at]!));
  expect(tooltip.root.textContent).toMatch(
    new RegExp(
      `^nothing ready for .*: tasks ran or were yet to come, and none was ready · Idle for .* · woken by worker ${idle.woken_by[at]}, awake 200 ns later: a task was ready · Worker ${idle.worker[at]} at `,
    ),
  );
  point(surface, 'pointerleave', 0, 0);
  expect([store.hovered.value, tooltip.root.hidden]).toEqual([undefined, true]);
});

it('zooms to a grain and its children on a double click', () => {
  const { store, view, surface, xOf, yOf } = viewOf();
  const { fragment, grain } = store.model;
  const row = longest(store);
  const g = fragment.grain[row]!;
  const at = { offsetX: xOf((fragment.start[row]! + fragment.end[row]!) / 2), offsetY: yOf(fragment.worker[row]!) };
  surface.dispatchEvent(Object.assign(new MouseEvent('dblclick'), at));
  const { order, position, subtreeEnd } = store.tree;
  const inside = [...order.subarray(position[g], subtreeEnd[g])];
  const start = Math.min(...inside.map((one) => grain.start[one]!));
  const end = Math.max(...inside.map((one) => grain.end[one]!));
  expect(view.shown()).toBeCloseTo(Math.min((end - start) * 1.1, store.model.run.wall_ns * 1.005));
});

it('selects the grain in the middle of the view with Enter', () => {
  const { store, surface } = viewOf();
  const { grain } = store.model;
  press(surface, '+');
  press(surface, 'Enter');
  const { start, end } = store.seen.value!;
  const chosen = store.selected.value!;
  expect([grain.start[chosen]! <= end, grain.end[chosen]! >= start]).toEqual([true, true]);
});

it('has a lane for each device, and says what went on there', () => {
  const { view, tooltip, surface, xOf } = viewOf(
    storeOf((json) => {
      const { wall_ns } = json.run;
      const times = (values: number[]) =>
        column(
          'f64',
          values.map((value) => (value / 1000) * wall_ns),
        );
      const devices = devicesOf();
      const piece = { ...devices.piece, start: times([100, 200, 600, 300]), end: times([200, 600, 650, 400]) };
      Object.assign(json.whole, { devices: { ...devices, piece } });
    }),
  );
  const names = all(view.root, '.lane-names span').map(({ textContent }) => textContent);
  expect(names.slice(4)).toEqual(['Device 0', 'Device 1']);
  const wall = view.shown() / 1.005;
  const lane = (row: number) => AXIS + row * (LANE + GAP) + LANE / 2;
  point(surface, 'pointermove', xOf(0.4 * wall), lane(4));
  expect(tooltip.root.textContent).toMatch(/^target at heat.c:42 · ran on device 0 for /);
  point(surface, 'pointermove', xOf(0.35 * wall), lane(5));
  expect(tooltip.root.textContent).toMatch(/^update at unknown place · 16 bytes to device 1 in /);
  point(surface, 'pointermove', xOf(0.8 * wall), lane(4));
  expect(tooltip.root.hidden).toBe(true);
});

it('zooms and moves with keys, in time alone, and never beyond the run', () => {
  const { view, surface } = viewOf();
  const whole = view.shown();
  press(surface, '+');
  expect(view.shown()).toBeCloseTo(whole / 1.5);
  press(surface, '0');
  expect(view.shown()).toBeCloseTo(whole);
  press(surface, '-');
  expect(view.shown()).toBeCloseTo(whole);
});

it('shows the selected time range, and all of the run again', () => {
  const { store, view } = viewOf();
  const whole = view.shown();
  store.focus({ start: ns(10_000), end: ns(30_000) });
  expect(view.shown()).toBeCloseTo(20_000);
  store.focus(undefined);
  expect(view.shown()).toBeCloseTo(whole);
});

it('shows as much time as a longer recording that it is compared with', () => {
  const { store, view } = viewOf();
  store.compare(undefined, ns(store.model.run.wall_ns * 2));
  expect(view.shown()).toBeCloseTo(store.model.run.wall_ns * 2 * 1.005);
});

it('follows another time line', () => {
  const [first, second] = [viewOf(), viewOf()];
  press(first.surface, '+');
  second.view.follow(first.view);
  expect(second.view.shown()).toBe(first.view.shown());
});

it('draws the wake-ups of the selected grain as strong arrows', () => {
  const { store, view, surface } = viewOf();
  const { idle, grain } = store.model;
  const woken = [...grain.start.keys()].find((row) =>
    [...idle.end.keys()].some(
      (at) => idle.woken[at]! > 0 && idle.end[at] === grain.start[row] && idle.worker[at] === grain.worker[row],
    ),
  );
  store.select(grainRow(woken!));
  press(surface, 'ArrowLeft');
  expect(view.arrows().filter(({ strong }) => strong).length).toBeGreaterThan(0);
});

it('tells which part of the run it shows, and whether the user has gone there', () => {
  const { store, surface } = viewOf();
  expect(store.seen.value).toBeUndefined();
  press(surface, '+');
  press(surface, '+');
  const { start, end, follow } = store.seen.value!;
  expect(end - start).toBeCloseTo((store.end * 1.005) / 1.5 ** 2, -1);
  expect(follow).toBe(true);
  const { grain } = store.model;
  const away = [...grain.start.keys()].find((row) => grain.start[row]! > end || grain.end[row]! < start)!;
  store.goTo(away as never);
  expect(store.seen.value!.follow).toBe(false);
  press(surface, '0');
  expect(store.seen.value).toBeUndefined();
});
