// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { folded } from '../../../test/folded';
import {
  chain,
  demo,
  type Grain,
  initial,
  loop,
  mergeSort,
  randomNumbers,
  region,
  siblings,
} from '../../../test/program';
import { viewModel } from '../../../test/sample';
import { decodeModel, decodePart } from '../../model/decode';
import { grow } from '../../model/grow';
import { grainRow, NONE } from '../../model/ids';
import { GrainKind, ItemKind, JoinKind, type Model } from '../../model/model';
import { buildTree, type Tree } from '../../model/tree';
import { inputOf } from './input';
import { type GraphLayout, layOut } from './layout';
import { HEAD, TimeScale } from './measures';
import { buffersOf, received, sent } from './sent';
import { isEdge, ShapeKind } from './shapes';

interface LaidOut {
  model: Model;
  tree: Tree;
  layout: GraphLayout;
}

function layOutProgram(root: Grain): LaidOut {
  const decoded = decodeModel(viewModel(root));
  if (!decoded.ok) throw new Error(decoded.error);
  const tree = buildTree(decoded.value);
  return { model: decoded.value, tree, layout: layOutClosed(decoded.value, tree) };
}

/** With all groups closed. */
function layOutClosed(model: Model, tree: Tree): GraphLayout {
  return layOut(inputOf(model, tree, TimeScale.of(model.fragment).unitsPerNs, () => false));
}

const random = randomNumbers(1);
const task = (...steps: Grain['steps']): Grain => ({ kind: GrainKind.Task, site: 2, steps });
const leaf = (): Grain => task({ work: 1000 + 5000 * random() });

const PROGRAMS: Record<string, () => Grain> = {
  'a single grain': () => initial([{ work: 1000 }]),
  'a grain without items': () => initial([]),
  'a merge sort': () => initial([{ fork: mergeSort(300, random) }, { join: JoinKind.Taskwait }]),
  'a loop on four workers': () => initial([{ work: 10 }, ...region(4, (w) => loop(w, 20, random))]),
  'a loop of many chunks': () => initial(region(2, (w) => loop(w, 600, random))),
  'many siblings': () => siblings(1000, random),
  'a deep chain': () => chain(200),
  'a bit of everything': () => demo(1500),
  'children that nobody waits for': () =>
    initial([
      { fork: task({ fork: leaf() }, { work: 500 }, { fork: leaf() }) },
      { join: JoinKind.Taskwait },
      { work: 100 },
    ]),
  'many forks and joins in a row': () =>
    initial(
      Array.from({ length: 400 }, () => [{ fork: leaf() }, { fork: leaf() }, { join: JoinKind.Taskwait }]).flat(),
    ),
  'few wide children': () =>
    initial([
      ...Array.from({ length: 6 }, () => ({ fork: siblings(120, random) })),
      { work: 9 },
      { join: JoinKind.Taskwait },
    ]),
  'chunks that fork': () => {
    const chunk = (): Grain => ({ ...siblings(3, random), kind: GrainKind.Chunk });
    return initial(
      region(2, () => [
        { fork: leaf() },
        { chunk: chunk() },
        { work: 50 },
        { chunk: chunk() },
        { join: JoinKind.Barrier },
      ]),
    );
  },
};

/** Of sorts side by side, ten to a group; those groups are open whose number is in `open`, from 1 on. */
function layOutGroups(open: number[]): LaidOut {
  const random = randomNumbers(7);
  const program = initial([
    { work: 100 },
    ...Array.from({ length: 55 }, () => [{ fork: mergeSort(15, random) }, { work: 20 }]).flat(),
    { join: JoinKind.Taskwait },
  ]);
  const { json, part, groups } = folded(program, 10);
  const decoded = decodeModel(JSON.parse(JSON.stringify(json)));
  if (!decoded.ok) throw new Error(decoded.error);
  const model = decoded.value;
  const scale = TimeScale.of(model.fragment).unitsPerNs;
  for (const group of open) {
    const { first, count } = groups[group - 1]!;
    const answer = decodePart(part(first, count), model.sites.length, 0);
    if (!answer.ok) throw new Error(answer.error);
    grow(model, grainRow(group), answer.value);
  }
  const tree = buildTree(model);
  return { model, tree, layout: layOut(inputOf(model, tree, scale, (row) => open.includes(row))) };
}

const LAYOUTS: Record<string, () => LaidOut> = {
  ...Object.fromEntries(Object.entries(PROGRAMS).map(([name, program]) => [name, () => layOutProgram(program())])),
  'closed groups': () => layOutGroups([]),
  'open groups among closed ones': () => layOutGroups([2, 5]),
  'open groups': () => layOutGroups([6, 5, 4, 3, 2, 1]),
};

describe.each(Object.entries(LAYOUTS))('the layout of %s', (_name, layOutIt) => {
  const laidOut = layOutIt();

  it('gives every grain a box with a size', () => {
    for (let g = 0; g < laidOut.tree.order.length; g++) {
      const box = boxOf(laidOut, g);
      expect(box.x1 - box.x0).toBeGreaterThanOrEqual(30);
      expect(box.y1 - box.y0).toBeGreaterThan(0);
    }
  });

  it('keeps children and shapes inside the box', () => {
    const { tree, layout } = laidOut;
    for (let p = 0; p < tree.order.length; p++) {
      const g = tree.order[p]!;
      const box = boxOf(laidOut, g);
      const owner = tree.owner[g]!;
      if (owner !== NONE) expect(contains(boxOf(laidOut, owner), box), `grain ${g} in ${owner}`).toBe(true);
      for (let s = layout.shapeStart[p]!; s < layout.shapeStart[p + 1]!; s++)
        expect(contains(box, layout.shapes.box(s)), `shape ${s} in grain ${g}`).toBe(true);
    }
  });

  it('keeps boxes of siblings apart, and their parent’s shapes outside them', () => {
    const { tree, layout } = laidOut;
    const wrong: string[] = [];
    for (const children of childrenOf(tree).values()) {
      const boxes = children.map((g) => boxOf(laidOut, g)).sort((a, b) => a.x0 - b.x0);
      for (let i = 0; i < boxes.length; i++)
        for (let j = i + 1; j < boxes.length && boxes[j]!.x0 < boxes[i]!.x1; j++)
          if (overlap(boxes[i]!, boxes[j]!)) wrong.push(`boxes ${i} and ${j}`);
    }
    for (const [parent, children] of childrenOf(tree)) {
      const p = tree.position[parent]!;
      for (let s = layout.shapeStart[p]!; s < layout.shapeStart[p + 1]!; s++) {
        const shape = layout.shapes.box(s);
        for (const child of children) if (overlap(shape, boxOf(laidOut, child))) wrong.push(`shape ${s}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('crosses no edges, and no edge runs through a node', () => {
    const { tree, layout } = laidOut;
    const wrong: string[] = [];
    for (let p = 0; p < tree.order.length; p++) {
      const rows = range(layout.shapeStart[p]!, layout.shapeStart[p + 1]!);
      const edges = rows.filter((s) => isEdge(layout.shapes.kind[s]!)).map((s) => layout.shapes.box(s));
      const nodes = rows.filter((s) => !isEdge(layout.shapes.kind[s]!)).map((s) => layout.shapes.box(s));
      const across = edges.filter((e) => e.y0 === e.y1);
      const down = edges.filter((e) => e.x0 === e.x1);
      expect(across.length + down.length - edges.filter((e) => e.x0 === e.x1 && e.y0 === e.y1).length).toBe(
        edges.length,
      );
      for (const a of across)
        for (const d of down)
          if (a.x0 < d.x0 && d.x0 < a.x1 && d.y0 < a.y0 && a.y0 < d.y1 && !meets(d, a)) wrong.push(`edges in ${p}`);
      for (const d of down) for (const n of nodes) if (overlap(d, n)) wrong.push(`edge through node in ${p}`);
    }
    expect(wrong).toEqual([]);
  });

  it('stacks the fragments of a grain in order, children in order of creation', () => {
    const { tree, layout, model } = laidOut;
    for (let p = 0; p < tree.order.length; p++) {
      const g = tree.order[p]!;
      const fragments = range(layout.shapeStart[p]!, layout.shapeStart[p + 1]!)
        .filter((s) => layout.shapes.kind[s]! <= ShapeKind.CutFragment)
        .map((s) => ({ ref: layout.shapes.ref[s]!, box: layout.shapes.box(s) }));
      for (let i = 1; i < fragments.length; i++) {
        const [before, after] = [fragments[i - 1]!, fragments[i]!];
        expect(after.ref).toBeGreaterThan(before.ref);
        expect(after.box.y0 > before.box.y1 || after.box.x0 > before.box.x1).toBe(true);
      }
      const forked = range(model.itemStart[g]!, model.itemStart[g + 1]!).filter(
        (i) => model.item.kind[i] === ItemKind.Fork,
      );
      const children = forked.map((i) => boxOf(laidOut, model.item.ref[i]!));
      for (let i = 1; i < children.length; i++)
        expect(children[i]!.x0 > children[i - 1]!.x0 || children[i]!.y0 > children[i - 1]!.y0).toBe(true);
    }
  });
});

it('draws a closed group as one thing, and an open one down from its head', () => {
  const { layout, tree } = layOutGroups([2]);
  const kinds = (g: number) => {
    const p = tree.position[g]!;
    return [...layout.shapes.kind.subarray(layout.shapeStart[p]!, layout.shapeStart[p + 1]!)];
  };
  expect([kinds(1), layout.closed[1], layout.closed[2]]).toEqual([[ShapeKind.Group], 1, 0]);
  expect(kinds(2)).not.toContain(ShapeKind.Group);
  const top = layout.boxes[2 * 4 + 1]! + HEAD;
  for (const child of childrenOf(tree).get(2)!) expect(layout.boxes[child * 4 + 1]).toBeGreaterThanOrEqual(top);
});

it('draws nothing of what is in a group that is closed again', () => {
  const { model, tree, layout } = layOutGroups([2]);
  const again = layOut(inputOf(model, tree, layout.scale.unitsPerNs, () => false));
  const closed = layOutGroups([]).layout;
  expect(again.bounds).toEqual(closed.bounds);
  expect(again.shapes.count).toBe(closed.shapes.count);
  const inside = childrenOf(tree).get(2)![0]!;
  expect([...again.boxes.subarray(inside * 4, inside * 4 + 4)]).toEqual([...again.boxes.subarray(8, 12)]);
});

it('is the same when it comes from a worker', () => {
  const { layout } = layOutGroups([2]);
  const input = { drawn: layOutGroups([2]).model, tree: layout.tree, closed: layout.closed, unitsPerNs: 1 };
  const message = sent(layout);
  const arrived = received(input, structuredClone(message, { transfer: buffersOf(message) }));
  expect(arrived.shapes.count).toBe(arrived.shapes.kind.length);
  expect(arrived.bounds.x1).toBe(layout.bounds.x1);
  expect(arrived.shapes.box(3)).toEqual(layOutGroups([2]).layout.shapes.box(3));
});

it('lays out one box for nothing at all', () => {
  const model = viewModel(initial([]));
  const decoded = decodeModel(model);
  if (!decoded.ok) throw new Error(decoded.error);
  const { bounds } = layOutClosed(decoded.value, buildTree(decoded.value));
  expect(bounds.x1).toBeGreaterThan(0);
});

// An algorithm that is not linear would not end by then.
const LINEAR_MS = 120_000;

describe('at full size', () => {
  it.each([
    ['100,000 levels', () => chain(100_000)],
    ['100,000 siblings', () => siblings(100_000, randomNumbers(5))],
  ])('lays out %s', { timeout: LINEAR_MS }, (_name, program) => {
    const decoded = decodeModel(viewModel(program()));
    if (!decoded.ok) throw new Error(decoded.error);
    const { bounds } = layOutClosed(decoded.value, buildTree(decoded.value));
    expect(Number.isFinite(bounds.x1 * bounds.y1)).toBe(true);
  });

  it('wraps siblings to a shape that fits a screen', () => {
    const { bounds } = layOutProgram(siblings(20_000, randomNumbers(5))).layout;
    const aspect = bounds.x1 / bounds.y1;
    expect(aspect).toBeGreaterThan(0.5);
    expect(aspect).toBeLessThan(4);
  });

  it('shows the time of a fragment as height', () => {
    const { layout } = layOutProgram(initial([{ work: 10_000 }, { join: JoinKind.Taskwait }, { work: 20_000 }]));
    const heights = range(0, layout.shapes.count)
      .filter((s) => layout.shapes.kind[s] === ShapeKind.Fragment)
      .map((s) => layout.shapes.box(s).y1 - layout.shapes.box(s).y0);
    expect(heights[1]! / heights[0]!).toBeCloseTo(2);
  });
});

interface Rect {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const SLACK = 1e-6;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

function boxOf({ layout }: LaidOut, g: number): Rect {
  const [x0, y0, x1, y1] = layout.boxes.subarray(g * 4, g * 4 + 4);
  return { x0: x0!, y0: y0!, x1: x1!, y1: y1! };
}

const contains = (outer: Rect, inner: Rect) =>
  inner.x0 >= outer.x0 - SLACK &&
  inner.y0 >= outer.y0 - SLACK &&
  inner.x1 <= outer.x1 + SLACK &&
  inner.y1 <= outer.y1 + SLACK;

/** Whether the insides have a point in common; a line counts as what it runs through. */
const overlap = (a: Rect, b: Rect) =>
  a.x0 < b.x1 - SLACK && b.x0 < a.x1 - SLACK && a.y0 < b.y1 - SLACK && b.y0 < a.y1 - SLACK;

/** Whether the vertical line ends on the horizontal one: they meet, as edges at a join do. */
const meets = (down: Rect, across: Rect) =>
  Math.abs(down.y1 - across.y0) < SLACK || Math.abs(down.y0 - across.y0) < SLACK;

function childrenOf(tree: Tree): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const g of tree.order) {
    const owner = tree.owner[g]!;
    if (owner === NONE) continue;
    if (!children.has(owner)) children.set(owner, []);
    children.get(owner)!.push(g);
  }
  return children;
}
