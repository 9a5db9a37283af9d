import { expect, test } from 'vitest';
import { createConformance } from '../src/index.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';
import { startSecond } from './targets/start-second.ts';

const SERVERS = {
  'reference server': () => startReference(),
  mock: () => startMock(),
  'second server': () => startSecond(),
};

test.each(Object.entries(SERVERS))('every check passes on the %s', async (_, start) => {
  const { options, close } = await start();
  try {
    const { results, leftovers, exitCode } = await createConformance({
      ...options,
      seed: 1,
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
