// SPDX-License-Identifier: Apache-2.0
// The requests of a page that `teff view` serves: docs/formats/view.md. All addresses are relative,
// so that they carry the page's key.
import { fail, ok, type Result } from '../base/result';
import type { Ns } from '../base/time';
import { isRecord } from '../model/columns';
import { decodePart, decodeTile } from '../model/decode';
import { decodeFields, decodeList } from '../model/fields';
import type { GrainNumber, SiteId, WorkerId } from '../model/ids';
import type { Model, Part, Tile } from '../model/model';

/** The orders in which the server lists grains. */
export type By = 'work' | 'wait' | 'benefit' | 'number';

export interface FoundGrain {
  number: GrainNumber;
  site: SiteId;
  worker: WorkerId;
  start: Ns;
  work: Ns;
  wait: Ns;
  benefit: number;
}

export interface FoundGrains {
  /** How many grains match, and how many of these come before the first grain of the list. */
  total: number;
  before: number;
  grains: FoundGrain[];
}

const FOUND = {
  number: 'number',
  site: 'number',
  worker: 'number',
  start: 'number',
  work: 'number',
  wait: 'number',
  benefit: 'number',
} as const;

type Fetch = (address: string) => Promise<Response>;

/** Returns undefined where the page holds the whole recording. */
export const serverOf = ({ run, sites, counters }: Model, folder = ''): Server | undefined =>
  run.opens ? new Server({ sites: sites.length, counters: counters.length }, folder) : undefined;

export class Server {
  constructor(
    /** The numbers of sites and of counters of the model. Site ids in answers must be below it. */
    readonly of: { sites: number; counters: number },
    /** The prefix of the names of documents, for a page of several recordings. */
    readonly folder = '',
    readonly fetch: Fetch = (address) => window.fetch(address),
  ) {}

  /**
   * Fetches a group: its row, then the rows of its grains. `grain`: a grain that must have a row of
   * its own or stand in a group of the answer.
   */
  async part(first: GrainNumber, count: number, grain?: GrainNumber): Promise<Result<Part>> {
    const json = await this.#ask('part.json', { first, count, grain });
    return json.ok ? decodePart(json.value, this.of.sites, this.of.counters) : json;
  }

  async time(level: number, tile: number, worker: WorkerId, workers: number): Promise<Result<Tile>> {
    const json = await this.#ask('time.json', { level, tile, worker, workers });
    return json.ok ? decodeTile(json.value, 'time') : json;
  }

  async grains(by: By, site: SiteId | undefined, most: number, from?: GrainNumber): Promise<Result<FoundGrains>> {
    const json = await this.#ask('grains.json', { by, site, most, from });
    if (!json.ok) return json;
    const figures = decodeFields(json.value, { total: 'number', before: 'number' }, 'grains');
    if (!figures.ok) return figures;
    const grains = decodeList<FoundGrain>((json.value as Record<string, unknown>).grains, FOUND, 'grains');
    if (!grains.ok) return grains;
    return ok({ ...figures.value, grains: grains.value } as FoundGrains);
  }

  async #ask(document: string, fields: Record<string, string | number | undefined>): Promise<Result<unknown>> {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const query = given.map(([name, value]) => `${name}=${value}`).join('&');
    try {
      const response = await this.fetch(`${this.folder}${document}?${query}`);
      if (!response.ok) return fail(`${document}: ${response.status}, ${(await response.text()).trim()}`);
      const json: unknown = await response.json();
      return isRecord(json) ? ok(json) : fail(`${document}: expected an object.`);
    } catch (error) {
      return fail(`teff view does not answer any more (${(error as Error).message}). Start it again.`);
    }
  }
}
