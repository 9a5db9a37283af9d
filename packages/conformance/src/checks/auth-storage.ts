import type { CheckContext } from '../context/check-context.ts';
import { STORAGE_OPERATIONS } from '../context/storage-client.ts';
import { signStorage } from '../credentials/create-signers.ts';
import { type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { type Check, defineCheck } from './check.ts';
import { type GoodFields, makeGoodFields } from './support/storage.ts';

/**
 * Makes good calls whose credentials carry one of the storage headers, the name of that header in
 * several cases: names of headers have none (RFC 9110, section 5.1).
 *
 * @param name of the header, from the wire profile
 */
async function expectHeaderTaken(t: CheckContext, name: string): Promise<void> {
  const fields = await reachGoodFields(t);
  const spellings = [name, name.toLowerCase(), name.toUpperCase()];
  for (const operation of STORAGE_OPERATIONS) {
    for (const spelling of spellings) {
      const credentials = respell(await t.storage.credentials(), name, spelling);
      const reply = await t.storage.call(operation, fields[operation], { credentials });
      const { status } = reply.received;
      t.expect(
        !reply.refused,
        `${operation} with good credentials in ${spelling}: must be accepted, not refused with ${status} ${reply.code}`,
      );
    }
  }
}

/** Good fields, where good calls of all operations are accepted; otherwise the check is not reached. */
async function reachGoodFields(t: CheckContext): Promise<GoodFields> {
  const fields = await makeGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const { refused, received } = await t.storage.call(operation, fields[operation]);
    t.reach(!refused, `a good call of ${operation} is refused with ${received.status}`);
  }
  return fields;
}

/** The credentials, where they have this header; otherwise the check is not reached. */
async function readCredentials(t: CheckContext, name: string): Promise<HeaderList> {
  const credentials = await t.storage.credentials();
  const [value] = readAll(credentials, name);
  t.reach(value !== undefined, `the given storage credentials have no ${name}`);
  return credentials;
}

/** The same headers, one of them with another spelling of its name. */
function respell(headers: HeaderList, name: string, spelling: string): HeaderList {
  return headers.map(([key, value]) => [
    key.toLowerCase() === name.toLowerCase() ? spelling : key,
    value,
  ]);
}

/** Letters at the end of a credential that are changed: where it is a signature, they are part of it. */
const CHANGED = 8;

/**
 * Wrong credentials made of good ones, by what was done to them.
 *
 * @param good headers that are accepted, the authorization among them
 */
function makeWrongCredentials(t: CheckContext, good: HeaderList): Record<string, HeaderList> {
  const { tc3, wireProfile, storageHeaders, auth } = t.settings;
  const { authorization, timestamp } = wireProfile.storageHeaders;
  const [value = ''] = readAll(good, authorization);
  const give = (wrong: string) => withHeaders(good, [[authorization, wrong]]);
  const wrong = {
    'made-up credentials': give('made up'),
    'empty credentials': give(''),
    'credentials whose end is changed': give(changeEnd(value)),
    'credentials whose end is cut off': give(value.slice(0, -CHANGED)),
  };
  const isSigned = auth?.storage === undefined && Object.keys(storageHeaders).length === 0;
  if (tc3 === undefined || !isSigned) return wrong;
  const seconds = Number(readAll(good, timestamp)[0]);
  const sign = (keys: Partial<typeof tc3>) =>
    give(signStorage(seconds, tc3.storageSigningHost, { ...tc3, ...keys }));
  const unknown = `${tc3.secretId}x`;
  return {
    ...wrong,
    'a signature with another secret': sign({ secretKey: `${tc3.secretKey}x` }),
    'a signature with an empty secret': sign({ secretKey: '' }),
    'a signature of an unknown id': sign({ secretId: unknown }),
    'a signature of an unknown id with an empty secret': sign({ secretId: unknown, secretKey: '' }),
  };
}

function changeEnd(value: string): string {
  const end = value.slice(-CHANGED).replace(/./g, (one) => (one === '0' ? '1' : '0'));
  return value.slice(0, -CHANGED) + end;
}

export const authStorage: readonly Check[] = [
  defineCheck('AU-STORAGE-AUTHORIZATION', ['storageCredentials'], async (t: CheckContext) => {
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const credentials = await readCredentials(t, authorization);
    await expectHeaderTaken(t, authorization);
    const fields = await reachGoodFields(t);
    const rest = credentials.filter(([name]) => name.toLowerCase() !== authorization.toLowerCase());
    for (const operation of STORAGE_OPERATIONS) {
      const reply = await t.storage.call(operation, fields[operation], { credentials: rest });
      t.expect(
        reply.refused,
        `${operation} without ${authorization}: must be refused, not accepted with ${reply.received.status}`,
      );
    }
  }),
  /** With permanent credentials the header is there and empty, unless the operator gives none. */
  defineCheck(
    'AU-STORAGE-SESSION-TOKEN',
    ['storageCredentials', 'sessionToken'],
    async (t: CheckContext) => {
      const { sessionToken } = t.settings.wireProfile.storageHeaders;
      await readCredentials(t, sessionToken);
      await expectHeaderTaken(t, sessionToken);
    },
  ),
  defineCheck('AU-STORAGE-TIMESTAMP', ['storageCredentials'], async (t: CheckContext) => {
    const { timestamp } = t.settings.wireProfile.storageHeaders;
    const [value = ''] = readAll(await readCredentials(t, timestamp), timestamp);
    const isSeconds = /^\d{10}$/.test(value);
    t.reach(isSeconds, `the given ${timestamp} is no time in whole seconds`);
    await expectHeaderTaken(t, timestamp);
  }),
  defineCheck('AU-STORAGE-NONE', [], async (t) => {
    const fields = await reachGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const none = { credentials: 'none' } as const;
      const reply = await t.storage.call(operation, fields[operation], none);
      t.expect(
        reply.refused,
        `${operation} without credentials: must be refused, not accepted with ${reply.received.status}`,
      );
    }
  }),
  defineCheck('AU-STORAGE-WRONG', ['storageCredentials'], async (t: CheckContext) => {
    const fields = await reachGoodFields(t);
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const good = await readCredentials(t, authorization);
    for (const [what, credentials] of Object.entries(makeWrongCredentials(t, good))) {
      for (const operation of STORAGE_OPERATIONS) {
        const reply = await t.storage.call(operation, fields[operation], { credentials });
        t.expect(
          reply.refused,
          `${operation} with ${what}: must be refused, not accepted with ${reply.received.status}`,
        );
      }
    }
  }),
  defineCheck('AU-STORAGE-ENV', ['storageCredentials'], async (t) => {
    const fields = await reachGoodFields(t);
    const { env } = t.settings;
    const others = [t.uniqueName(), `${env}x`, `x${env}`, `${env}-${env}`];
    for (const operation of STORAGE_OPERATIONS) {
      for (const other of others) {
        const options = { env: other, acceptsRefusal: true };
        const reply = await t.storage.call(operation, fields[operation], options);
        t.expect(
          reply.refused,
          `${operation} for the environment ${other}: must be refused, not accepted with ${reply.received.status}`,
        );
      }
    }
  }),
];
