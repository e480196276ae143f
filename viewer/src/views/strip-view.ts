// SPDX-License-Identifier: Apache-2.0
// The number of workers at work over time, with a line at the number of processors: workers in the
// code of grains, and paler those in grains that stood still. A drag over the strip selects a time
// range for all views.
import { button, element } from '../base/dom';
import { formatNumber, formatPercent, formatRatio, formatTick, formatTime } from '../base/format';
import { roundStep, ticks } from '../base/ticks';
import { ns } from '../base/time';
import { cssColor, withAlpha } from '../draw/color';
import type { Theme } from '../draw/theme';
import type { TimeRange } from '../model/range';
import type { Store } from '../state/store';
import { Sheet } from './sheet';

const AXIS = 15;
const SLACK = 4;
/** If fewer tasks waited at a time, there is no band. */
const LEAST_WAITING = 0.5;
/** How strong the part is in which grains did not run. */
const PALE = 0.3;
/** The share of the run by which a key moves the range. */
const KEY_STEP = 0.02;

export class StripView {
  readonly root: HTMLElement;
  readonly #sheet: Sheet;
  readonly #caption = element('span', { class: 'caption' });
  readonly #range = element('span', { class: 'range', role: 'status' });
  readonly #clear: HTMLButtonElement;
  #drag: { from: number; to: number } | undefined;

  constructor(
    readonly store: Store,
    readonly theme: () => Theme,
  ) {
    this.#sheet = new Sheet(
      'Workers at work over time. Arrow keys move the selected time range, Shift with arrow keys its end, Esc clears it.',
      (context) => this.#draw(context),
    );
    this.#clear = button('Whole run', 'Clear the selected time range (Esc)', () => store.focus(undefined));
    this.root = element(
      'section',
      { class: 'strip', 'aria-label': 'Workers at work over time' },
      element(
        'div',
        { class: 'head' },
        element('h2', {}, 'Workers at work'),
        this.#caption,
        this.#range,
        this.#clear,
        ...waitingKey(store.model.whole.strip.waiting),
      ),
      this.#sheet.root,
    );
    const { root } = this.#sheet;
    root.addEventListener('pointerdown', (event) => this.#down(event));
    root.addEventListener('pointermove', (event) => this.#move(event));
    root.addEventListener('pointerup', () => this.#up());
    root.addEventListener('pointercancel', () => this.#end());
    root.addEventListener('pointerleave', () => this.#describe());
    root.addEventListener('keydown', (event) => this.#key(event));
    store.range.listen(() => this.#changed());
    store.seen.listen(() => this.redraw());
    this.#changed();
  }

  redraw(): void {
    this.#sheet.request();
  }

  #changed(): void {
    const { value } = this.store.range;
    this.#range.textContent = value
      ? `${formatTime(value.start)} to ${formatTime(value.end)}: ${formatTime(ns(value.end - value.start))}`
      : '';
    this.#clear.hidden = value === undefined;
    this.#describe();
    this.redraw();
  }

  /** Says how many workers were at work in the selected range, or in the whole run. */
  #describe(): void {
    const { workers, processors } = this.store.model.run;
    const { mean, open, below } = this.#figures();
    const few = this.#line < workers ? `${workers} on ${formatNumber(processors, 'processor')}` : `${this.#line}`;
    const held =
      open - mean > 0.005
        ? `; paler: ${formatRatio(open - mean)} more in grains that stood still: no processor, or recorder at work`
        : '';
    this.#caption.textContent = `${formatRatio(mean)} of ${few} on average, fewer than ${this.#line} for ${formatPercent(below)} of the time${held}`;
  }

  #figures(): { mean: number; open: number; below: number } {
    const { working, running, interval_ns } = this.store.model.whole.strip;
    const { start, end } = this.store.range.value ?? { start: ns(0), end: this.store.end };
    let [time, area, all, below] = [0, 0, 0, 0];
    for (let at = Math.floor(start / interval_ns); at < running.length && at * interval_ns < end; at++) {
      const length = Math.min(end, (at + 1) * interval_ns) - Math.max(start, at * interval_ns);
      time += length;
      area += working[at]! * length;
      all += running[at]! * length;
      if (working[at]! < this.#line * 0.95) below += length;
    }
    const mean = (sum: number) => (time > 0 ? sum / time : 0);
    return { mean: mean(area), open: mean(all), below: mean(below) };
  }

  /**
   * How many grains could have run at a time: the number of processors or of workers, whichever is
   * lower.
   */
  get #line(): number {
    const { workers, processors } = this.store.model.run;
    return Math.max(1, Math.min(workers || 1, processors || workers || 1));
  }

  #draw(context: CanvasRenderingContext2D): void {
    const theme = this.theme();
    const { width, height } = this.#sheet;
    const { working, running, waiting, interval_ns } = this.store.model.whole.strip;
    const bottom = height - AXIS;
    const most =
      Math.max(
        this.#line,
        running.reduce((all, mean) => Math.max(all, mean), 0),
      ) * 1.3;
    const y = (grains: number) => bottom - (grains / most) * bottom;
    const x = (time: number) => (time / this.store.end) * width;
    context.fillStyle = cssColor(theme.lane);
    context.fillRect(0, 0, width, bottom);
    this.#waiting(context, theme, waiting, interval_ns, x, bottom);
    const steps = (means: Float32Array, colour: number) => {
      context.fillStyle = cssColor(colour);
      context.beginPath();
      context.moveTo(0, bottom);
      for (const [at, mean] of means.entries()) {
        context.lineTo(x(at * interval_ns), y(mean));
        context.lineTo(x((at + 1) * interval_ns), y(mean));
      }
      context.lineTo(x(means.length * interval_ns), bottom);
      context.fill();
    };
    steps(running, withAlpha(theme.task, PALE));
    steps(working, theme.task);
    this.#coreLine(context, theme, y(this.#line));
    this.#axis(context, theme, bottom);
    this.#brush(context, theme, bottom);
    this.#seen(context, theme, bottom);
  }

  /** Draws a box around the part of the run that the time line shows. */
  #seen(context: CanvasRenderingContext2D, theme: Theme, bottom: number): void {
    const { range, seen, end } = this.store;
    if (!seen.value || isNear(seen.value, range.value, end)) return;
    const { width } = this.#sheet;
    const [left, right] = [seen.value.start, seen.value.end].map((time) => (time / end) * width) as [number, number];
    context.strokeStyle = cssColor(theme.text);
    context.strokeRect(Math.round(left) + 0.5, 1.5, Math.max(Math.round(right - left), 2), bottom - 3);
  }

  /** Draws a band whose strength shows how many tasks waited to begin, on a logarithmic scale. */
  #waiting(
    context: CanvasRenderingContext2D,
    theme: Theme,
    waiting: Float32Array,
    interval: number,
    x: (time: number) => number,
    bottom: number,
  ): void {
    const most = mostOf(waiting);
    if (most < LEAST_WAITING) return;
    for (const [at, mean] of waiting.entries()) {
      if (mean < 0.05) continue;
      const strength = Math.log1p(mean) / Math.log1p(Math.max(most, 4));
      context.fillStyle = cssColor(withAlpha(theme.severity[1]!, 0.15 + 0.75 * strength));
      context.fillRect(x(at * interval), 0, Math.max(x(interval), 0.6), Math.min(4, bottom / 4));
    }
  }

  #coreLine(context: CanvasRenderingContext2D, theme: Theme, y: number): void {
    const { width } = this.#sheet;
    const { workers, processors } = this.store.model.run;
    context.strokeStyle = cssColor(theme.text); // red is the critical path's
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(0, Math.round(y) + 0.5);
    context.lineTo(width, Math.round(y) + 0.5);
    context.stroke();
    context.setLineDash([]);
    const label = processors < workers ? formatNumber(processors, 'processor') : formatNumber(workers, 'worker');
    context.textAlign = 'right';
    const room = context.measureText(label).width;
    context.fillStyle = cssColor(withAlpha(theme.background, 0.8));
    context.fillRect(width - room - 10, y + 2, room + 8, 13);
    context.fillStyle = cssColor(theme.text);
    context.fillText(label, width - 6, y + 9);
  }

  #axis(context: CanvasRenderingContext2D, theme: Theme, bottom: number): void {
    const { width } = this.#sheet;
    const perPixel = this.store.end / width;
    const step = ns(roundStep(110 * perPixel));
    context.fillStyle = cssColor(theme.text);
    context.strokeStyle = cssColor(theme.edge);
    for (const time of ticks(0, this.store.end, step)) {
      const x = time / perPixel;
      context.beginPath();
      context.moveTo(x, bottom);
      context.lineTo(x, bottom + 3);
      context.stroke();
      context.textAlign = x < 30 ? 'left' : x > width - 30 ? 'right' : 'center';
      context.fillText(formatTick(ns(time), step), x, bottom + AXIS / 2 + 1);
    }
  }

  #brush(context: CanvasRenderingContext2D, theme: Theme, bottom: number): void {
    const range = this.#drag ? this.#dragged(this.#drag) : this.store.range.value;
    if (!range) return;
    const { width } = this.#sheet;
    const [left, right] = [range.start, range.end].map((time) => (time / this.store.end) * width) as [number, number];
    context.fillStyle = cssColor(withAlpha(theme.background, 0.65));
    context.fillRect(0, 0, left, bottom);
    context.fillRect(right, 0, width - right, bottom);
    context.strokeStyle = cssColor(theme.selection);
    context.strokeRect(Math.round(left) + 0.5, 0.5, Math.max(Math.round(right - left), 1), bottom - 1);
  }

  #dragged({ from, to }: { from: number; to: number }): TimeRange {
    const time = (x: number) => (Math.min(Math.max(x, 0), this.#sheet.width) / this.#sheet.width) * this.store.end;
    return { start: ns(time(Math.min(from, to))), end: ns(time(Math.max(from, to))) };
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#sheet.root.setPointerCapture(event.pointerId);
    this.#drag = { from: event.offsetX, to: event.offsetX };
  }

  #move(event: PointerEvent): void {
    if (this.#drag) {
      this.#drag.to = event.offsetX;
      this.redraw();
      return;
    }
    const { working, running, waiting, interval_ns } = this.store.model.whole.strip;
    const time = ns((event.offsetX / this.#sheet.width) * this.store.end);
    const at = Math.floor(time / interval_ns);
    if (working[at] === undefined) return;
    const waited = `${formatRatio(waiting[at]!)} tasks created and not begun`;
    const open = `${formatRatio(running[at]!)} in grains`;
    this.#caption.textContent = `${formatTime(time)}: ${formatRatio(working[at]!)} workers at work, ${open}; ${waited}`;
  }

  #up(): void {
    const drag = this.#drag;
    this.#end();
    if (!drag) return;
    this.store.focus(Math.abs(drag.to - drag.from) < SLACK ? undefined : this.#dragged(drag));
  }

  #end(): void {
    this.#drag = undefined;
    this.redraw();
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const all = this.store.end;
    const { start, end } = this.store.range.value ?? { start: ns(0), end: ns(all * 5 * KEY_STEP) };
    if (event.shiftKey) this.store.focus({ start, end: ns(Math.max(start + all * KEY_STEP, end + all * step)) });
    else {
      const move = Math.min(Math.max(step * all, -start), all - end);
      this.store.focus({ start: ns(start + move), end: ns(end + move) });
    }
  }
}

const mostOf = (means: Float32Array) => means.reduce((all, mean) => Math.max(all, mean), 0);

/** Explains the band of tasks that wait, if there is one. */
function waitingKey(waiting: Float32Array): HTMLElement[] {
  if (mostOf(waiting) < LEAST_WAITING) return [];
  return [element('span', { class: 'waiting' }, element('i'), 'tasks not begun yet')];
}

/** Whether two ranges look alike on the strip. */
function isNear(one: TimeRange, other: TimeRange | undefined, all: number): boolean {
  if (!other) return false;
  return Math.abs(one.start - other.start) + Math.abs(one.end - other.end) < all * 0.005;
}
