import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { StorageReply } from '../context/storage-client.ts';

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
];
