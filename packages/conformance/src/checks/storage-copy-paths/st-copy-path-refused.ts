import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { copy, hasFailed, toCopyItems } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { storeCopyable } from '../support/store-copyable.ts';

const CHARACTERS = [...' @%\\?#+:&"<|~(\t\u0000éя，\u4dff\ua000😀\u{20000}'];

export const stCopyPathRefused = defineCheck(
  'ST-COPY-PATH-REFUSED',
  needsFiles,
  async (t: Trial) => {
    const source = await storeCopyable(t, 'source.txt');
    for (const [index, character] of CHARACTERS.entries()) {
      const point = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const good = { from: source.path, to: t.storage.path(`good-${index}.txt`) };
      const [item] = toCopyItems(t, [good]);
      const path = t.storage.path(`a${character}b.txt`);
      const bad = { ...item, dstPath: t.storage.copyPath(path) };
      const fileList = index % 2 === 0 ? [bad, item] : [item, bad];
      const reply = await t.storage.call('batchCopyFile', { fileList });
      const what = `${show(character)} (U+${point}) in dstPath`;
      const { status } = reply.received;
      t.expect(!reply.refused, `${what}: the call must not be refused with ${status}`, reply);
      const entries = reply.data?.fileList;
      if (reply.refused || !Array.isArray(entries) || entries.length !== 2) continue;
      const failed = entries.map(Object).filter(hasFailed);
      const alone = `${what}: of the two items this one alone must fail, not ${failed.length}`;
      t.expect(failed.length === 1, alone, reply);
      if (failed.length === 0) t.upload.track(path);
      for (const { code, message } of failed) {
        const isText = typeof code === 'string' && typeof message === 'string';
        const came = `${show(code)} and ${show(message)}`;
        t.expect(isText, `${what}: code and message must be strings, not ${came}`, reply);
      }
    }
    await expectSourceRefused(t, 'a b.txt');
    const to = t.storage.path('end.txt\n');
    const [entry = {}] = await copy(t, { from: source.path, to });
    t.expect(hasFailed(entry), 'a line feed at the end of dstPath: the item must fail');
  },
);

/** A file that has such a path, where uploads take one, is no source of a copy either. */
async function expectSourceRefused(t: Trial, name: string): Promise<void> {
  const from = t.storage.path(name);
  const grant = await t.storage.call('getUploadMetaData', { path: from }, { acceptsRefusal: true });
  if (!grant.refused) {
    const given = await t.upload.grant(from);
    await t.upload.post(given, t.upload.fields(given, Buffer.from(name)));
  }
  const [entry = {}] = await copy(t, { from, to: t.storage.path('from-bad.txt') });
  t.expect(hasFailed(entry), `${name} as srcPath: the item must fail`);
}
