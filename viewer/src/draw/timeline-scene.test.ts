// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { devicesOf } from '../../test/devices';
import { demo } from '../../test/program';
import { viewModel } from '../../test/sample';
import { ns } from '../base/time';
import type { Viewport } from '../base/viewport';
import { decodeModel } from '../model/decode';
import { decodeDevices } from '../model/devices';
import { type GrainRow, grainRow, grainRows, siteId } from '../model/ids';
import { buildLanes, timeRange } from '../model/lanes';
import { buildTree, summarise } from '../model/tree';
import { over, withAlpha } from './color';
import { paintGrains } from './paint';
import { classColor, LIGHT, restColor } from './theme';
import { fragmentAt, stretchAt, TimelineScene } from './timeline-scene';

const decoded = decodeModel(viewModel(demo(5000)));
if (!decoded.ok) throw new Error(decoded.error);
const model = decoded.value;
const tree = buildTree(model);
const lanes = buildLanes(model);
const paint = paintGrains(model, tree, summarise(model, tree), LIGHT, undefined);
const { end } = timeRange(model);
const WIDTH = 800;

function build(view: Viewport, selected?: GrainRow, byClass = false): TimelineScene {
  const scene = new TimelineScene(model, lanes);
  const geometry = { top: 0, height: 20, gap: 4 };
  scene.build({
    view,
    width: WIDTH,
    height: 200,
    lanes: geometry,
    paint,
    marks: { selected: selected, hovered: undefined },
    byClass,
  });
  return scene;
}

it('gives every worker a lane whose fragments do not overlap', () => {
  expect(lanes.length).toBe(4);
  const { start, end } = model.fragment;
  for (const { fragments } of lanes)
    for (let i = 1; i < fragments.length; i++)
      expect(start[fragments[i]!]!).toBeGreaterThanOrEqual(end[fragments[i - 1]!]!);
});

it('draws transfers and regions of devices below the lanes of workers', () => {
  const devices = decodeDevices(devicesOf());
  if (!devices.ok) throw new Error(devices.error);
  const ofHost = { ...model, whole: { ...model.whole, devices: devices.value } };
  const scene = new TimelineScene(ofHost, lanes);
  const geometry = { top: 0, height: 20, gap: 4 };
  const marks = { selected: undefined, hovered: undefined };
  const view = { x: 0, y: 0, scaleX: 1, scaleY: 1 };
  scene.build({ view, width: WIDTH, height: 200, lanes: geometry, paint, marks });
  expect(scene.rows).toBe(6);
  const { fragments } = scene.batches;
  const drawn = Array.from({ length: fragments.count }, (_, i) => fragments.rect(i));
  const on = (y: number) => drawn.filter((rect) => rect.y === y).map(({ x, width }) => [x, width]);
  expect(on(4 * 24)).toEqual([
    [100, 100],
    [200, 400],
    [600, 50],
  ]);
  expect(on(5 * 24)).toEqual([[300, 100]]);
});

it('draws no more than a few rectangles per pixel when all is shown', () => {
  const { fragments } = build({ x: 0, y: 0, scaleX: WIDTH / end, scaleY: 1 }).batches;
  expect(fragments.count).toBeGreaterThan(500);
  expect(fragments.count).toBeLessThan(4 * WIDTH * 3);
});

it('draws fragments where their times are', () => {
  const row = lanes[1]!.fragments[5]!;
  const start = model.fragment.start[row]!;
  const scaleX = 400 / (model.fragment.end[row]! - start);
  const { fragments } = build({ x: start - 100 / scaleX, y: 0, scaleX, scaleY: 1 }).batches;
  const drawn = Array.from({ length: fragments.count }, (_, i) => fragments.rect(i));
  expect(drawn.some(({ x, width, y }) => y === 24 && Math.abs(x - 100) < 0.01 && Math.abs(width - 400) < 1)).toBe(true);
});

it('outlines every fragment of the selected grain', () => {
  const grain = model.fragment.grain[lanes[0]!.fragments[3]!]!;
  const rows = [...model.fragment.grain].filter((g) => g === grain).length;
  // So close that no two fragments are beside each other.
  const { marks } = build({ x: model.grain.start[grain]!, y: 0, scaleX: 1, scaleY: 1 }, grain).batches;
  expect(marks.count).toBeGreaterThan(0);
  expect(marks.count).toBeLessThanOrEqual(rows);
});

it('outlines fragments that are close to each other as one', () => {
  const { grain, worker } = model.fragment;
  const rowsOf = (g: GrainRow) => [...grain.keys()].filter((row) => grain[row] === g);
  const workersOf = (g: GrainRow) => new Set(rowsOf(g).map((row) => worker[row])).size;
  const several = [...new Set(grain)].find((g) => rowsOf(g as GrainRow).length > workersOf(g as GrainRow)) as GrainRow;
  expect(several).toBeDefined();
  const { marks } = build({ x: 0, y: 0, scaleX: 4 / end, scaleY: 1 }, several).batches;
  expect(marks.count).toBe(workersOf(several));
});

it('finds the fragment at a time, or one close by', () => {
  const lane = lanes[0]!;
  const row = lane.fragments[7]!;
  const { start, end } = model.fragment;
  expect(fragmentAt(model, lane, ns((start[row]! + end[row]!) / 2), ns(0))).toBe(row);
  expect(fragmentAt(model, lane, ns(1e15), ns(10))).toBeUndefined();
  const last = lane.fragments.at(-1)!;
  expect(fragmentAt(model, lane, ns(end[last]! + 5), ns(10))).toBe(last);
});

it('shows the shares of the classes where a lane has no room for its rectangles', () => {
  const scaleX = WIDTH / end;
  const { fragments } = build({ x: 0, y: 0, scaleX, scaleY: 1 }, undefined, true).batches;
  const drawn = Array.from({ length: fragments.count }, (_, i) => fragments.rect(i));
  const { lanes: spent } = model.whole;
  for (const [worker, { y }] of [0, 24, 48, 72].map((y) => ({ y })).entries()) {
    const area = (name: string) =>
      drawn
        .filter((rect) => rect.fill === classColor(LIGHT, name) && rect.y >= y && rect.y < y + 20)
        .reduce((sum, { width, height }) => sum + width * height, 0) /
      (20 * end * scaleX);
    const [work, nothing] = spent.classes.map((_, at) => {
      const own = spent.share.filter((_, i) => i % 2 === at && Math.floor(i / 2 / spent.intervals) === worker);
      return own.reduce((sum, share) => sum + share, 0) / 255 / spent.intervals;
    });
    // A class with nearly all of a column fills it.
    expect(Math.abs(area('work') - work!), `worker ${worker}`).toBeLessThan(0.03);
    expect(Math.abs(area('nothing_ready') - nothing!), `worker ${worker}`).toBeLessThan(0.03);
  }
});

it('shows work and the stretches between it where they have room', () => {
  const lane = lanes.find(({ stretches }) => stretches.length > 2)!;
  const { stretch } = model.whole.lanes;
  const row = lane.stretches[1]!;
  const scaleX = 300 / (stretch.end[row]! - stretch.start[row]!);
  const { batches } = build({ x: stretch.start[row]! - 100 / scaleX, y: 0, scaleX, scaleY: 1 }, undefined, true);
  const drawn = Array.from({ length: batches.ground.count }, (_, i) => batches.ground.rect(i));
  const found = drawn.find(({ fill, y }) => fill === classColor(LIGHT, 'nothing_ready') && y === lane.worker * 24);
  expect(found!.x).toBeCloseTo(100, 1);
  expect(found!.width).toBeCloseTo(300, 1);
  const fills = Array.from({ length: batches.fragments.count }, (_, i) => batches.fragments.rect(i).fill);
  expect(fills).toContain(classColor(LIGHT, 'work'));
  expect(stretchAt(model, lane, ns((stretch.start[row]! + stretch.end[row]!) / 2))).toBe(row);
});

it('shows the shares of a lane with a wide fragment that was not work for most of its time', () => {
  const decoded = decodeModel(viewModel(demo(2), 2));
  if (!decoded.ok) throw new Error(decoded.error);
  const { value } = decoded;
  const scene = new TimelineScene(value, buildLanes(value));
  const shows = (scene: TimelineScene) => {
    const view = { x: 0, y: 0, scaleX: WIDTH / timeRange(value).end, scaleY: 1 };
    return scene.lanes.map((lane) => scene.showsShares({ view, width: WIDTH, byClass: true }, lane));
  };
  expect(shows(scene)).toEqual([false, false]);
  const first = value.fragment.grain[scene.lanes[0]!.fragments[0]!]!;
  value.grain.work[first] = ns(0);
  expect(shows(new TimelineScene(value, buildLanes(value)))[0]).toBe(true);
});

const GEOMETRY = { top: 0, height: 20, gap: 4 };
const NO_MARKS = { selected: undefined, hovered: undefined };
const FIT = { x: 0, y: 0, scaleX: WIDTH / end, scaleY: 1 };

function drawnOf({ batches }: TimelineScene) {
  const of = (batch: (typeof batches)['ground']) => Array.from({ length: batch.count }, (_, i) => batch.rect(i));
  return [...of(batches.ground), ...of(batches.fragments)];
}

/** The pixels of a lane that fragments touch. */
function pixelsOf(worker: number, wanted: (row: number) => boolean): Set<number> {
  const { fragment } = model;
  const pixels = new Set<number>();
  for (const row of lanes[worker]!.fragments)
    if (wanted(row))
      for (let x = Math.floor(fragment.start[row]! * FIT.scaleX); x < fragment.end[row]! * FIT.scaleX; x++)
        pixels.add(x);
  return pixels;
}

it('shows the critical path where its parts are narrower than a pixel, paler where they are less of it', () => {
  const { fragment } = model;
  const narrow = [...fragment.start.keys()].filter((row) => {
    return fragment.critical[row] && (fragment.end[row]! - fragment.start[row]!) * FIT.scaleX < 1;
  });
  expect(narrow.length).toBeGreaterThan(0);
  const red = drawnOf(build(FIT, undefined, true)).filter(
    ({ fill }) => (fill & 0xffffff) === (LIGHT.critical & 0xffffff),
  );
  for (const worker of lanes.keys()) {
    const marked = new Set<number>();
    for (const { x, width, y } of red)
      if (Math.floor(y / 24) === worker) for (let i = 0; i < width; i++) marked.add(x + i);
    expect(marked).toEqual(pixelsOf(worker, (row) => fragment.critical[row] === 1));
  }
  const shades = new Set(red.map(({ fill }) => fill));
  expect(shades.size).toBeGreaterThan(1);
  for (const fill of shades) expect(fill >>> 24).toBeGreaterThanOrEqual(withAlpha(LIGHT.critical, 0.4) >>> 24);
});

it('keeps the colours of the classes when a site is selected, and dims where none of its grains ran', () => {
  const { grain, fragment } = model;
  const site = siteId([...model.sites.keys()].find((site) => grain.site.includes(siteId(site)) && site > 0)!);
  const own = grainRows(Uint32Array.from([...grain.site.keys()].filter((row) => grain.site[row] === site)));
  const dimming = paintGrains(model, tree, summarise(model, tree), LIGHT, own);
  const scene = new TimelineScene(model, lanes);
  const frame = { view: FIT, width: WIDTH, height: 200, lanes: GEOMETRY, marks: NO_MARKS, byClass: true };
  scene.build({ ...frame, paint: dimming, site });
  const classes = model.whole.lanes.classes.map((name) => classColor(LIGHT, name));
  const colours = new Set([...classes, ...classes.map(dimming.dim)]);
  const isRed = (fill: number) => (fill & 0xffffff) === (LIGHT.critical & 0xffffff);
  const drawn = drawnOf(scene).filter(({ fill, width }) => width < WIDTH && !isRed(fill));
  for (const { fill } of drawn) expect(colours).toContain(fill);
  const bright = drawn.filter(({ fill }) => classes.includes(fill));
  expect(bright.length).toBeGreaterThan(0);
  for (const { x, y } of bright)
    expect(pixelsOf(Math.floor(y / 24), (row) => grain.site[fragment.grain[row]!] === site)).toContain(Math.floor(x));
});

it('shows grains without the problem in a colour of their own, through which nothing shows', () => {
  const own = grainRows(Uint32Array.of(3));
  const dimming = paintGrains(model, tree, summarise(model, tree), LIGHT, own, {
    by: 'kind',
    most: 1,
    severity: (grain) => Number(grain === grainRow(3)),
  });
  const scene = new TimelineScene(model, lanes);
  scene.build({
    view: FIT,
    width: WIDTH,
    height: 200,
    lanes: GEOMETRY,
    paint: dimming,
    marks: NO_MARKS,
    problem: true,
  });
  const { fragments } = scene.batches;
  const fills = new Set(Array.from({ length: fragments.count }, (_, i) => fragments.rect(i).fill));
  fills.delete(LIGHT.critical);
  expect([...fills].filter((fill) => fill !== dimming.fill[3])).toEqual([restColor(LIGHT)]);
  expect(over(dimming.dim(LIGHT.task), LIGHT.lane) >>> 24).toBe(255);
});
