/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { fileURLToPath } from 'node:url';
import { writeGenerated } from '@berth/codegen';
import { createConformance } from '@berth/conformance';
import { startReference } from '../src/start-reference.ts';

const SEED = 1;
const FILE = fileURLToPath(
  new URL('../../conformance/src/generated/costs.gen.json', import.meta.url),
);

/** Measures what each check sends to the reference server, for `berth-conformance --dry-run`. */
const reference = await startReference();
try {
  const { results, exitCode } = await createConformance({
    ...reference.options,
    seed: SEED,
  }).run();
  if (exitCode !== 0) throw new Error('The reference server does not keep the contract.');
  const costs = results.map(({ id, requests, bytes }) => [id, { requests, bytes }]);
  await writeGenerated(
    FILE,
    { costs: Object.fromEntries(costs) },
    'packages/proof/scripts/measure-costs.ts',
  );
  console.log(`${costs.length} checks measured`);
} finally {
  await reference.close();
}
