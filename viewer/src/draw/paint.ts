// SPDX-License-Identifier: Apache-2.0
// Colours of all grains for a theme and a highlighted set, computed when one of them changes and
// not per frame.
import { firstCores } from '../model/cores';
import { type CoreId, type GrainRow, type GrainRows, grainRow, NOBODY, NONE } from '../model/ids';
import { type ColourBy, categoryOf, levelOf } from '../model/metrics';
import { GrainKind, type Model } from '../model/model';
import type { Severity } from '../model/problems';
import { severityOf } from '../model/severity';
import type { Subtrees, Tree } from '../model/tree';
import { withAlpha } from './color';
import { levelColor, severityColor, siteColor, type Theme } from './theme';

const DIMMED = 0.2;

export interface Paint {
  theme: Theme;
  /** Fill of each grain's fragments. */
  fill: Uint32Array;
  /** Fill of each fragment, where the fragments of one grain may differ; undefined: they do not. */
  fragments: Uint32Array | undefined;
  /** Colour of a grain's whole subtree, where it is too small to be drawn in parts. */
  block: Uint32Array;
  /** Fill of each grain where the kinds of grains cannot be told apart: by site, if `fill` is by kind. */
  small: Uint32Array;
  /** 1 for grains in whose subtree the critical path is, unless a problem is shown. */
  critical: Uint8Array;
  /** 1 for grains that are dimmed, because other grains are highlighted. */
  dimmed: Uint8Array;
  /** Returns the dimmed form of a colour. */
  dim(rgba: number): number;
}

/** What grains are coloured by. `most`: the end of the scale; for times, in nanoseconds. */
export interface Colour {
  by: ColourBy;
  most: number;
  /** The severity for the problem that is shown. It replaces the colours of `by`. */
  severity?: Severity;
  /** Returns the colour of a category. */
  categories?: (category: number) => number;
}

/** Computes the colours. `highlighted`: rows of the grains that stand out; undefined: all do. */
export function paintGrains(
  model: Model,
  tree: Tree,
  subtrees: Subtrees,
  theme: Theme,
  highlighted: GrainRows | undefined,
  colour: Colour = { by: 'kind', most: 1 },
): Paint {
  const grains = model.grain.kind.length;
  const paint: Paint = {
    theme,
    fill: new Uint32Array(grains),
    fragments: undefined,
    block: new Uint32Array(grains),
    small: new Uint32Array(grains),
    critical: new Uint8Array(grains),
    dimmed: new Uint8Array(grains).fill(highlighted ? 1 : 0),
    dim: (rgba) => withAlpha(rgba, DIMMED),
  };
  for (const g of highlighted ?? []) paint.dimmed[g] = 0;
  const undimmedInside = paint.dimmed.map((dimmed) => 1 - dimmed);
  for (let p = grains - 1; p > 0; p--) {
    const g = tree.order[p]!;
    const owner = tree.owner[g]!;
    if (undimmedInside[g] && owner < grains) undimmedInside[owner] = 1;
  }
  const level = (g: GrainRow) => levelOf(model, g, colour.by, colour.most);
  const levels = meanLevels(tree, level);
  const worst = colour.severity && worstInside(tree, colour.severity);
  const cores = colour.by === 'core' && !colour.severity ? firstCores(model) : undefined;
  for (let g = grainRow(0); g < grains; g++) {
    const base = kindColor(theme, model.grain.kind[g]!);
    const coloured = (benefit: number, problem: number | undefined, at: number | undefined) => {
      if (problem !== undefined) return problem > 0 ? severityColor(theme, problem) : base;
      const core = cores?.[g] === NOBODY ? undefined : cores?.[g];
      const category = colour.categories && (core ?? categoryOf(model, g, colour.by));
      if (category !== undefined) return colour.categories!(category);
      if (colour.by !== 'kind') return byLevel(theme, base, at);
      return benefit > 0 ? severityColor(theme, benefit) : base;
    };
    const fill = coloured(severityOf(model, g), colour.severity?.(g), level(g));
    paint.fill[g] = paint.dimmed[g] ? paint.dim(fill) : fill;
    const isPlain = colour.by === 'kind' && !colour.severity && model.grain.site[g] !== NONE;
    const ofSite = (benefit: number) => isPlain && benefit === 0 && siteColor(theme, model.grain.site[g]!);
    const small = ofSite(severityOf(model, g)) || fill;
    paint.small[g] = paint.dimmed[g] ? paint.dim(small) : small;
    const whole = ofSite(subtrees.severity[g]!) || coloured(subtrees.severity[g]!, worst?.[g], levels[g]);
    paint.critical[g] = subtrees.critical[g] && !worst ? 1 : 0;
    paint.block[g] = undimmedInside[g] ? whole : paint.dim(whole);
  }
  if (cores && colour.categories) paint.fragments = fragmentsByCore(model, paint, colour.categories);
  return paint;
}

function fragmentsByCore({ fragment }: Model, paint: Paint, colourOf: (core: CoreId) => number): Uint32Array {
  return Uint32Array.from(fragment.core as Iterable<CoreId>, (core, row) => {
    const grain = fragment.grain[row]!;
    if (core === NOBODY) return paint.fill[grain]!;
    return paint.dimmed[grain] ? paint.dim(colourOf(core)) : colourOf(core);
  });
}

/** Returns for each subtree the mean level of the grains that have one; NaN: none has. */
function meanLevels(tree: Tree, levelOf: (grain: GrainRow) => number | undefined): Float64Array {
  const grains = tree.order.length;
  const sum = new Float64Array(grains);
  const known = new Uint32Array(grains);
  for (let p = grains - 1; p >= 0; p--) {
    const g = tree.order[p]!;
    const level = levelOf(g);
    if (level !== undefined) {
      sum[g]! += level;
      known[g]!++;
    }
    const owner = tree.owner[g]!;
    if (owner >= grains) continue;
    sum[owner]! += sum[g]!;
    known[owner]! += known[g]!;
  }
  return sum.map((all, g) => all / known[g]!);
}

/**
 * Returns for each subtree the severity of its worst grain, so that a problem shows in a small
 * drawing, too.
 */
function worstInside(tree: Tree, severity: Severity): Float32Array {
  const worst = new Float32Array(tree.order.length);
  for (let p = worst.length - 1; p >= 0; p--) {
    const g = tree.order[p]!;
    worst[g] = Math.max(worst[g]!, severity(g));
    const owner = tree.owner[g]!;
    if (owner < worst.length) worst[owner] = Math.max(worst[owner]!, worst[g]!);
  }
  return worst;
}

/** Returns the colour of a level. Grains without a level are dimmed. */
function byLevel(theme: Theme, base: number, level: number | undefined): number {
  return level === undefined || Number.isNaN(level) ? withAlpha(base, DIMMED) : levelColor(theme, level);
}

export function kindColor(theme: Theme, kind: number): number {
  switch (kind) {
    case GrainKind.Implicit:
    case GrainKind.Initial:
      return theme.implicit;
    case GrainKind.Chunk:
      return theme.chunk;
    case GrainKind.Group:
      return theme.group;
    default:
      return theme.task;
  }
}
