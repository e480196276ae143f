// SPDX-License-Identifier: Apache-2.0
// Tests that colours with a meaning differ from each other and from their background, for any
// colour vision.
import { describe, expect, it } from 'vitest';
import { contrast, distance, leastDistance, lightness, VISIONS } from '../../test/vision';
import { DARK, LIGHT, type Theme } from './theme';

describe.each<[string, Theme]>([
  ['light', LIGHT],
  ['dark', DARK],
])('the %s theme', (_name, theme) => {
  it.each(Object.keys(VISIONS))('tells categories apart with %s', (name) => {
    expect(leastDistance([...theme.category], VISIONS[name]!)).toBeGreaterThan(12);
  });

  it.each(Object.keys(VISIONS))('tells the ends and the middle of its scales apart with %s', (name) => {
    for (const scale of [theme.severity, theme.level]) expect(leastDistance(scale, VISIONS[name]!)).toBeGreaterThan(20);
  });

  it.each(Object.keys(VISIONS))('tells the worst and the critical path from plain grains with %s', (name) => {
    for (const mark of [theme.severity.at(-1)!, theme.critical])
      for (const plain of [theme.task, theme.chunk, theme.implicit])
        expect(distance(mark, plain, VISIONS[name]!)).toBeGreaterThan(20);
  });

  it('has categories that stand out from the ground', () => {
    for (const category of theme.category) expect(contrast(category, theme.background)).toBeGreaterThan(1.5);
  });

  it('has text that can be read', () => {
    expect(contrast(theme.text, theme.background)).toBeGreaterThan(4.5);
  });
});

describe.each<[string, Theme]>([
  ['light', LIGHT],
  ['dark', DARK],
])('the classes of the budget in the %s theme', (_name, { classes, background }) => {
  const colours = Object.values(classes);
  /** Those that most budgets have. They are told apart on paper and in grey, too. */
  const COMMON = ['work', 'scheduling', 'imbalance', 'serial', 'descheduled', 'recorder'];

  it.each(Object.keys(VISIONS))('can be told apart with %s', (name) => {
    expect(colours.length).toBe(11);
    expect(leastDistance(colours, VISIONS[name]!)).toBeGreaterThan(20);
  });

  it('stand out from the ground', () => {
    for (const [name, one] of Object.entries(classes)) expect(contrast(one, background), name).toBeGreaterThan(3);
  });

  it('differ in lightness, if they are common', () => {
    const all = COMMON.map((name) => lightness(classes[name]!)).sort((a, b) => a - b);
    for (const [at, one] of all.slice(1).entries()) expect(one - all[at]!).toBeGreaterThan(6);
  });
});
