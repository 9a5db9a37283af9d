/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { writeFile } from 'node:fs/promises';
import { createConformance } from '@berth/conformance';
import { checks } from '../../conformance/src/checks/index.ts';
import { startReference } from '../src/start-reference.ts';

const SEED = 1;
const FILE = new URL('../../conformance/src/run/costs.json', import.meta.url);

/** Measures how much each check sends to the reference server, for `berth-conformance --dry-run`. */
const reference = await startReference();
try {
  const measure = async (choice: { only?: string[]; skip?: string[] } = {}) => {
    const options = { ...reference.options, ...choice, seed: SEED };
    const { results, exitCode } = await createConformance(options).run();
    if (exitCode !== 0) throw new Error('The reference server does not follow the contract.');
    return results;
  };
  const costs = new Map(
    (await measure()).map(({ id, requests, bytes }) => [id, { requests, bytes }]),
  );
  // In a run of all checks, the calls that several share count for the one that happens to be first.
  const sharing = checks.filter(({ shares }) => shares !== undefined);
  const owners = sharing.flatMap(({ shares = [] }) => shares);
  for (const id of new Set([...owners, ...sharing.map(({ rule }) => rule)])) {
    const longer = [...costs.keys()].filter((other) => other.startsWith(`${id}-`));
    const results = await measure({ only: [id], skip: longer });
    const own = results.find((result) => result.id === id);
    const { shares = [] } = sharing.find(({ rule }) => rule === id) ?? {};
    const rest = (what: 'requests' | 'bytes') =>
      shares.reduce((left, owner) => left - (costs.get(owner)?.[what] ?? 0), own?.[what] ?? 0);
    costs.set(id, { requests: rest('requests'), bytes: rest('bytes') });
  }
  const content = {
    'x-measured': 'packages/proof/scripts/measure-costs.ts',
    costs: Object.fromEntries(costs),
  };
  await writeFile(FILE, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`${costs.size} checks measured`);
} finally {
  await reference.close();
}
