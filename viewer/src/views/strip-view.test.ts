// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { column } from '../../test/column';
import { drawFrames, drawingOf, one, point, press, show, storeOf, textsOf, theme, usePage } from '../../test/page';
import { ns } from '../base/time';
import { StripView } from './strip-view';

usePage();

function viewOf(store = storeOf()) {
  const view = new StripView(store, theme);
  show(view.root);
  return { store, view, sheet: one(view.root, '.sheet'), caption: () => one(view.root, '.caption').textContent! };
}

it('says how many workers were at work on average, and how many were in grains that stood still', () => {
  const { store, caption } = viewOf(
    storeOf((json) => {
      // Half of the time in grains, another process had the processor.
      const { data } = json.whole.strip.running;
      const running = new Float32Array(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)).buffer);
      json.whole.strip.working = column(
        'f32',
        running.map((mean) => mean / 2),
      );
    }),
  );
  const { running } = store.model.whole.strip;
  const mean = running.reduce((sum, grains) => sum + grains, 0) / running.length;
  expect(Number.parseFloat(caption())).toBeCloseTo(mean / 2, 1);
  expect(caption()).toMatch(
    / of 4 on average, fewer than 4 for 100 % of the time; paler: .* more in grains that stood still: /,
  );
  expect(Number.parseFloat(caption().split('paler: ')[1]!)).toBeCloseTo(mean / 2, 1);
});

it('draws a step for each interval, under the line of the workers', () => {
  const { store, view } = viewOf();
  expect(drawingOf(view.root).lines).toBeGreaterThanOrEqual(2 * store.model.whole.strip.running.length + 1);
  expect(textsOf(view.root)).toContain('4 workers');
});

it('has the line of the processors where they are fewer', () => {
  const { view, caption } = viewOf(
    storeOf((json) => {
      json.run.processors = 2;
    }),
  );
  expect(textsOf(view.root)).toContain('2 processors');
  expect(caption()).toContain(' of 4 on 2 processors on average, fewer than 2 for ');
});

it('selects the stretch that is dragged over, in either direction', () => {
  const { store, view, sheet } = viewOf();
  point(sheet, 'pointerdown', 400, 20);
  point(sheet, 'pointermove', 200, 20);
  point(sheet, 'pointerup', 200, 20);
  expect(store.range.value!.start).toBeCloseTo(store.end / 4);
  expect(store.range.value!.end).toBeCloseTo(store.end / 2);
  expect(one(view.root, '.range').textContent).toMatch(/ to .*: /);
  point(sheet, 'pointerdown', 300, 20);
  point(sheet, 'pointerup', 301, 20);
  expect(store.range.value).toBeUndefined();
});

it('is cleared by its button', () => {
  const { store, view } = viewOf();
  const clear = one<HTMLButtonElement>(view.root, 'button');
  expect(clear.hidden).toBe(true);
  store.focus({ start: store.model.fragment.start[1]!, end: store.model.fragment.end[1]! });
  expect(clear.hidden).toBe(false);
  clear.click();
  expect(store.range.value).toBeUndefined();
});

it('moves the range by keys, and its end with Shift', () => {
  const { store, sheet } = viewOf();
  expect(press(sheet, 'ArrowRight')).toBe(true);
  const { start, end } = store.range.value!;
  expect(start / store.end).toBeCloseTo(0.02);
  expect(end / store.end).toBeCloseTo(0.12);
  press(sheet, 'ArrowRight', { shiftKey: true });
  expect(store.range.value!.start).toBe(start);
  expect(store.range.value!.end / store.end).toBeCloseTo(0.14);
  for (let times = 0; times < 3; times++) press(sheet, 'ArrowLeft');
  expect(store.range.value!.start).toBe(0);
  expect(press(sheet, 'ArrowUp')).toBe(false);
});

it('says what ran at the instant under the pointer', () => {
  const { sheet, caption } = viewOf();
  const before = caption();
  point(sheet, 'pointermove', 200, 20);
  expect(caption()).toMatch(/: .* workers at work, .* in grains; .* tasks created and not begun$/);
  point(sheet, 'pointerleave', 200, 20);
  expect(caption()).toBe(before);
});

it('has a box around what the time line shows, if that is not the selected range', () => {
  const { store, view } = viewOf();
  const seen = { start: ns(0), end: ns(store.end / 4), follow: true };
  expect(drawingOf(view.root).outlines).toBe(0);
  store.seen.set(seen);
  drawFrames();
  expect(drawingOf(view.root).outlines).toBe(1);
  store.focus({ start: seen.start, end: seen.end });
  drawFrames();
  expect(drawingOf(view.root).outlines).toBe(1);
  store.seen.set(undefined);
  store.focus(undefined);
  drawFrames();
  expect(drawingOf(view.root).outlines).toBe(0);
});
