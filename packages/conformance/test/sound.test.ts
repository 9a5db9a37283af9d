import { expect, test } from 'vitest';
import { createConformance } from '../src/index.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';
import { startSecond } from './targets/start-second.ts';

test.each([
  ['reference server', startReference],
  ['mock', startMock],
  ['second server', startSecond],
])('every check passes on the %s', async (_, start) => {
  const { options, close } = await start();
  const conformance = createConformance({ ...options, seed: 1, sequences: 5 });
  const { results, leftovers, exitCode } = await conformance.run();
  await close();
  const others = results.flatMap(({ id, outcome, level, reason, findings }) =>
    outcome === 'pass' || outcome === 'disabled' || level !== 'must'
      ? []
      : `${outcome} ${id}: ${reason ?? findings[0]?.message}`,
  );
  expect({ others, leftovers, exitCode }).toEqual({ others: [], leftovers: [], exitCode: 0 });
});
