import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConformanceOptions, createConformance, type Report } from '../src/index.ts';
import { signStorageHeaders } from './targets/sign-storage-headers.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';
import { startSecond } from './targets/start-second.ts';

/*
 * Every combination of credentials, APIs and other options is a valid way to run the suite: none may fail on a
 * correct server, and the report names what is missing.
 */

interface Combination {
  credentials: readonly ('token' | 'key' | 'headers')[];
  apis: readonly ('gateway' | 'storage')[];
  hasHost: boolean;
  hasFixture: boolean;
  hasOtherEnv: boolean;
}

/** The rules and engines that depend on credentials or on how a call is signed. */
const SOME = ['AU-BEARER', 'AU-SIGNATURE', 'AU-NONE', 'AU-STORAGE-', 'GW-ENV-HOST', 'GW-HEADERS'];
const MORE = ['GW-WS-AUTH', 'GW-ERROR-NOT-FOUND', 'ST-META-CALL', 'UP-FORM'];
const BOTH = ['gateway', 'storage'] as const;
const FULL = { hasHost: true, hasFixture: true, hasOtherEnv: true };
const LEAST = { hasHost: false, hasFixture: false, hasOtherEnv: false };

const ALL: Combination[] = [
  { credentials: ['token'], apis: ['gateway'], ...FULL },
  { credentials: ['token'], apis: ['gateway'], ...LEAST },
  { credentials: ['key'], apis: ['storage'], ...FULL },
  { credentials: ['headers'], apis: ['storage'], ...FULL },
  { credentials: ['key'], apis: BOTH, ...FULL },
  { credentials: ['token', 'headers'], apis: BOTH, ...FULL, hasFixture: false },
  { credentials: ['token', 'key'], apis: BOTH, ...FULL, hasOtherEnv: false },
  { credentials: ['token', 'key', 'headers'], apis: BOTH, ...FULL, hasHost: false },
];

/** Dredd and Respect send their own calls, signed with a key pair or with the given headers. */
const hasEngines = ({ credentials, apis, hasFixture }: Combination) =>
  apis.length === 2 && hasFixture && credentials.length === 1 && credentials[0] !== 'token';

interface Target {
  options: ConformanceOptions;
  close(): Promise<void>;
  /** The host names the environment, and the storage API knows no key pairs: both are ours (D12, D17). */
  isSecond?: boolean;
}

const servers: Record<string, () => Promise<Target>> = {
  'reference server': () => startReference({ isAlone: true }),
  mock: startMock,
  'second server': async () => ({ ...(await startSecond()), isSecond: true }),
};
const started: Record<string, Target> = {};

const NAMES = Object.keys(servers);

beforeAll(async () => {
  for (const [name, start] of Object.entries(servers)) started[name] = await start();
});
afterAll(async () => {
  for (const { close } of Object.values(started)) await close();
});

function toOptions(all: ConformanceOptions, combination: Combination): ConformanceOptions {
  const { credentials, apis, hasHost, hasFixture, hasOtherEnv } = combination;
  const { gatewayToken, tc3, env, timeout, gatewayHost = 'dev.gateway.example' } = all;
  const keyPair = { id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' };
  const storageHeaders = all.storageHeaders ?? signStorageHeaders(keyPair);
  return {
    timeout,
    ...(env ? { env } : {}),
    ...(apis.includes('gateway') ? { gatewayUrl: all.gatewayUrl } : {}),
    ...(apis.includes('storage') ? { storageUrl: all.storageUrl } : {}),
    ...(credentials.includes('token') ? { gatewayToken } : {}),
    ...(credentials.includes('key') ? { tc3 } : {}),
    ...(credentials.includes('headers') ? { storageHeaders } : {}),
    ...(hasHost ? { gatewayHost } : {}),
    ...(hasFixture ? {} : { service: 'not-deployed' }),
    ...(hasOtherEnv ? { otherEnvToken: all.otherEnvToken } : {}),
  };
}

/** The options that a combination lacks. */
function listLacking(
  { credentials, apis, hasFixture, hasHost }: Combination,
  isSecond = false,
): string[] {
  const has = (...names: Combination['credentials']) =>
    names.some((name) => credentials.includes(name));
  const lacking: string[] = [];
  if (apis.includes('gateway')) {
    if (isSecond && !hasHost) lacking.push('--gateway-host');
    else if (!has('token', 'key')) lacking.push('--gateway-token');
    else if (!hasFixture) lacking.push('berth-conformance fixture');
  }
  const hasStorage = isSecond ? has('headers') : has('key', 'headers');
  if (apis.includes('storage') && !hasStorage) lacking.push('--storage-header');
  return lacking;
}

/** A run does not start if a key pair is all that the second server gets for storage calls. */
const isRejected = ({ credentials, apis }: Combination) =>
  apis.join() === 'storage' && credentials.includes('key') && !credentials.includes('headers');

function listBad({ results }: Report) {
  const isBad = (outcome: string) => outcome === 'fail' || outcome === 'error';
  return results
    .filter(({ outcome }) => isBad(outcome))
    .map(({ id, reason, findings }) => `${id}: ${reason ?? findings[0]?.message}`);
}

/** Each combination on one of the servers. */
const combinations = ALL.map((combination, index) => ({
  ...combination,
  name: NAMES[index % NAMES.length] as string,
}));

test.each(combinations)(
  '$name: credentials $credentials, apis $apis, host $hasHost, fixture $hasFixture, other $hasOtherEnv',
  async ({ name, ...combination }) => {
    const { options, isSecond } = started[name] as Target;
    const lacking = listLacking(combination, isSecond);
    const engines = hasEngines(combination) && !isSecond ? ['dredd', 'respect'] : [];
    const only = [...SOME, ...MORE, ...engines];
    const running = createConformance({
      ...toOptions(options, combination),
      ...{ only, seed: 1 },
    }).run();
    if (isSecond && isRejected(combination)) {
      await expect(running).rejects.toThrow(/rejected the credentials.*--storage-header/);
      return;
    }
    const report = await running;
    expect(listBad(report), name).toEqual([]);
    expect(report.exitCode, name).toBe(lacking.length > 0 ? 3 : 0);
    const skipped = report.results.filter(({ outcome }) => outcome === 'skip');
    for (const option of lacking) {
      expect(
        skipped.some(({ reason }) => reason?.includes(option)),
        option,
      ).toBe(true);
    }
    for (const { id, reason } of skipped) {
      expect(
        lacking.some((option) => reason?.includes(option)),
        `${id}: ${reason}`,
      ).toBe(true);
    }
    expect(report.leftovers, name).toEqual([]);
  },
);
