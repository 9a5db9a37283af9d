import { createConformance } from '@berth/conformance';
import { describe, expect, test } from 'vitest';
import { chunkedBodies, refusingChunks } from '../src/mutants/chunked-bodies.ts';
import { startMutated } from '../src/start-mutated.ts';
import { testOwnRules } from './support/test-own-rules.ts';

describe('what a gateway makes of chunked bodies is caught', () => testOwnRules(chunkedBodies));

test('a gateway may ask for the length of a body, and its operator is told', async () => {
  const mutated = await startMutated();
  try {
    mutated.use(refusingChunks(411));
    const report = await createConformance({
      ...mutated.options,
      only: ['GW-FORWARD-BODY'],
    }).run();
    const [result] = report.results.filter(({ id }) => id === 'GW-FORWARD-BODY');
    expect(result?.outcome).toBe('pass');
    expect(result?.notes).toEqual([expect.stringContaining('411')]);
  } finally {
    await mutated.close();
  }
});
