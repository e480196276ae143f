// SPDX-License-Identifier: Apache-2.0
// The ids of a view model, one kind for each thing that has ids. The row of a grain and the number
// of a grain differ: rows belong to this page's tables, numbers to the recording.
import type { Brand, Column16, Column32 } from '../base/brand';

/** A row of the tables of grains: a grain, or a group of folded grains. */
export type GrainRow = Brand<'GrainRow'>;
/** The position of a grain among all grains of the recording, in program order. */
export type GrainNumber = Brand<'GrainNumber'>;
/** A row of the list of sites. */
export type SiteId = Brand<'SiteId'>;
/** The number of a worker. */
export type WorkerId = Brand<'WorkerId'>;
/** The number of a processor. */
export type CoreId = Brand<'CoreId'>;

export type GrainRows = Column32<GrainRow>;
export type GrainNumbers = Column32<GrainNumber>;
export type SiteIds = Column32<SiteId>;
export type WorkerIds = Column16<WorkerId>;
export type CoreIds = Column16<CoreId>;

export function grainRow(value: number): GrainRow {
  return value as GrainRow;
}

export function grainNumber(value: number): GrainNumber {
  return value as GrainNumber;
}

export function siteId(value: number): SiteId {
  return value as SiteId;
}

export function workerId(value: number): WorkerId {
  return value as WorkerId;
}

export function coreId(value: number): CoreId {
  return value as CoreId;
}

/** Takes a column of numbers as rows of the tables of grains. */
export function grainRows(column: Uint32Array): GrainRows {
  return column as GrainRows;
}

/** The row, or the site, that means "none". */
export const NONE = 0xffffffff as GrainRow & SiteId;

/** The worker, or the core, that means "none" or "not known". */
export const NOBODY = 0xffff as WorkerId & CoreId;
