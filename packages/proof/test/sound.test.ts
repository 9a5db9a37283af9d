import { createConformance } from '@berth/conformance';
import { expect, test } from 'vitest';
import { startConformingMock } from '../src/start-conforming-mock.ts';
import { startReference } from '../src/start-reference.ts';
import { startSecond } from './support/start-second.ts';

const SERVERS = {
  'reference server': startReference,
  mock: startConformingMock,
  'second server': startSecond,
};

test.each(Object.entries(SERVERS))('every check passes on the %s', async (_, start) => {
  const { options, close } = await start();
  try {
    const { results, leftovers, exitCode } = await createConformance({
      ...options,
      seed: 1,
      // `sequences.test.ts` makes more.
      sequences: 5,
    }).run();
    const bad = results.filter(
      ({ outcome, level }) => outcome !== 'pass' && outcome !== 'disabled' && level === 'must',
    );
    expect(
      bad.map(({ id, outcome, reason, findings }) => ({
        ...{ id, outcome, reason },
        findings: findings.map(({ message }) => message),
      })),
    ).toEqual([]);
    expect({ exitCode, leftovers }).toEqual({ exitCode: 0, leftovers: [] });
  } finally {
    await close();
  }
});
