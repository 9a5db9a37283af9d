import type { WireProfile } from '@berth/spec/wire-profile';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Need } from '../context/skip-reason.ts';
import { STORAGE_OPERATIONS, type StorageCallOptions } from '../context/storage-client.ts';
import { now, signStorage } from '../credentials/sign.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type HeaderList, isNamed, readAll, withHeaders } from '../http/exchange.ts';
import { SkipError } from '../result.ts';
import { changeLetters, IDENTITIES } from './signed-calls.ts';
import {
  acceptedFields,
  expectAccepted,
  expectRefused,
  makeGoodFields,
  tryCall,
} from './storage-calls.ts';

type Ways = Record<string, StorageCallOptions>;

/** Makes a valid call to every operation with the first of these changes, and to one with each of the others. */
async function expectAllRefused(t: CheckContext, ways: Ways): Promise<void> {
  const fields = await acceptedFields(t);
  for (const [index, [what, options]] of Object.entries(ways).entries()) {
    const turn = index % STORAGE_OPERATIONS.length;
    for (const operation of STORAGE_OPERATIONS.slice(turn, index === 0 ? undefined : turn + 1)) {
      const reply = await tryCall(t, operation, fields[operation], options);
      expectRefused(t, reply, `${operation} ${what}`);
    }
  }
}

/** Returns one of the headers of valid credentials; without it, the check is skipped. */
async function readCredential(t: CheckContext, name: string): Promise<string> {
  const [value] = readAll(await t.storage.credentials(), name);
  if (value !== undefined) return value;
  throw new SkipError(`the storage credentials do not include ${name}`);
}

/** Defines a check that one of the storage headers is accepted in upper and lower case (RFC 9110, section 5.1). */
const defineHeaderCheck = (
  id: SentenceId,
  header: keyof WireProfile['storageHeaders'],
  needs: readonly Need[] = [],
): Check =>
  defineCheck(id, ['storageCredentials', ...needs], async (t) => {
    const name = t.settings.wireProfile.storageHeaders[header];
    await readCredential(t, name);
    const fields = await acceptedFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      for (const spelling of [name.toLowerCase(), name.toUpperCase()]) {
        const credentials = (await t.storage.credentials()).map(
          ([key, value]) => [isNamed(key, name) ? spelling : key, value] as const,
        );
        const reply = await t.storage.call(operation, fields[operation], { credentials });
        expectAccepted(t, reply, `${operation} with valid credentials in the ${spelling} header`);
      }
    }
  });

/** Trailing letters of a credential to change; if it is a signature, they are part of it. */
const CHANGED = 8;

/** Derives invalid values of the authorization header from a valid one, keyed by the change. */
function forgeAuthorizations(
  { settings: { tc3, wireProfile, storageHeaders } }: CheckContext,
  good: HeaderList,
  value: string,
): Record<string, string> {
  const wrong = {
    'empty credentials': '',
    'made-up credentials': 'made up',
    'credentials with different last characters': changeLetters(value, -CHANGED),
    'credentials without their last characters': value.slice(0, -CHANGED),
    'credentials with characters added': `${value}AAAA`,
  };
  const isSigned = Object.keys(storageHeaders).length === 0;
  if (tc3 === undefined || !isSigned) return wrong;
  const seconds = Number(readAll(good, wireProfile.storageHeaders.timestamp)[0]);
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

/** Returns headers that are part of valid credentials, alone, and what else authenticates no storage call. */
async function toLoneHeaders(t: CheckContext): Promise<Ways> {
  const { authorization, sessionToken, timestamp } = t.settings.wireProfile.storageHeaders;
  const { gatewayToken } = t.settings;
  const credentials = await t.storage.credentials();
  const [value] = readAll(credentials, authorization);
  const time = [timestamp, `${now()}`] as const;
  const others = credentials.filter(([name]) => !isNamed(name, authorization));
  const session = [sessionToken, 'made-up'] as const;
  return {
    [`with only ${timestamp}`]: { credentials: [time] },
    [`with only ${sessionToken} and ${timestamp}`]: { credentials: [session, time] },
    [`without ${authorization}`]: { credentials: [...others, ...IDENTITIES] },
    ...(value && {
      'with its authorization in the Authorization header': {
        credentials: [['Authorization', value], time],
      },
    }),
    ...(gatewayToken && {
      'with only a token for the gateway': {
        credentials: { Authorization: `Bearer ${gatewayToken}` },
      },
    }),
  };
}

/** Returns credentials whose authorization is wrong. */
function toWrong({ settings }: CheckContext, credentials: HeaderList): HeaderList {
  const { authorization } = settings.wireProfile.storageHeaders;
  const value = readAll(credentials, authorization)[0] ?? '';
  return withHeaders(credentials, [[authorization, changeLetters(value, -CHANGED)]]);
}

export const authStorage: readonly Check[] = [
  defineHeaderCheck('AU-STORAGE-HEADERS/1', 'authorization'),
  /** With permanent credentials, the header is present and empty, unless the operator provides none. */
  defineHeaderCheck('AU-STORAGE-HEADERS/2', 'sessionToken', ['sessionToken']),
  /** An operator provides whole seconds, like the suite. */
  defineHeaderCheck('AU-STORAGE-HEADERS/3', 'timestamp'),
  defineCheck('AU-STORAGE-REJECTED/1', [], async (t) => {
    const none: Ways = { 'without credentials': { credentials: 'none' } };
    await expectAllRefused(t, { ...none, ...(await toLoneHeaders(t)) });
  }),
  defineCheck('AU-STORAGE-REJECTED/2', ['storageCredentials'], async (t) => {
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const value = await readCredential(t, authorization);
    const credentials = await t.storage.credentials();
    const ways: Ways = {};
    for (const [what, forged] of Object.entries(forgeAuthorizations(t, credentials, value))) {
      ways[`with ${what}`] = { credentials: withHeaders(credentials, [[authorization, forged]]) };
    }
    const wrong = [...toWrong(t, credentials), ...IDENTITIES];
    ways['with wrong credentials and headers that name a user'] = { credentials: wrong };
    await expectAllRefused(t, ways);
  }),
  defineCheck('AU-STORAGE-ENV', ['storageCredentials'], async (t) => {
    const { env } = t.settings;
    const ways = [t.uniqueName(), `${env}x`, `x${env}`].map((other) => [
      `for the environment ${other}`,
      { env: other },
    ]);
    await expectAllRefused(t, Object.fromEntries(ways));
  }),
  defineCheck('AU-STORAGE-EACH-CALL', ['storageCredentials'], async (t) => {
    const { batchGetTempUrls: fields } = await makeGoodFields(t);
    const wrong = toWrong(t, await t.storage.credentials());
    const ways: Ways = {
      'without credentials': { credentials: 'none' },
      'with wrong credentials': { credentials: wrong },
      'for another environment': { env: t.uniqueName(), acceptsRefusal: true },
    };
    await t.onOneConnection(async ({ storage }) => {
      for (const [what, options] of Object.entries(ways)) {
        const good = await storage.call('batchGetTempUrls', fields);
        if (good.refused) throw new SkipError('a valid call is rejected');
        const reply = await storage.call('batchGetTempUrls', fields, options);
        const after = 'after a valid call on the same connection';
        expectRefused(t, reply, `batchGetTempUrls ${what} ${after}`);
      }
    });
  }),
];
