// SPDX-License-Identifier: Apache-2.0
// Writes the view model of a made-up program:
//   npm run sample -- demo 20000 data.json      (then: npm run dev)
import { writeFileSync } from 'node:fs';
import { chain, demo, type Grain, randomNumbers, siblings } from './program';
import { viewModel } from './sample';

const PROGRAMS: Record<string, (size: number) => Grain> = {
  demo: (size) => demo(size),
  siblings: (size) => siblings(size, randomNumbers(3)),
  chain: (size) => chain(size),
};

const [program = 'demo', size = '2000', file = 'data.json'] = process.argv.slice(2);
const make = PROGRAMS[program];
if (!make) throw new Error(`No program is called ${program}; there are ${Object.keys(PROGRAMS).join(', ')}.`);
writeFileSync(file, JSON.stringify(viewModel(make(Number(size)))));
