import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConformanceOptions, createConformance } from '../src/index.ts';
import { signStorageHeaders } from './targets/start-mutated.ts';
import { startReference, type Target } from './targets/start-reference.ts';

/** The rules that depend on credentials or on how a call is signed. */
const only = [
  'AU-BEARER',
  'AU-SIGNATURE',
  'AU-NONE',
  'AU-REJECTED',
  'AU-STORAGE-',
  'GW-ENV-HOST',
  'ST-META-CALL',
];

let target: Target;
let all: ConformanceOptions;
beforeAll(async () => {
  target = await startReference({ isAlone: true });
  const { secretId: id = '', secretKey: secret = '' } = target.options.tc3 ?? {};
  all = { ...target.options, storageHeaders: signStorageHeaders({ id, secret }) };
});
afterAll(() => target.close());

const BOTH = ['gatewayUrl', 'gatewayHost', 'storageUrl'] as const;

// Every combination of credentials is a valid way to run the suite.
test.each<[names: (keyof ConformanceOptions)[], missing?: string]>([
  [['gatewayUrl', 'gatewayHost', 'service', 'gatewayToken', 'otherEnvToken']],
  [['gatewayUrl', 'gatewayToken']],
  [['storageUrl', 'tc3']],
  [['storageUrl', 'storageHeaders']],
  [[...BOTH, 'tc3', 'otherEnvToken']],
  [[...BOTH, 'gatewayToken', 'tc3', 'storageHeaders']],
  [[...BOTH, 'storageHeaders'], '--gateway-token'],
  [[...BOTH, 'gatewayToken'], '--storage-header'],
])(
  'no rule fails on a correct server with %j, and what is missing is named',
  async (names, missing) => {
    const { env, timeout } = all;
    const options = Object.fromEntries(names.map((name) => [name, all[name]]));
    const report = await createConformance({ env, timeout, ...options, only }).run();
    const broken = report.results.filter(
      ({ outcome }) => outcome === 'fail' || outcome === 'error',
    );
    expect(broken).toEqual([]);
    expect(report.exitCode === 0).toBe(missing === undefined);
    const reasons = report.results.flatMap(({ outcome, reason }) =>
      outcome === 'skip' ? reason : [],
    );
    expect(reasons.length > 0).toBe(missing !== undefined);
    expect(reasons.filter((reason) => !reason?.includes(missing ?? ''))).toEqual([]);
    expect(report.leftovers).toEqual([]);
  },
);
