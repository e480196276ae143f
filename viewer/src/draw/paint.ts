// SPDX-License-Identifier: Apache-2.0
// Colours of all grains for a theme and a highlighted set, computed when one of them changes and
// not per frame.
import { GrainKind, type Model } from '../model/model';
import { severityOf } from '../model/severity';
import { type ColourBy, stallLevel } from '../model/stall';
import type { Subtrees, Tree } from '../model/tree';
import { withAlpha } from './color';
import { severityColor, stallColor, type Theme } from './theme';

const DIMMED = 0.2;

export interface Paint {
  theme: Theme;
  /** Fill of each grain's fragments. */
  fill: Uint32Array;
  /** Colour of a grain's whole subtree, where it is too small to be drawn in parts. */
  block: Uint32Array;
  /** 1 for grains that stand back behind the highlighted ones. */
  dimmed: Uint8Array;
  /** What dimmed shapes' colours are multiplied with. */
  dim(rgba: number): number;
}

/** What grains are coloured by; on a scale of time, where that ends, in nanoseconds. */
export interface Colour {
  by: ColourBy;
  most: number;
}

/** `highlighted`: rows of the grains to stand out; all of them when undefined. */
export function paintGrains(
  model: Model,
  tree: Tree,
  subtrees: Subtrees,
  theme: Theme,
  highlighted: Uint32Array | undefined,
  colour: Colour = { by: 'kind', most: 1 },
): Paint {
  const grains = model.grain.kind.length;
  const paint: Paint = {
    theme,
    fill: new Uint32Array(grains),
    block: new Uint32Array(grains),
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
  const stalls = meanStalls(model, tree, colour);
  for (let g = 0; g < grains; g++) {
    const base = kindColor(theme, model.grain.kind[g]!);
    const coloured = (severity: number, stall: number | undefined) =>
      colour.by !== 'kind' ? byStall(theme, base, stall) : severity > 0 ? severityColor(theme, severity) : base;
    const fill = coloured(severityOf(model, g), stallLevel(model, g, colour.by, colour.most));
    paint.fill[g] = paint.dimmed[g] ? paint.dim(fill) : fill;
    const whole = coloured(subtrees.severity[g]!, stalls[g]);
    const block = subtrees.critical[g] ? theme.critical : whole;
    paint.block[g] = undimmedInside[g] ? block : paint.dim(block);
  }
  return paint;
}

/** Of each subtree, of those grains in it that have a level; else NaN. */
function meanStalls(model: Model, tree: Tree, { by, most }: Colour): Float64Array {
  const grains = tree.order.length;
  const sum = new Float64Array(grains);
  const known = new Uint32Array(grains);
  for (let p = grains - 1; p >= 0; p--) {
    const g = tree.order[p]!;
    const level = stallLevel(model, g, by, most);
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

/** Grains of which it is not known stand back. */
function byStall(theme: Theme, base: number, level: number | undefined): number {
  return level === undefined || Number.isNaN(level) ? withAlpha(base, DIMMED) : stallColor(theme, level);
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
