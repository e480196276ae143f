// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { color, cssColor, mix, withAlpha } from './color';
import { LIGHT, labelColor, severityColor } from './theme';

it('packs and unpacks colours', () => {
  expect(cssColor(color('#2e8b57'))).toBe('#2e8b57');
  expect(cssColor(withAlpha(color('#ff0000'), 0.2))).toBe('#ff000033');
  expect(cssColor(mix(color('#000000'), color('#ffffff'), 0.5))).toBe('#808080');
});

it('runs through the severities in order', () => {
  expect(severityColor(LIGHT, 0)).toBe(LIGHT.severity[0]);
  expect(severityColor(LIGHT, 0.5)).toBe(LIGHT.severity[1]);
  expect(severityColor(LIGHT, 1)).toBe(LIGHT.severity[2]);
});

it('writes dark on light and light on dark', () => {
  expect(labelColor(color('#ffe28a'))).toBe('#15202b');
  expect(labelColor(color('#9c5000'))).toBe('#f4f7fa');
});
