import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type ConformanceOptions, createConformance, type Report } from '../src/index.ts';
import { toSummaryLine } from '../src/report/to-lines.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';

type WireProfile = ConformanceOptions['wireProfile'];

/** Runs the suite with a wire profile against a server that follows another one. */
async function check(
  start: typeof startMock | typeof startReference,
  { followed, declared }: { followed?: WireProfile; declared?: WireProfile },
  only: string[],
) {
  const { options, close } = await start({ wireProfile: followed });
  try {
    return await createConformance({ ...options, wireProfile: declared, only }).run();
  } finally {
    await close();
  }
}

const listOthers = ({ results }: Report) =>
  results
    .filter(({ outcome, reason }) => outcome !== 'pass' && reason !== 'not in --only')
    .map(({ id, outcome }) => `${outcome} ${id}`)
    .toSorted();

test.each([
  ['server', startReference, ['respect', 'dredd']],
  ['mock', startMock, []],
])('our %s passes with the names and forms of another vendor', async (_, start, engines) => {
  const wireProfile = { ...acme, envelope: 'flat', copyPaths: 'relative' } as const;
  const rules = ['ST-META', 'ST-RESPONSE', 'ST-COPY', 'ST-INVALID', 'UP-FORM'];
  const only = [...rules, 'GW-ERROR', ...engines];
  const report = await check(start, { followed: wireProfile, declared: wireProfile }, only);
  expect(listOthers(report)).toEqual([]);
  expect(report.exitCode).toBe(0);
  expect(toSummaryLine(report)).toContain('flat responses');
});

test.each<[string, WireProfile, WireProfile, string[]]>([
  ['the names of another vendor', acme as WireProfile, undefined, []],
  [
    'flat responses',
    { envelope: 'flat' },
    undefined,
    ['fail ST-RESPONSE', 'fail storage getUploadMetaData 200 application/json'],
  ],
  ['an envelope instead of flat responses', {}, { envelope: 'flat' }, ['fail ST-RESPONSE']],
])('%s fail if the wire profile says otherwise', async (_, followed, declared, failures) => {
  const only = ['ST-RESPONSE', 'ST-META', 'UP-FORM', 'dredd'];
  const report = await check(startReference, { followed, declared }, only);
  expect(report.exitCode).not.toBe(0);
  expect(listOthers(report)).toEqual(expect.arrayContaining(failures));
});
