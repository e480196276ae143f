// SPDX-License-Identifier: Apache-2.0
// Decides what of the time line is drawn: one lane per worker, fragments as rectangles, neighbours that share
// a pixel drawn as one.
import type { Viewport } from '../base/viewport';
import { firstAfter, type Lane } from '../model/lanes';
import { Flag, type Model } from '../model/model';
import { Batch, type Look, PLAIN } from './batch';
import type { Marks } from './graph-scene';
import type { Paint } from './paint';

export interface LaneGeometry {
  /** Top of the first lane in pixels, with scrolling taken into account. */
  top: number;
  height: number;
  gap: number;
}

export interface TimelineFrame {
  view: Viewport;
  width: number;
  height: number;
  lanes: LaneGeometry;
  paint: Paint;
  marks: Marks;
}

interface Span {
  x: number;
  width: number;
  y: number;
  height: number;
}

export class TimelineScene {
  readonly batches = { ground: new Batch(), fragments: new Batch(), marks: new Batch() };

  constructor(
    readonly model: Model,
    readonly lanes: readonly Lane[],
  ) {}

  build(frame: TimelineFrame): void {
    for (const batch of Object.values(this.batches)) batch.clear();
    for (const [i, lane] of this.lanes.entries()) {
      const y = frame.lanes.top + i * (frame.lanes.height + frame.lanes.gap);
      if (y > frame.height || y + frame.lanes.height < 0) continue;
      this.batches.ground.add(0, y, frame.width, frame.lanes.height, frame.paint.theme.lane);
      this.#idle(frame, lane, y);
      this.#fragments(frame, lane, y);
    }
  }

  #idle(frame: TimelineFrame, lane: Lane, y: number): void {
    const { start, end } = this.model.idle;
    const height = Math.max(2, frame.lanes.height * 0.3);
    const top = y + (frame.lanes.height - height) / 2;
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (const row of visible(frame, lane.idles, start, end)) {
      const { x, right } = extent(frame, start[row]!, end[row]!);
      if (right < drawnTo + 0.5) continue;
      drawnTo = right;
      this.batches.ground.add(x, top, Math.max(right - x, 0.5), height, frame.paint.theme.idle);
    }
  }

  #fragments(frame: TimelineFrame, lane: Lane, y: number): void {
    const { start, end, grain, critical } = this.model.fragment;
    const { selected, hovered } = frame.marks;
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (const row of visible(frame, lane.fragments, start, end)) {
      const { x, right } = extent(frame, start[row]!, end[row]!);
      const g = grain[row]!;
      if (g === selected || g === hovered)
        this.#mark(frame, { x, width: right - x, y, height: frame.lanes.height }, g === selected);
      // A fragment inside a pixel that is drawn already shows only if it matters more than what is there.
      const matters = critical[row] === 1 && frame.paint.dimmed[g] === 0;
      if (right < drawnTo + 0.5 && !matters) continue;
      drawnTo = Math.max(drawnTo, right);
      this.#fragment(frame, g, matters, { x, width: right - x, y, height: frame.lanes.height });
    }
  }

  #fragment({ paint }: TimelineFrame, g: number, isCritical: boolean, { x, width, y, height }: Span): void {
    const { theme } = paint;
    const hatched = (this.model.grain.flags[g]! & Flag.Unfinished) !== 0;
    const wide = width >= 5;
    // A hair's breadth between neighbours, where there is room for it.
    const drawn = wide ? width - 0.5 : Math.max(width, 0.7);
    const look: Look = wide ? { stroke: 0, strokeWidth: 0, radius: 2, hatched } : PLAIN;
    this.batches.fragments.add(x, y, drawn, height, paint.fill[g]!, look);
    if (isCritical) this.batches.fragments.add(x, y + height - 3, drawn, 3, theme.critical);
  }

  #mark({ paint }: TimelineFrame, { x, width, y, height }: Span, strong: boolean): void {
    const look: Look = { stroke: paint.theme.selection, strokeWidth: strong ? 2 : 1.25, radius: 3, hatched: false };
    const drawn = Math.max(width, 1.5);
    this.batches.marks.add(x - 1.5, y - 1.5, drawn + 3, height + 3, 0, look);
  }
}

/** Rows with a part inside the view. */
function* visible(
  { view, width }: TimelineFrame,
  rows: Uint32Array,
  start: Float64Array,
  end: Float64Array,
): Generator<number> {
  const right = view.x + width / view.scaleX;
  for (let i = firstAfter(rows, end, view.x); i < rows.length && start[rows[i]!]! < right; i++) yield rows[i]!;
}

/** Pixels from one instant to another, clipped a little outside the view. */
function extent({ view, width }: TimelineFrame, start: number, end: number): { x: number; right: number } {
  return {
    x: Math.max((start - view.x) * view.scaleX, -10),
    right: Math.min((end - view.x) * view.scaleX, width + 10),
  };
}

/** The fragment at a time in a lane, or the nearest one within `slack` nanoseconds. */
export function fragmentAt(model: Model, lane: Lane, time: number, slack: number): number | undefined {
  const { start, end } = model.fragment;
  const i = firstAfter(lane.fragments, end, time);
  const candidates = [lane.fragments[i], lane.fragments[i - 1]].filter((row) => row !== undefined);
  const distance = (row: number) => Math.max(start[row]! - time, time - end[row]!, 0);
  candidates.sort((a, b) => distance(a) - distance(b));
  const nearest = candidates[0];
  return nearest !== undefined && distance(nearest) <= slack ? nearest : undefined;
}
