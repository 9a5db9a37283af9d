import { SkipError } from '../errors.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { isNamed, readAll, withHeaders } from '../http/exchange.ts';
import { now, signStorage } from '../http/sign.ts';
import { oncePerRun } from '../run/call-context.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import type { StorageCallOptions } from '../run/clients.ts';
import { changeChars, SPOOFED_IDENTITY_HEADERS } from './calls.ts';
import { expectAccepted, expectRejected, makeValidFields } from './storage-calls.ts';

/** Like `makeValidFields`, but skips all checks that need it if a call with the fields of an operation is rejected. */
const acceptedFields = oncePerRun(async (t) => {
  const fields = await makeValidFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const { rejected, received } = await t.storage.call(operation, fields[operation]);
    if (!rejected) continue;
    throw new SkipError(`a valid call to ${operation} was rejected with ${received.status}`);
  }
  return fields;
});

type Changes = Record<string, StorageCallOptions>;

/** Makes a valid call to every operation with the first of these changes, and to one with each of the others. */
async function expectAllRejected(t: CheckContext, changes: Changes): Promise<void> {
  const fields = await acceptedFields(t);
  for (const [index, [what, options]] of Object.entries(changes).entries()) {
    const turn = index % STORAGE_OPERATIONS.length;
    for (const operation of STORAGE_OPERATIONS.slice(turn, index === 0 ? undefined : turn + 1)) {
      const reply = await t.storage.call(operation, fields[operation], options);
      expectRejected(t, reply, what);
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

/** Returns valid credentials with another authorization, which `change` derives from the valid one. */
function forge(t: CheckContext, change = (value: string) => changeChars(value, -CHANGED)) {
  const { authorization } = t.run.settings.wireProfile.storageHeaders;
  const forged = change(readCredential(t, authorization));
  return { credentials: withHeaders(t.storage.credentials(), [[authorization, forged]]) };
}

/** Returns signatures that someone without the secret key can make, if a key pair signs storage calls. */
function forgeSignatures(t: CheckContext): Changes {
  const { storageKeys } = t.run.signers;
  if (storageKeys === undefined) return {};
  const seconds = Number(readCredential(t, t.run.settings.wireProfile.storageHeaders.timestamp));
  const sign = (keys: Partial<typeof storageKeys>) =>
    forge(t, () => signStorage(seconds, { ...storageKeys, ...keys }));
  const secretId = `${storageKeys.secretId}x`;
  return {
    'with a signature made with another secret': sign({ secretKey: `${storageKeys.secretKey}x` }),
    'with a signature made with an empty secret': sign({ secretKey: '' }),
    'with a signature with an unknown ID and an empty secret': sign({ secretId, secretKey: '' }),
  };
}

/** Returns parts of valid credentials, alone, and other headers that must not authenticate a storage call. */
function toIncompleteCredentials({ run, storage }: CheckContext): Changes {
  const { gatewayToken, wireProfile } = run.settings;
  const { authorization, sessionToken, timestamp } = wireProfile.storageHeaders;
  const credentials = storage.credentials();
  // Without it, the deployment accepts other headers, which are then complete.
  const [value] = readAll(credentials, authorization);
  const time = [timestamp, `${now()}`] as const;
  const rest = credentials.filter(([name]) => !isNamed(name, authorization));
  return {
    'without credentials': { credentials: 'none' },
    [`with only ${timestamp}`]: { credentials: [time] },
    [`with only ${sessionToken} and ${timestamp}`]: {
      credentials: [[sessionToken, 'made-up'], time],
    },
    ...(value && {
      [`without ${authorization}`]: { credentials: [...rest, ...SPOOFED_IDENTITY_HEADERS] },
      'with its authorization in Authorization': { credentials: [['Authorization', value], time] },
    }),
    ...(gatewayToken && {
      'with only a gateway token': { credentials: [['Authorization', `Bearer ${gatewayToken}`]] },
    }),
  };
}

export const authStorage: readonly Check[] = [
  // Names of headers are case-insensitive (RFC 9110, section 5.1).
  defineCheck('AU-STORAGE-HEADERS', ['storageCredentials'], async (t) => {
    const { nameOf, wireProfile } = t.run.settings;
    const { sessionToken } = wireProfile.storageHeaders;
    if (readAll(t.storage.credentials(), sessionToken).length === 0)
      t.note(`${sessionToken} was not tested, because ${nameOf('storageHeaders')} lacks it.`);
    const fields = await acceptedFields(t);
    const valid = t.storage.credentials();
    for (const spell of ['toLowerCase', 'toUpperCase'] as const) {
      const credentials = valid.map(([name, value]) => [name[spell](), value] as const);
      for (const operation of STORAGE_OPERATIONS) {
        const reply = await t.storage.call(operation, fields[operation], { credentials });
        expectAccepted(t, reply);
      }
    }
  }),
  defineCheck('AU-STORAGE-REJECTED/1', [], (t) => expectAllRejected(t, toIncompleteCredentials(t))),
  defineCheck('AU-STORAGE-REJECTED/2', ['storageCredentials'], (t) =>
    expectAllRejected(t, {
      'with empty credentials': forge(t, () => ''),
      'with made-up credentials': forge(t, () => 'made up'),
      'with credentials with different last characters': forge(t),
      'with credentials without their last characters': forge(t, (value) =>
        value.slice(0, -CHANGED),
      ),
      'with credentials with characters added': forge(t, (value) => `${value}AAAA`),
      ...forgeSignatures(t),
      'with wrong credentials and headers that name a user': {
        ...forge(t),
        headers: SPOOFED_IDENTITY_HEADERS,
      },
    }),
  ),
  defineCheck('AU-STORAGE-ENV', ['storageCredentials'], (t) => {
    const { env } = t.run.settings;
    const envs = [t.run.uniqueName(), `${env}x`, `x${env}`];
    const changes = envs.map((other) => [`for the environment ${other}`, { env: other }]);
    return expectAllRejected(t, Object.fromEntries(changes));
  }),
  defineCheck('AU-STORAGE-EACH-CALL', ['storageCredentials'], async (t) => {
    const { batchGetTempUrls: fields } = await makeValidFields(t);
    const changes: Changes = {
      'without credentials': { credentials: 'none' },
      'with wrong credentials': forge(t),
      'for another environment': { env: t.run.uniqueName() },
    };
    await t.onOneConnection(async ({ storage }) => {
      for (const [what, options] of Object.entries(changes)) {
        const accepted = await storage.call('batchGetTempUrls', fields);
        if (accepted.rejected) throw new SkipError('a valid call is rejected');
        const reply = await storage.call('batchGetTempUrls', fields, options);
        expectRejected(t, reply, `${what}, after a valid call on the same connection,`);
      }
    });
  }),
];
