// SPDX-License-Identifier: Apache-2.0
// For tests: what two devices did.
import { column } from './column';

export const devicesOf = () => ({
  devices: [0, 1],
  places: [
    { construct: 'target', file: '/src/heat.c', line: 42, function: 'relax' },
    { construct: 'update', file: '', line: 0, function: '' },
  ],
  piece: {
    lane: column('u16', [0, 0, 0, 1]),
    start: column('f64', [100, 200, 600, 300]),
    end: column('f64', [200, 600, 650, 400]),
    kind: column('u8', [0, 1, 2, 0]),
    place: column('u32', [0, 0, 0, 1]),
    bytes: column('f64', [4000, 0, 8, 16]),
  },
  more: 0,
});
