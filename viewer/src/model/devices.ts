// SPDX-License-Identifier: Apache-2.0
// What the devices of a host did: when data moved to and from each of them, and when regions ran
// there. Each device has a lane of the time line, below those of the workers.
import { fail, ok, type Result } from '../base/result';
import type { NsColumn } from '../base/time';
import { decodeTable, isRecord, type Layout } from './columns';
import { decodeList } from './fields';

/** By lane and time; those of a lane do not overlap. */
export interface DevicePieces {
  /** Position in the list of devices. */
  lane: Uint16Array;
  start: NsColumn;
  end: NsColumn;
  /** A PieceKind. */
  kind: Uint8Array;
  /** Position in the list of places. */
  place: Uint32Array;
  /** Of data that moved. */
  bytes: Float64Array;
}
const PIECES: Layout<DevicePieces> = {
  lane: 'u16',
  start: 'f64',
  end: 'f64',
  kind: 'u8',
  place: 'u32',
  bytes: 'f64',
};

export const PieceKind = { To: 0, Region: 1, From: 2 } as const;

export interface DevicePlace {
  construct: string;
  file: string;
  line: number;
  function: string;
}
const PLACE = { construct: 'string', file: 'string', line: 'number', function: 'string' } as const;

export interface Devices {
  /** The numbers of the devices; empty if the run has none. */
  devices: number[];
  places: DevicePlace[];
  piece: DevicePieces;
  /** How many pieces are left out because they are shorter. */
  more: number;
}

const NOTHING: Devices = {
  devices: [],
  places: [],
  piece: {
    lane: new Uint16Array(),
    start: new Float64Array() as NsColumn,
    end: new Float64Array() as NsColumn,
    kind: new Uint8Array(),
    place: new Uint32Array(),
    bytes: new Float64Array(),
  },
  more: 0,
};

/** A run without devices has no such value. */
export function decodeDevices(value: unknown): Result<Devices> {
  const name = 'whole.devices';
  if (value === undefined) return ok(NOTHING);
  if (!isRecord(value)) return fail(`${name}: expected an object.`);
  const { devices, more } = value;
  if (!Array.isArray(devices) || devices.some((device) => typeof device !== 'number'))
    return fail(`${name}.devices: expected a list of numbers.`);
  if (typeof more !== 'number') return fail(`${name}.more: expected a number.`);
  const places = decodeList<DevicePlace>(value.places, PLACE, `${name}.places`);
  if (!places.ok) return places;
  const piece = decodeTable(value.piece, PIECES, `${name}.piece`);
  if (!piece.ok) return piece;
  if (piece.value.lane.some((lane) => lane >= devices.length))
    return fail(`${name}.piece.lane: refers to a device that is not there.`);
  if (piece.value.place.some((place) => place >= places.value.length))
    return fail(`${name}.piece.place: refers to a place that is not there.`);
  return ok({ devices, places: places.value, piece: piece.value, more });
}
