import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { runSuite } from './run-suite.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';

const VENDOR = { ...acme, envelope: 'flat', copyPaths: 'relative' } as const;

test.each([
  ['server', startReference, ['respect', 'dredd']],
  ['mock', startMock, []],
])('our %s passes with the names and forms of another vendor', async (_, start, engines) => {
  const only = ['ST-META', 'ST-RESPONSE', 'ST-COPY', 'ST-INVALID', 'UP-FORM', 'GW-ERR'];
  const { options, close } = await start({ wireProfile: VENDOR });
  const ran = await runSuite({ ...options, only: [...only, ...engines] });
  await close();
  expect(ran).toMatchObject({ exitCode: 0, fail: [], skip: [], error: [] });
});

test('flat responses fail if the wire profile says otherwise', async () => {
  const transaction = 'storage getUploadMetaData 200 application/json';
  const { options, close } = await startReference({ wireProfile: { envelope: 'flat' } });
  const only = ['ST-RESPONSE', transaction];
  const ran = await runSuite({ ...options, wireProfile: undefined, only });
  await close();
  expect(ran.exitCode).toBe(1);
  expect(ran.fail.map((one) => one.split(':', 1)[0])).toEqual(only);
});
