import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type ConformanceOptions, createConformance } from '../src/index.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference, type Target, type TargetOptions } from './targets/start-reference.ts';

type WireProfile = ConformanceOptions['wireProfile'];

/** Runs the suite with a wire profile against a server that follows another one, and lists what does not pass. */
async function check(
  start: (options: TargetOptions) => Promise<Target>,
  followed: WireProfile,
  declared: WireProfile,
  only: string[],
) {
  const { options, close } = await start({ wireProfile: followed });
  const report = await createConformance({ ...options, wireProfile: declared, only }).run();
  await close();
  const others = report.results.flatMap(({ id, outcome }) =>
    outcome === 'pass' || outcome === 'disabled' ? [] : `${outcome} ${id}`,
  );
  return { others, exitCode: report.exitCode };
}

test.each([
  ['server', startReference, ['respect', 'dredd']],
  ['mock', startMock, []],
])('our %s passes with the names and forms of another vendor', async (_, start, engines) => {
  const wireProfile = { ...acme, envelope: 'flat', copyPaths: 'relative' } as const;
  const only = ['ST-META', 'ST-RESPONSE', 'ST-COPY', 'ST-INVALID', 'UP-FORM', 'GW-ERROR'];
  const report = await check(start, wireProfile, wireProfile, [...only, ...engines]);
  expect(report).toEqual({ others: [], exitCode: 0 });
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
  const report = await check(startReference, followed, declared, only);
  expect(report.exitCode).not.toBe(0);
  expect(report.others).toEqual(expect.arrayContaining(failures));
});
