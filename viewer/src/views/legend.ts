// SPDX-License-Identifier: Apache-2.0
// What the colours and shapes mean. Entries that the recording has no case of are left out.
import { button, element } from '../base/dom';
import { formatTime } from '../base/format';
import { cssColor } from '../draw/color';
import type { Theme } from '../draw/theme';
import { Flag, GrainKind } from '../model/model';
import { type ColourBy, hasStalls } from '../model/stall';
import type { Store } from '../state/store';

const COLOURS: [ColourBy, string, string][] = [
  ['stall-time', 'Memory, time', 'Colour grains by how long they waited for memory'],
  ['stall-share', 'Memory, share', 'Colour grains by how much of their work was waiting for memory'],
];

type Entry = [className: string, color: number | undefined, text: string];

export class Legend {
  readonly root = element('ul', { class: 'legend', 'aria-label': 'Legend' });
  readonly #kinds: Set<number>;
  readonly #flags: number;

  /** Buttons that colour grains by something else than their kind. */
  readonly #colours: [ColourBy, HTMLButtonElement][];

  constructor(
    readonly store: Store,
    readonly hasCuts: boolean,
  ) {
    const { model } = store;
    this.#colours = hasStalls(model) ? COLOURS.map((entry) => this.#colour(...entry)) : [];
    this.#kinds = new Set(model.grain.kind);
    this.#flags = model.grain.flags.reduce((all, flags) => all | flags, 0);
  }

  show(theme: Theme): void {
    const entries = this.#entries(theme).map(([className, rgba, text]) => swatch(className, rgba, text));
    for (const [by, node] of this.#colours) node.setAttribute('aria-pressed', String(this.store.colourBy.value === by));
    this.root.replaceChildren(...this.#colours.map(([, node]) => element('li', {}, node)), ...entries);
    for (const name of ['severity', 'stall'] as const)
      this.root.style.setProperty(`--${name}`, `linear-gradient(90deg, ${theme[name].map(cssColor).join(', ')})`);
  }

  #colour(by: ColourBy, label: string, title: string): [ColourBy, HTMLButtonElement] {
    const { colourBy } = this.store;
    return [by, button(label, title, () => this.store.colour(colourBy.value === by ? 'kind' : by))];
  }

  #entries(theme: Theme): Entry[] {
    const shapes = this.#shapes(theme);
    const { colourBy, scale } = this.store;
    const most = colourBy.value === 'stall-share' ? '100 % of its work' : formatTime(scale.value.stall);
    if (colourBy.value !== 'kind') return [['stall', undefined, `Waits for memory: 0 to ${most}`], ...shapes];
    const entries: Entry[] = [];
    const has = (...kinds: GrainKind[]) => kinds.some((kind) => this.#kinds.has(kind));
    if (has(GrainKind.Task)) entries.push(['', theme.task, 'Task']);
    if (has(GrainKind.Chunk)) entries.push(['', theme.chunk, 'Loop chunk']);
    if (has(GrainKind.Implicit, GrainKind.Initial)) entries.push(['', theme.implicit, 'Implicit or initial task']);
    if (has(GrainKind.Group)) entries.push(['', theme.group, 'Group of small grains']);
    if (this.#flags & Flag.LowBenefit) entries.push(['severity', undefined, 'Low benefit, mild to severe']);
    return [...entries, ...shapes];
  }

  #shapes(theme: Theme): Entry[] {
    const entries: Entry[] = [];
    if (this.#flags & Flag.Unfinished) entries.push(['hatched', undefined, 'Unfinished']);
    if (this.hasCuts) entries.push(['cut', theme.task, 'Longer than drawn']);
    entries.push(['round', theme.fork, 'Fork'], ['round', theme.join, 'Join']);
    if (this.#flags & Flag.Critical) entries.push(['line', theme.critical, 'Critical path']);
    return entries;
  }
}

function swatch(className: string, rgba: number | undefined, text: string): HTMLElement {
  const mark = element('i', { class: className });
  if (rgba !== undefined) mark.style.background = cssColor(rgba);
  return element('li', {}, mark, text);
}
