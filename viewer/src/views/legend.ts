// SPDX-License-Identifier: Apache-2.0
// What the colours and shapes mean. Entries that the recording has no case of are left out.
import { element } from '../base/dom';
import { cssColor } from '../draw/color';
import type { Theme } from '../draw/theme';
import { Flag, GrainKind, type Model } from '../model/model';

type Entry = [className: string, color: number | undefined, text: string];

export class Legend {
  readonly root = element('ul', { class: 'legend', 'aria-label': 'Legend' });
  readonly #kinds: Set<number>;
  readonly #flags: number;

  constructor(
    model: Model,
    readonly hasCuts: boolean,
  ) {
    this.#kinds = new Set(model.grain.kind);
    this.#flags = model.grain.flags.reduce((all, flags) => all | flags, 0);
  }

  show(theme: Theme): void {
    this.root.replaceChildren(...this.#entries(theme).map(([className, rgba, text]) => swatch(className, rgba, text)));
    const ramp = theme.severity.map(cssColor).join(', ');
    this.root.style.setProperty('--severity', `linear-gradient(90deg, ${ramp})`);
  }

  #entries(theme: Theme): Entry[] {
    const entries: Entry[] = [];
    const has = (...kinds: GrainKind[]) => kinds.some((kind) => this.#kinds.has(kind));
    if (has(GrainKind.Task)) entries.push(['', theme.task, 'Task']);
    if (has(GrainKind.Chunk)) entries.push(['', theme.chunk, 'Loop chunk']);
    if (has(GrainKind.Implicit, GrainKind.Initial)) entries.push(['', theme.implicit, 'Implicit or initial task']);
    if (has(GrainKind.Group)) entries.push(['', theme.group, 'Group of small grains']);
    if (this.#flags & Flag.LowBenefit) entries.push(['severity', undefined, 'Low benefit, mild to severe']);
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
