import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConformanceOptions, createConformance } from '../src/index.ts';
import { signStorageHeaders } from './targets/sign-storage-headers.ts';
import { startReference } from './targets/start-reference.ts';

/*
 * Every combination of credentials, APIs and other options is a valid way to run the suite: none may fail on a
 * correct server, and the report names what is missing.
 */

/** The rules that depend on credentials or on how a call is signed. */
const only = ['AU-BEARER', 'AU-SIGNATURE', 'AU-NONE', 'AU-STORAGE-', 'GW-ENV-HOST', 'ST-META-CALL'];

let all: ConformanceOptions;
let close: () => Promise<void>;
beforeAll(async () => {
  const reference = await startReference({ isAlone: true });
  ({ options: all, close } = reference);
  const { tc3 } = all;
  all.storageHeaders = signStorageHeaders({
    id: tc3?.secretId ?? '',
    secret: tc3?.secretKey ?? '',
  });
});
afterAll(() => close());

const GATEWAY = ['gatewayUrl', 'gatewayHost', 'service'] as const;
const STORAGE = ['storageUrl'] as const;

test.each<[given: (keyof ConformanceOptions)[], missing: string[]]>([
  [[...GATEWAY, 'gatewayToken', 'otherEnvToken'], []],
  [['gatewayUrl', 'gatewayToken'], []],
  [[...STORAGE, 'tc3'], []],
  [[...STORAGE, 'storageHeaders'], []],
  [[...GATEWAY, ...STORAGE, 'tc3', 'otherEnvToken'], []],
  [[...GATEWAY, ...STORAGE, 'gatewayToken', 'storageHeaders'], []],
  [[...GATEWAY, ...STORAGE, 'gatewayToken', 'tc3', 'storageHeaders'], []],
  [[...GATEWAY, ...STORAGE, 'storageHeaders'], ['--gateway-token']],
  [[...GATEWAY, ...STORAGE, 'gatewayToken'], ['--storage-header']],
])('%j', async (given, missing) => {
  const { env, timeout } = all;
  const options = Object.fromEntries(given.map((name) => [name, all[name]]));
  const report = await createConformance({ env, timeout, ...options, only }).run();
  const bad = report.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error');
  expect(bad.map(({ id, reason, findings }) => `${id}: ${reason ?? findings[0]?.message}`)).toEqual(
    [],
  );
  expect(report.exitCode).toBe(missing.length > 0 ? 3 : 0);
  const skipped = report.results.filter(({ outcome }) => outcome === 'skip');
  expect(skipped.length > 0).toBe(missing.length > 0);
  for (const { id, reason } of skipped) {
    expect(
      missing.some((option) => reason?.includes(option)),
      `${id}: ${reason}`,
    ).toBe(true);
  }
  expect(report.leftovers).toEqual([]);
});
