// SPDX-License-Identifier: Apache-2.0
// Colours of the drawing. Forks, joins and the critical path have the colours of the grains thesis.
// The other colours differ in lightness and on the blue-yellow axis, so that people with any colour
// vision can distinguish them.
import type { CoreId, SiteId, WorkerId } from '../model/ids';
import { color, isLight, mix } from './color';

export interface Theme {
  background: number;
  lane: number;
  idle: number;
  edge: number;
  looseEdge: number;
  text: number;
  task: number;
  implicit: number;
  chunk: number;
  group: number;
  fork: number;
  join: number;
  critical: number;
  selection: number;
  /** Low benefit, from mild to severe. */
  severity: readonly number[];
  /** The colours of a scale, from the lowest to the highest level. */
  level: readonly number[];
  /**
   * The colours of sites, workers and cores; neighbours differ for any colour vision. `other`: for
   * sites beyond them.
   */
  category: readonly number[];
  other: number;
  /** The budget's classes, the same as in classes.css; neighbours in the budget differ in lightness. */
  classes: Readonly<Record<string, number>>;
}

export const LIGHT: Theme = {
  background: color('#ffffff'),
  lane: color('#f3f5f7'),
  idle: color('#e3e6ea'),
  edge: color('#9aa3ad'),
  looseEdge: color('#c9cfd6'),
  text: color('#5b6570'),
  task: color('#9db8d9'),
  implicit: color('#c3c9d1'),
  chunk: color('#86c5c0'),
  group: color('#7c97bd'),
  fork: color('#2e8b57'),
  join: color('#ff7f50'),
  critical: color('#ff0000'),
  selection: color('#111827'),
  severity: [color('#ffe28a'), color('#f0a30a'), color('#9c5000')],
  level: [color('#c8f2b0'), color('#2f9e62'), color('#12317f')],
  category: ['#0072b2', '#e08a00', '#009e73', '#cc79a7', '#56b4e9', '#c44e00', '#e2d62c', '#33255f'].map((hex) =>
    color(hex),
  ),
  other: color('#a4abb3'),
  classes: {
    work: color('#1e6336'),
    inflation: color('#8e8a4b'),
    creation: color('#0f2f59'),
    scheduling: color('#5d50f4'),
    nothing_ready: color('#b18712'),
    ready_waiting: color('#934e07'),
    locks: color('#740500'),
    imbalance: color('#d97684'),
    serial: color('#4f2691'),
    descheduled: color('#3f2224'),
    recorder: color('#707fa0'),
  },
};

export const DARK: Theme = {
  background: color('#14181d'),
  lane: color('#1a2027'),
  idle: color('#252c35'),
  edge: color('#5d6874'),
  looseEdge: color('#39424c'),
  text: color('#94a0ad'),
  task: color('#4a6d97'),
  implicit: color('#59626d'),
  chunk: color('#2f7f7b'),
  group: color('#6487b8'),
  fork: color('#2e8b57'),
  join: color('#ff7f50'),
  critical: color('#ff2a2a'),
  selection: color('#ffffff'),
  severity: [color('#7d6420'), color('#d99a1c'), color('#ffe08a')],
  level: [color('#b5e8a0'), color('#2f9e62'), color('#3a5fd0')],
  category: ['#3a93d6', '#e69f00', '#00a87a', '#d987b6', '#9bd6f7', '#d55e00', '#f0e442', '#6a4aa8'].map((hex) =>
    color(hex),
  ),
  other: color('#737d88'),
  classes: {
    work: color('#81af83'),
    inflation: color('#bfe265'),
    creation: color('#0fc6fd'),
    scheduling: color('#696ce4'),
    nothing_ready: color('#d88b13'),
    ready_waiting: color('#b15006'),
    locks: color('#e15051'),
    imbalance: color('#feaac9'),
    serial: color('#a682b6'),
    descheduled: color('#f9d9a0'),
    recorder: color('#61666f'),
  },
};

/** Returns the colour of a class of the workers' time. */
export const classColor = (theme: Theme, name: string): number => theme.classes[name] ?? theme.classes.recorder!;

/** Returns the colour of a region on a device, or of a transfer. */
export const deviceColor = (theme: Theme, isRegion: boolean): number =>
  isRegion ? classColor(theme, 'work') : theme.category[1]!;

/** Returns the colour of fragments that do not have the problem that is shown. */
export const restColor = (theme: Theme): number => mix(theme.lane, theme.other, 0.5);

/** Returns the colour of text on a fill. */
export const labelColor = (fill: number): string => (isLight(fill) ? '#15202b' : '#f4f7fa');

/** Returns the colour of a severity above 0 and up to 1. */
export const severityColor = (theme: Theme, severity: number): number => onRamp(theme.severity, severity);

/** Returns the colour of a level from 0 to 1. */
export const levelColor = (theme: Theme, level: number): number => onRamp(theme.level, level);

/**
 * Returns the colour of a site. The first sites, those with most work, have a colour of their own.
 */
export const siteColor = (theme: Theme, site: SiteId): number => theme.category[site] ?? theme.other;

/**
 * Returns the colour of a worker or a core. Several share a colour where there are more than
 * colours.
 */
export const numberColor = (theme: Theme, number: WorkerId | CoreId): number =>
  theme.category[number % theme.category.length]!;

function onRamp(ramp: readonly number[], value: number): number {
  const last = ramp.length - 1;
  const at = Math.min(Math.max(value, 0), 1) * last;
  const low = Math.min(Math.floor(at), last - 1);
  return mix(ramp[low]!, ramp[low + 1]!, at - low);
}
