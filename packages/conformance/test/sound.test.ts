import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConformanceOptions } from '../src/index.ts';
import { signStorageHeaders } from './mutants/context.ts';
import { runSuite } from './run-suite.ts';
import { startExpress } from './targets/start-express.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference, type Target } from './targets/start-reference.ts';
import { startSecond } from './targets/start-second.ts';

type Name = keyof ConformanceOptions;

const BOTH = ['gatewayUrl', 'storageUrl'] as const;

const TC3 = ['tc3SecretId', 'tc3SecretKey', 'tc3Service'] as const;

/** Every combination of credentials is a valid way to run the suite, and the option that one lacks. */
const COMBINATIONS: [names: Name[], missing?: string][] = [
  [['gatewayUrl', 'service', 'gatewayToken', 'otherEnvToken']],
  [['gatewayUrl', 'gatewayToken']],
  [['storageUrl', ...TC3]],
  [['storageUrl', 'storageHeaders']],
  [[...BOTH, ...TC3, 'otherEnvToken']],
  [[...BOTH, 'gatewayToken', ...TC3, 'storageHeaders']],
  [[...BOTH, 'storageHeaders'], 'gatewayToken'],
  [[...BOTH, 'gatewayToken'], 'storageHeaders'],
];

/** The rules that depend on credentials or on how a call is signed. */
const only =
  'AU-BEARER AU-SIGNATURE AU-NONE AU-REJECTED AU-STORAGE- GW-ENV-HOST ST-META-CALL'.split(' ');

/** What the operator of a deployment without other environments and forbidden services leaves out. */
const LEFT_OUT = /: no (otherEnvToken|forbiddenService)$/;

// The storage API of the second server accepts no signatures.
const WITHOUT_SIGNATURES = COMBINATIONS.filter(
  ([names]) => names.includes('storageHeaders') || !names.includes('tc3SecretId'),
);

describe.each([
  ['reference server', startReference, COMBINATIONS],
  ['mock', startMock, COMBINATIONS],
  ['second server', () => startSecond(), WITHOUT_SIGNATURES],
  ['Express example', startExpress, COMBINATIONS],
])('the %s', (name, start, combinations) => {
  let target: Target;
  beforeAll(async () => {
    target = await start();
  });
  afterAll(() => target.close());

  test('passes every check', async () => {
    const ran = await runSuite({ ...target.options, seed: 1, sequences: 5 });
    expect(ran).toMatchObject({ exitCode: 0, fail: [], skip: [], error: [], leftovers: [] });
    expect(ran.disabled.filter((reason) => !LEFT_OUT.test(reason))).toEqual([]);
    // It breaks every SHOULD that it can.
    expect(ran.failedShoulds.length > 0).toBe(name === 'second server');
  });

  test.each(combinations)('fails nothing with %j, and what is missing is named', async (...row) => {
    const [names, missing] = row;
    const { env, gatewayHost, timeout } = target.options;
    const { tc3SecretId: id = '', tc3SecretKey: secret = '' } = target.options;
    const all = { storageHeaders: signStorageHeaders({ id, secret }), ...target.options };
    const provided = Object.fromEntries(names.map((name) => [name, all[name]]));
    const ran = await runSuite({ env, gatewayHost, timeout, only, ...provided });
    expect(ran).toMatchObject({ fail: [], error: [], leftovers: [] });
    expect(ran.exitCode === 0).toBe(missing === undefined);
    expect(ran.skip.length > 0).toBe(missing !== undefined);
    expect(ran.skip.filter((reason) => !reason.includes(missing ?? ''))).toEqual([]);
  });
});
