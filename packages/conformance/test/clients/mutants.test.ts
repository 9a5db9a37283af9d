import { join } from 'node:path';
import defaultProfile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { takeTurn } from '../../../proof/test/support/take-turn.ts';
import { type ClientOptions, checkClient } from '../../src/clients/check-client.ts';
import { mutants } from './mutants.ts';

const DRIVER = join(import.meta.dirname, 'mutant-driver.ts');

function check(args: readonly string[], options: Partial<ClientOptions> = {}) {
  return checkClient({
    command: [process.execPath, '--conditions=berth-source', DRIVER, ...args],
    wireProfile: defaultProfile,
    timeout: 300_000,
    env: process.env,
    ...options,
  });
}

const all = Object.entries(mutants).map(([rule, mutant]) => ({ rule, ...mutant }));

describe.concurrent('each mutant fails the rule that it breaks', () => {
  it.each(all)('$rule: $breaks', async ({ rule }) => {
    const { results } = await check([rule], { only: [rule] });
    expect(results.find(({ id }) => id === rule)).toMatchObject({ outcome: 'fail' });
  });
});

/** They read every response to its end, and so hang on the streams of other rules. */
const GREEDY: readonly string[] = [
  ...['CL-RETRY-REFUSED', 'CL-RETRY-AFTER', 'CL-RETRY-LIMIT', 'CL-SIZE-BODY'],
];
const patient = all.filter(({ rule }) => !GREEDY.includes(rule));

it.each(process.env.BERTH_SOAK ? patient : takeTurn(patient, 25))(
  'a mutant fails its own rule and those that it lists (two per commit): $rule: $breaks',
  async ({ rule, also = [] }) => {
    const { results } = await check([rule]);
    const failed = results.filter(({ outcome }) => outcome !== 'pass').map(({ id }) => id);
    expect(failed.toSorted()).toEqual([rule, ...also].toSorted());
  },
);
