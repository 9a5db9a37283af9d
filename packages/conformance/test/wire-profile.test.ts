import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import type { ConformanceOptions } from '../src/index.ts';
import { runSuite } from './support/run-suite.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';

type WireProfile = ConformanceOptions['wireProfile'];

const VENDOR = { ...acme, envelope: 'flat', copyPaths: 'relative' } as const;

test.each([
  ['server', startReference, ['respect', 'dredd']],
  ['mock', startMock, []],
])('our %s passes with the names and forms of another vendor', async (_, start, engines) => {
  const only = ['ST-META', 'ST-RESPONSE', 'ST-COPY', 'ST-INVALID', 'UP-FORM', 'GW-ERROR'];
  const { options, close } = await start({ wireProfile: VENDOR });
  const ran = await runSuite({ ...options, only: [...only, ...engines] });
  await close();
  expect(ran).toMatchObject({ exitCode: 0, fail: [], skip: [], error: [] });
});

const TRANSACTION = 'storage getUploadMetaData 200 application/json';

test.each<[what: string, followed: WireProfile, declared: WireProfile, failures: string[]]>([
  ['the names of another vendor', acme as WireProfile, undefined, []],
  ['flat responses', { envelope: 'flat' }, undefined, ['ST-RESPONSE', TRANSACTION]],
  ['an envelope instead of flat responses', {}, { envelope: 'flat' }, ['ST-RESPONSE']],
])('%s fail if the wire profile says otherwise', async (...row) => {
  const [, followed, declared, failures] = row;
  const { options, close } = await startReference({ wireProfile: followed });
  const only = ['ST-RESPONSE', 'ST-META', 'UP-FORM', ...failures];
  const ran = await runSuite({ ...options, wireProfile: declared, only });
  await close();
  expect(ran.exitCode).not.toBe(0);
  const failed = ran.fail.map((one) => one.split(':', 1)[0]);
  expect(failed).toEqual(expect.arrayContaining(failures));
});
