// SPDX-License-Identifier: Apache-2.0

import { expect, it } from 'vitest';
import { folded } from '../../test/folded';
import { randomNumbers, siblings } from '../../test/program';
import { grainNumber, siteId, workerId } from '../model/ids';
import { Server } from './server';

const source = folded(siblings(20, randomNumbers(4)), 10);

function serverOf(answer: () => Response | Promise<Response>) {
  const addresses: string[] = [];
  const server = new Server({ sites: source.whole.sites.length, counters: 0 }, 'after/', async (address) => {
    addresses.push(address);
    return answer();
  });
  return { server, addresses };
}

it('asks beside the page, for what is given', async () => {
  const { server, addresses } = serverOf(() => Response.json(source.part(1, 10)));
  expect((await server.part(grainNumber(1), 10)).ok).toBe(true);
  expect((await server.part(grainNumber(1), 10, grainNumber(7))).ok).toBe(true);
  await server.time(3, 5, workerId(0), 2);
  await server.grains('number', undefined, 1, grainNumber(9));
  expect(addresses).toEqual([
    'after/part.json?first=1&count=10',
    'after/part.json?first=1&count=10&grain=7',
    'after/time.json?level=3&tile=5&worker=0&workers=2',
    'after/grains.json?by=number&most=1&from=9',
  ]);
});

it.each<[string, () => Response | Promise<Response>, RegExp]>([
  ['refuses', () => new Response('there are no such grains.\n', { status: 400 }), /400, there are no such grains\./],
  ['has gone', () => Promise.reject(new Error('refused')), /does not answer any more \(refused\)/],
  ['is another one', () => Response.json([]), /expected an object/],
  ['is broken', () => Response.json({ ...source.part(1, 10), item_start: undefined }), /item_start/],
])('says what is wrong when the server %s', async (_name, answer, message) => {
  const part = await serverOf(answer).server.part(grainNumber(1), 10);
  expect(part.ok ? '' : part.error).toMatch(message);
});

it('reads grains that were found', async () => {
  const grain = { number: 5, site: 0, worker: 1, start: 2, work: 3, wait: 4, benefit: null };
  const { server } = serverOf(() => Response.json({ total: 9, before: 1, grains: [grain] }));
  const found = await server.grains('work', siteId(0), 1);
  expect(found.ok && found.value).toEqual({ total: 9, before: 1, grains: [{ ...grain, benefit: Number.NaN }] });
});
