import type { CheckContext } from '../context/check-context.ts';
import type { StorageReply } from '../context/storage-client.ts';
import { type Check, defineCheck } from './check.ts';
import { show } from './support/cite.ts';

const NAMES = ['file.txt', 'level/deeper/file.txt', 'no-extension'];

/** Requests upload metadata for several paths, one of them twice. */
async function* askForGrants(
  t: CheckContext,
): AsyncGenerator<{ what: string; reply: StorageReply }> {
  for (const name of [...NAMES, 'file.txt']) {
    const path = t.storage.path(name);
    const reply = await t.storage.call('getUploadMetaData', { path });
    yield { what: `getUploadMetaData ${name}`, reply };
  }
}

/** Expects a field of every grant to be a string. */
async function expectString(t: CheckContext, field: string): Promise<void> {
  for await (const { what, reply } of askForGrants(t)) {
    const { data } = reply;
    t.reach(data !== undefined, `${what}: the response has no data`);
    const value = data[field];
    const came = value === undefined ? 'absent' : `a value of type ${typeof value}`;
    t.expect(typeof value === 'string', `${what}: ${field} must be a string, not ${came}`, reply);
  }
}

export const storageUploadMetadata: readonly Check[] = [
  defineCheck('ST-META-CALL', ['storageCredentials'], async (t: CheckContext) => {
    for await (const { what, reply } of askForGrants(t)) {
      const { refused, received, code, data } = reply;
      t.reach(refused || data !== undefined, `${what}: the response has no data`);
      const came = `${received.status} ${code ?? ''}`.trim();
      t.expect(
        !refused,
        `${what} must return the upload attributes, but the response was ${came}`,
        reply,
      );
    }
  }),
  defineCheck('ST-META-URL', ['storageCredentials'], async (t: CheckContext) => {
    for await (const { what, reply } of askForGrants(t)) {
      const { data } = reply;
      t.reach(data !== undefined, `${what}: the response has no data`);
      const { url } = data;
      const isAbsolute =
        typeof url === 'string' && /^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url);
      t.expect(isAbsolute, `${what}: url must be an absolute URL, not ${show(url)}`, reply);
    }
  }),
  defineCheck('ST-META-TOKEN', ['storageCredentials'], (t) => expectString(t, 'token')),
  defineCheck('ST-META-AUTHORIZATION', ['storageCredentials'], (t) =>
    expectString(t, 'authorization'),
  ),
  defineCheck('ST-META-FILE-ID', ['storageCredentials'], (t) => expectString(t, 'fileID')),
  defineCheck('ST-META-STORE-FILE-ID', ['storageCredentials'], (t) =>
    expectString(t, t.settings.wireProfile.storeFileID),
  ),
];
