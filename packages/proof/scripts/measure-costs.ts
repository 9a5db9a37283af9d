/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { writeFile } from 'node:fs/promises';
import { createConformance } from '@berth/conformance';
import { startReference } from '../src/start-reference.ts';

const SEED = 1;
const FILE = new URL('../../conformance/src/run/costs.json', import.meta.url);

/** Measures how much each check sends to the reference server, for `berth-conformance --dry-run`. */
const reference = await startReference();
try {
  const { results, exitCode } = await createConformance({
    ...reference.options,
    seed: SEED,
  }).run();
  if (exitCode !== 0) throw new Error('The reference server does not follow the contract.');
  const costs = results.map(({ id, requests, bytes }) => [id, { requests, bytes }]);
  const content = {
    'x-measured': 'packages/proof/scripts/measure-costs.ts',
    costs: Object.fromEntries(costs),
  };
  await writeFile(FILE, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`${costs.length} checks measured`);
} finally {
  await reference.close();
}
