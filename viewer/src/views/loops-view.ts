// SPDX-License-Identifier: Apache-2.0
// A loop, chunk by chunk: when each range of iterations ran and on which worker, and below that
// what an iteration cost.
import { element } from '../base/dom';
import { formatCount, formatRatio, formatTime } from '../base/format';
import { roundStep, ticks } from '../base/ticks';
import { type Ns, ns } from '../base/time';
import { cssColor } from '../draw/color';
import { numberColor, type Theme } from '../draw/theme';
import type { SiteId, WorkerId } from '../model/ids';
import { GrainKind } from '../model/model';
import { siteLabel } from '../model/sites';
import type { LoopInstance } from '../model/whole';
import type { Store } from '../state/store';
import { signScroll } from './scroll-sign';
import { Sheet } from './sheet';
import type { Tooltip } from './tooltip';
import { wholeRun } from './whole-run';

const LEFT = 66;
const AXIS = 18;
/** Labels of the axis are at least as far apart. */
const LABEL_GAP = 8;
const TOP = 17;
const GAP = 20;
/** The share of the height for the work per iteration. */
const COSTS = 0.36;

export class LoopsView {
  readonly root = element('section', { class: 'loops', 'aria-label': 'Loops, chunk by chunk' });
  readonly #loops: readonly LoopInstance[];
  readonly #choice = element('select', { name: 'loop', 'aria-label': 'Loop' });
  readonly #text = element('span', { role: 'status' });
  readonly #workers = signScroll(element('ul', { class: 'workers', 'aria-label': 'Workers' }));
  readonly #sheet: Sheet;
  #shown = 0;

  constructor(
    readonly store: Store,
    readonly theme: () => Theme,
    readonly tooltip: Tooltip,
  ) {
    const { loops, more_loops } = store.model.whole;
    this.#loops = loops;
    this.#sheet = new Sheet('Chunks of the loop by iteration and time. Left and right go to other loops.', (context) =>
      this.#draw(context),
    );
    if (loops.length === 0) {
      const why =
        'No loop of this run was recorded chunk by chunk. The compiler shares out a loop with schedule(static) itself, and the recorder does not see that: schedule(runtime) with OMP_SCHEDULE=static shows it.';
      this.root.append(element('p', { class: 'empty' }, why));
      return;
    }
    for (const [at, loop] of loops.entries()) this.#choice.append(element('option', { value: at }, this.#name(loop)));
    this.#choice.addEventListener('change', () => this.#choose(Number(this.#choice.value), true));
    const more = more_loops > 0 ? ` ${formatCount(more_loops)} more with less work are left out.` : '';
    this.root.append(
      element(
        'div',
        { class: 'viewbar' },
        element('label', {}, 'Loop ', this.#choice),
        this.#text,
        element('small', {}, more),
        wholeRun('figures: whole run'),
      ),
      this.#workers,
      this.#sheet.root,
    );
    const { root } = this.#sheet;
    root.addEventListener('pointermove', (event) => this.#hover(event.offsetX, event.offsetY));
    root.addEventListener('pointerleave', () => tooltip.hide());
    root.addEventListener('click', (event) => this.#click(event.offsetX));
    root.addEventListener('keydown', (event) => this.#key(event));
    store.site.listen((site) => this.#follow(site));
    for (const signal of [store.selected, store.range]) signal.listen(() => this.redraw());
    this.#choose(0, false);
  }

  redraw(): void {
    if (this.#loops.length > 0) this.#showWorkers();
    this.#sheet.request();
  }

  #name({ site, chunks, work_ns, begin_ns }: LoopInstance): string {
    const label = siteLabel(this.store.model.sites[site]!);
    return `${label} at ${formatTime(begin_ns)}: ${formatCount(chunks)} chunks, ${formatTime(work_ns)}`;
  }

  get #loop(): LoopInstance {
    return this.#loops[this.#shown]!;
  }

  #follow(site: SiteId | undefined): void {
    if (site === undefined || this.#loop.site === site) return;
    const at = this.#loops.findIndex((loop) => loop.site === site);
    if (at >= 0) this.#choose(at, false);
  }

  #choose(at: number, select: boolean): void {
    this.#shown = Math.min(Math.max(at, 0), this.#loops.length - 1);
    this.#choice.value = String(this.#shown);
    const loop = this.#loop;
    if (select) this.store.highlight(loop.site);
    const { row } = loop;
    const merged = row.first.length < loop.chunks;
    const longest = ns(row.work.reduce((most, work) => Math.max(most, work), 0));
    const spread = merged
      ? `each mark stands for ${formatRatio(loop.chunks / row.first.length)} chunks on average`
      : `the longest chunk ${formatTime(longest)}, ${formatRatio(longest / (loop.work_ns / loop.chunks))} times the mean`;
    const size = loop.chunk > 0 ? `, ${formatCount(loop.chunk)}` : '';
    this.#text.textContent = `schedule(${loop.schedule}${size}), ${formatCount(loop.threads)} threads, ${formatCount(loop.iterations)} iterations in ${formatCount(loop.chunks)} chunks, ${formatTime(loop.work_ns)} work; ${spread}`;
    this.redraw();
  }

  /** Lists how much of the loop each worker ran. */
  #showWorkers(): void {
    const { row, work_ns } = this.#loop;
    const work = new Map<WorkerId, Ns>();
    for (const [at, worker] of row.worker.entries()) work.set(worker, ns((work.get(worker) ?? 0) + row.work[at]!));
    const { worker_names } = this.store.model.run;
    const entries = [...work]
      .sort(([a], [b]) => a - b)
      .map(([worker, time]) => {
        const mark = element('i');
        mark.style.background = cssColor(numberColor(this.theme(), worker));
        const name = worker_names[worker] ?? `Worker ${worker}`;
        return element(
          'li',
          {},
          mark,
          `${name} ${formatTime(time)} (${Math.round((100 * time) / Math.max(work_ns, 1))} %)`,
        );
      });
    this.#workers.replaceChildren(...entries);
  }

  #scales() {
    const { row } = this.#loop;
    const { width, height } = this.#sheet;
    const last = row.first.reduce((most, first, at) => Math.max(most, first + row.iterations[at]!), 1);
    const start = ns(row.start.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY));
    const end = ns(row.end.reduce((most, time) => Math.max(most, time), start + 1));
    const bottom = height - AXIS;
    const border = Math.round(bottom * (1 - COSTS));
    const x = (iteration: number) => LEFT + (iteration / last) * (width - LEFT - 8);
    const y = (time: Ns) => TOP + ((time - start) / (end - start)) * (border - GAP - TOP);
    return { last, start, end, bottom, border, x, y };
  }

  #draw(context: CanvasRenderingContext2D): void {
    const theme = this.theme();
    const { row } = this.#loop;
    const { x, y, bottom, border } = this.#scales();
    const cost = (at: number) => row.work[at]! / Math.max(row.iterations[at]!, 1);
    const dearest = ns(row.work.reduce((most, _, at) => Math.max(most, cost(at)), 0) || 1);
    const found = this.store.range.value;
    for (let at = 0; at < row.first.length; at++) {
      const left = x(row.first[at]!);
      const width = Math.max(x(row.first[at]! + row.iterations[at]!) - left - 0.5, 1);
      const outside = found && (row.end[at]! < found.start || row.start[at]! > found.end);
      context.globalAlpha = outside ? 0.2 : 1;
      context.fillStyle = cssColor(numberColor(theme, row.worker[at]!));
      context.fillRect(left, y(row.start[at]!), width, Math.max(y(row.end[at]!) - y(row.start[at]!), 1.5));
      const height = (cost(at) / dearest) * (bottom - border - 4);
      context.fillRect(left, bottom - height, width, height);
    }
    context.globalAlpha = 1;
    this.#axes(context, theme, dearest);
  }

  #axes(context: CanvasRenderingContext2D, theme: Theme, dearest: Ns): void {
    const { x, y, start, end, bottom, border, last } = this.#scales();
    const { width } = this.#sheet;
    context.fillStyle = cssColor(theme.text);
    context.strokeStyle = cssColor(theme.edge);
    context.beginPath();
    context.moveTo(LEFT - 4, TOP);
    context.lineTo(LEFT - 4, border - GAP);
    context.moveTo(LEFT - 4, border);
    context.lineTo(LEFT - 4, bottom + 0.5);
    context.lineTo(width - 8, bottom + 0.5);
    context.stroke();
    context.textAlign = 'right';
    context.fillText(formatTime(start), LEFT - 8, y(start) + 4);
    context.fillText(formatTime(end), LEFT - 8, y(end) - 2);
    context.fillText(formatTime(dearest), LEFT - 8, border + 4);
    context.fillText('0', LEFT - 8, bottom - 4);
    context.textAlign = 'left';
    if (bottom > 90) {
      context.fillText('Time, downwards', LEFT, 7);
      context.fillText('Work per iteration', LEFT, border - GAP / 2 + 1);
    }
    const step = roundStep((last * 80) / Math.max(width - LEFT, 80));
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (const iteration of ticks(0, last, step)) {
      const label = formatCount(iteration);
      const room = context.measureText(label).width;
      const isLast = x(iteration) > width - 40;
      const left = x(iteration) - (isLast ? room : room / 2);
      if (left < drawnTo + LABEL_GAP) continue;
      drawnTo = left + room;
      context.textAlign = isLast ? 'right' : 'center';
      context.fillText(label, x(iteration), bottom + AXIS / 2 + 2);
    }
  }

  #rowAt(x: number): number | undefined {
    const { row } = this.#loop;
    const { last } = this.#scales();
    const iteration = ((x - LEFT) / (this.#sheet.width - LEFT - 8)) * last;
    const at = row.first.findIndex((first, i) => iteration >= first && iteration < first + row.iterations[i]!);
    return at < 0 ? undefined : at;
  }

  #hover(x: number, y: number): void {
    const at = this.#rowAt(x);
    this.#sheet.root.style.cursor = at === undefined ? '' : 'pointer';
    if (at === undefined) {
      this.tooltip.hide();
      return;
    }
    const { row } = this.#loop;
    const name = `Iterations ${formatCount(row.first[at]!)} to ${formatCount(row.first[at]! + row.iterations[at]! - 1)}`;
    const chunks = row.count[at]! > 1 ? `${formatCount(row.count[at]!)} chunks, mostly ` : '';
    const text = `${chunks}worker ${row.worker[at]}, ${formatTime(row.work[at]!)} work, from ${formatTime(row.start[at]!)} to ${formatTime(row.end[at]!)}`;
    this.tooltip.say(text, this.#sheet.root, x, y, name);
  }

  /**
   * Selects the grain of the chunk at x. Where the chunk has no grain of its own, selects its time
   * range.
   */
  #click(x: number): void {
    const at = this.#rowAt(x);
    if (at === undefined) return;
    const { row, site } = this.#loop;
    const { grain } = this.store.model;
    const own = this.store.bySite.of(site).find((g) => {
      return (
        grain.kind[g] === GrainKind.Chunk && grain.worker[g] === row.worker[at] && grain.start[g] === row.start[at]
      );
    });
    if (own !== undefined && row.count[at] === 1) this.store.goTo(own);
    else this.store.focus({ start: row.start[at]!, end: row.end[at]! });
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#choose(this.#shown + step, true);
  }
}
