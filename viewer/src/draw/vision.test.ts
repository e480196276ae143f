// SPDX-License-Identifier: Apache-2.0
// Tests that colours with a meaning differ from each other and from their background, for any
// colour vision.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrast, distance, leastDistance, VISIONS } from '../../test/vision';
import { color } from './color';
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

describe('the classes of the budget', () => {
  const css = readFileSync(new URL('../views/answers-view.css', import.meta.url), 'utf8');
  const classes = [...css.matchAll(/^\.classes (?:\.(\w+)|i) \{\n {2}background: (#[0-9a-f]{6});/gm)];
  const colours = classes.map(([, , hex]) => color(hex!));

  it.each(Object.keys(VISIONS))('can be told apart with %s', (name) => {
    expect(colours.length).toBe(11);
    expect(leastDistance(colours, VISIONS[name]!)).toBeGreaterThan(20);
  });

  it('stand out from the ground', () => {
    for (const { background } of [LIGHT, DARK])
      for (const one of colours) expect(contrast(one, background)).toBeGreaterThan(1.5);
  });
});
