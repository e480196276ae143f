// SPDX-License-Identifier: Apache-2.0
// The lanes of devices in the time line, and what is said of the pieces in them.
import { formatCount, formatTime } from '../base/format';
import { type Ns, ns } from '../base/time';
import { type Devices, PieceKind } from './devices';
import { firstAfter } from './lanes';
import { siteLabel } from './sites';

/** The rows of the pieces of each lane, by start. */
export function piecesByLane({ devices, piece }: Devices): Uint32Array[] {
  const rows: number[][] = devices.map(() => []);
  for (const [row, lane] of piece.lane.entries()) rows[lane]!.push(row);
  return rows.map((lane) => Uint32Array.from(lane).sort((a, b) => piece.start[a]! - piece.start[b]!));
}

/** Returns the row of the piece at an instant of a lane, or of the nearest one within `slack`. */
export function pieceAt({ piece }: Devices, rows: Uint32Array, time: Ns, slack: Ns): number | undefined {
  const at = firstAfter(rows, piece.end, ns(time - slack));
  const row = rows[at];
  return row !== undefined && piece.start[row]! <= time + slack ? row : undefined;
}

/** Says what a piece is: a transfer with its bytes, or a region. */
export function pieceText({ places, piece, devices }: Devices, row: number): string {
  const place = places[piece.place[row]!]!;
  const what = `${place.construct} at ${siteLabel(place)}`;
  const time = formatTime(ns(piece.end[row]! - piece.start[row]!));
  const device = `device ${devices[piece.lane[row]!]}`;
  if (piece.kind[row] === PieceKind.Region) return `${what} · ran on ${device} for ${time}`;
  const way = piece.kind[row] === PieceKind.To ? `to ${device}` : `back from ${device}`;
  return `${what} · ${formatCount(piece.bytes[row]!)} bytes ${way} in ${time}`;
}
