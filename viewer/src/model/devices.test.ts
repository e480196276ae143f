// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { column } from '../../test/column';
import { devicesOf } from '../../test/devices';
import { ns } from '../base/time';
import { pieceAt, piecesByLane, pieceText } from './device-lanes';
import { decodeDevices } from './devices';

function decoded(change: object = {}) {
  const result = decodeDevices({ ...devicesOf(), ...change });
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

it('reads the pieces of each device in order of time', () => {
  const devices = decoded();
  expect(devices.devices).toEqual([0, 1]);
  expect(piecesByLane(devices).map((rows) => [...rows])).toEqual([[0, 1, 2], [3]]);
});

it('has no devices where the model names none', () => {
  const none = decodeDevices(undefined);
  expect(none.ok && none.value.devices).toEqual([]);
});

it('finds the piece at an instant, or the nearest one', () => {
  const devices = decoded();
  const [rows] = piecesByLane(devices);
  expect(pieceAt(devices, rows!, ns(250), ns(0))).toBe(1);
  expect(pieceAt(devices, rows!, ns(660), ns(0))).toBeUndefined();
  expect(pieceAt(devices, rows!, ns(660), ns(20))).toBe(2);
});

it('says what a piece is', () => {
  const devices = decoded();
  expect(pieceText(devices, 0)).toBe('target at heat.c:42 · 4\u202f000 bytes to device 0 in 100 ns');
  expect(pieceText(devices, 1)).toBe('target at heat.c:42 · ran on device 0 for 400 ns');
  expect(pieceText(devices, 2)).toBe('target at heat.c:42 · 8 bytes back from device 0 in 50.0 ns');
  expect(pieceText(devices, 3)).toBe('update at unknown place · 16 bytes to device 1 in 100 ns');
});

it.each([
  ['a lane without a device', { devices: [0] }, /whole.devices.piece.lane/],
  ['a place that is not there', { places: [] }, /whole.devices.piece.place/],
  ['devices that are no numbers', { devices: ['0', '1'] }, /whole.devices.devices/],
  ['no pieces', { piece: undefined }, /whole.devices.piece/],
  ['another kind of column', { piece: { ...devicesOf().piece, lane: column('u8', [0, 0, 0, 1]) } }, /lane/],
])('refuses %s', (_, change, message) => {
  const result = decodeDevices({ ...devicesOf(), ...change });
  expect(!result.ok && result.error).toMatch(message);
});
