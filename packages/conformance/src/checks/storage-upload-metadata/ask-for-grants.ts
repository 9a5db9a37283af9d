import type { StorageReply } from '../../trial/read-reply.ts';
import type { Trial } from '../../trial/trial.ts';

const NAMES = ['file.txt', 'level/deeper/file.txt', 'no-extension'];

/** Upload metadata for several paths, and for one path a second time. */
export async function* askForGrants(
  t: Trial,
): AsyncGenerator<{ what: string; reply: StorageReply }> {
  for (const name of [...NAMES, 'file.txt']) {
    const path = t.storage.path(name);
    const reply = await t.storage.call('getUploadMetaData', { path });
    yield { what: `getUploadMetaData ${name}`, reply };
  }
}

/** Expects a field of every grant to be a string. */
export async function expectString(t: Trial, field: string): Promise<void> {
  for await (const { what, reply } of askForGrants(t)) {
    const { data } = reply;
    t.reach(data !== undefined, `${what}: no data in the answer`);
    const value = data[field];
    const came = value === undefined ? 'absent' : `a value of type ${typeof value}`;
    t.expect(typeof value === 'string', `${what}: ${field} must be a string, not ${came}`, reply);
  }
}
