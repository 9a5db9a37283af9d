import type { HeaderList } from '../../http/header-list.ts';
import { readAll } from '../../http/header-list.ts';
import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { type GoodFields, makeGoodFields } from '../support/good-fields.ts';

/**
 * Makes good calls whose credentials carry one of the storage headers, the name of that header in
 * several cases: names of headers have none (RFC 9110, section 5.1).
 *
 * @param name of the header, from the wire profile
 */
export async function expectHeaderTaken(t: Trial, name: string): Promise<void> {
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
export async function reachGoodFields(t: Trial): Promise<GoodFields> {
  const fields = await makeGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const { refused, received } = await t.storage.call(operation, fields[operation]);
    t.reach(!refused, `a good call of ${operation} is refused with ${received.status}`);
  }
  return fields;
}

/** The credentials, where they have this header; otherwise the check is not reached. */
export async function readCredentials(t: Trial, name: string): Promise<HeaderList> {
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
