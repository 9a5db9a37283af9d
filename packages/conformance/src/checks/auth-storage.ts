import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { StorageCallOptions } from '../context/storage-client.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type HeaderList, isNamed, readAll, withHeaders } from '../http/exchange.ts';
import { now, signStorage } from '../http/sign.ts';
import { SkipError } from '../not-run.ts';
import { acceptedFields, expectAccepted, expectRejected, makeGoodFields } from './storage-calls.ts';
import { changeChars, IDENTITIES } from './wrong-credentials.ts';

/** Makes a valid call to every operation with the first of these changes, and to one with each of the others. */
async function expectAllRejected(
  t: CheckContext,
  ways: Record<string, HeaderList | StorageCallOptions>,
): Promise<void> {
  const fields = await acceptedFields(t);
  for (const [index, [what, way]] of Object.entries(ways).entries()) {
    const options = 'length' in way ? { credentials: way } : way;
    const turn = index % STORAGE_OPERATIONS.length;
    for (const operation of STORAGE_OPERATIONS.slice(turn, index === 0 ? undefined : turn + 1)) {
      const reply = await t.storage.call(operation, fields[operation], options);
      expectRejected(t, reply, `${what},`);
    }
  }
}

/** Returns one of the headers of valid credentials; without it, the check is skipped. */
function readCredential(t: CheckContext, name: string): string {
  const [value] = readAll(t.storage.credentials(), name);
  if (value !== undefined) return value;
  throw new SkipError(`the storage credentials do not include ${name}`);
}

/** Trailing letters of a credential to change; if it is a signature, they are part of it. */
const CHANGED = 8;

/** Derives invalid values of the authorization header from a valid one, keyed by the change. */
function forgeAuthorizations(t: CheckContext, value: string): Record<string, string> {
  const { tc3, wireProfile, storageHeaders } = t.settings;
  const wrong = {
    'empty credentials': '',
    'made-up credentials': 'made up',
    'credentials with different last characters': changeChars(value, -CHANGED),
    'credentials without their last characters': value.slice(0, -CHANGED),
    'credentials with characters added': `${value}AAAA`,
  };
  if (tc3 === undefined || Object.keys(storageHeaders).length > 0) return wrong;
  const seconds = Number(readCredential(t, wireProfile.storageHeaders.timestamp));
  const sign = (keys: Partial<typeof tc3>) =>
    signStorage(seconds, tc3.storageSigningHost, { ...tc3, ...keys });
  const secretId = `${tc3.secretId}x`;
  return {
    ...wrong,
    'a signature made with another secret': sign({ secretKey: `${tc3.secretKey}x` }),
    'a signature made with an empty secret': sign({ secretKey: '' }),
    'a signature with an unknown secret ID and an empty secret': sign({ secretId, secretKey: '' }),
  };
}

/** Returns parts of valid credentials, alone, and what else authenticates no storage call. */
function toLoneHeaders({ settings, storage }: CheckContext): Record<string, HeaderList> {
  const { authorization, sessionToken, timestamp } = settings.wireProfile.storageHeaders;
  const { gatewayToken } = settings;
  const credentials = storage.credentials();
  // Without it, the deployment accepts other headers, which are then complete.
  const [value] = readAll(credentials, authorization);
  const time = [timestamp, `${now()}`] as const;
  const others = credentials.filter(([name]) => !isNamed(name, authorization));
  return {
    [`with only ${timestamp}`]: [time],
    [`with only ${sessionToken} and ${timestamp}`]: [[sessionToken, 'made-up'], time],
    ...(value && {
      [`without ${authorization}`]: [...others, ...IDENTITIES],
      'with its authorization in the Authorization header': [['Authorization', value], time],
    }),
    ...(gatewayToken && {
      'with only a token for the gateway': [['Authorization', `Bearer ${gatewayToken}`]],
    }),
  };
}

/** Returns valid credentials with another authorization, by default a wrong one. */
function toWrong(t: CheckContext, wrong?: string): HeaderList {
  const { authorization } = t.settings.wireProfile.storageHeaders;
  const value = wrong ?? changeChars(readCredential(t, authorization), -CHANGED);
  return withHeaders(t.storage.credentials(), [[authorization, value]]);
}

export const authStorage: readonly Check[] = [
  // Names of headers are case-insensitive (RFC 9110, section 5.1).
  defineCheck('AU-STORAGE-HEADERS', ['storageCredentials'], async (t) => {
    const { sessionToken } = t.settings.wireProfile.storageHeaders;
    if (readAll(t.storage.credentials(), sessionToken).length === 0)
      t.note(`${sessionToken} was not tested, because no --storage-header has it.`);
    const fields = await acceptedFields(t);
    for (const spell of ['toLowerCase', 'toUpperCase'] as const) {
      const spelled = t.storage
        .credentials()
        .map(([name, value]) => [name[spell](), value] as const);
      for (const operation of STORAGE_OPERATIONS) {
        const reply = await t.storage.call(operation, fields[operation], { credentials: spelled });
        expectAccepted(t, reply);
      }
    }
  }),
  defineCheck('AU-STORAGE-REJECTED/1', [], (t) =>
    expectAllRejected(t, { 'without credentials': [], ...toLoneHeaders(t) }),
  ),
  defineCheck('AU-STORAGE-REJECTED/2', ['storageCredentials'], (t) => {
    const value = readCredential(t, t.settings.wireProfile.storageHeaders.authorization);
    const forged = Object.entries(forgeAuthorizations(t, value));
    return expectAllRejected(t, {
      ...Object.fromEntries(forged.map(([what, wrong]) => [`with ${what}`, toWrong(t, wrong)])),
      'with wrong credentials and headers that name a user': [...toWrong(t), ...IDENTITIES],
    });
  }),
  defineCheck('AU-STORAGE-ENV', ['storageCredentials'], (t) => {
    const { env } = t.settings;
    const others = [t.uniqueName(), `${env}x`, `x${env}`];
    const ways = others.map((other) => [`for the environment ${other}`, { env: other }]);
    return expectAllRejected(t, Object.fromEntries(ways));
  }),
  defineCheck('AU-STORAGE-EACH-CALL', ['storageCredentials'], async (t) => {
    const { batchGetTempUrls: fields } = await makeGoodFields(t);
    const ways: Record<string, StorageCallOptions> = {
      'without credentials': { credentials: 'none' },
      'with wrong credentials': { credentials: toWrong(t) },
      'for another environment': { env: t.uniqueName() },
    };
    await t.onOneConnection(async ({ storage }) => {
      for (const [what, options] of Object.entries(ways)) {
        const good = await storage.call('batchGetTempUrls', fields);
        if (good.rejected) throw new SkipError('a valid call is rejected');
        const reply = await storage.call('batchGetTempUrls', fields, options);
        expectRejected(t, reply, `${what}, after a valid call on the same connection,`);
      }
    });
  }),
];
