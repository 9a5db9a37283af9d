import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { copy } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import {
  describeReading,
  expectBytes,
  hasBytes,
  readPath,
  storeReadable,
} from '../support/readings.ts';

export const upKept = defineCheck('UP-KEPT', needsFiles, async (t: Trial) => {
  await keepGranted(t);
  await storeReadable(t, 'sound.txt');
  await keepUploads(t);
  await keepCopies(t);
  await keepOneOfTwo(t);
});

/** Who asks for an upload has not overwritten anything yet. */
async function keepGranted(t: Trial): Promise<void> {
  const { path, fileId, bytes } = await t.upload.store('granted.txt');
  if (!hasBytes(await t.upload.read(fileId), bytes)) return;
  await t.upload.grant(path);
  const reading = await t.upload.read(fileId);
  expectBytes(t, reading, bytes, 'an upload, after another one to its path was asked for,');
}

/** Read at once, and again after whatever else is done. */
async function keepUploads(t: Trial): Promise<void> {
  const file = await t.upload.store('file.txt');
  for (const turn of ['at once', 'a second time', 'a third time']) {
    expectBytes(t, await t.upload.read(file.fileId), file.bytes, `an upload, read ${turn},`);
  }
  const second = await t.upload.store('file.txt');
  expectBytes(
    t,
    await t.upload.read(second.fileId),
    second.bytes,
    'an upload over it, read at once,',
  );
  const neighbour = await t.upload.store('file.txt.2');
  await t.storage.list('batchDelete', [neighbour.fileId]);
  const missing = t.storage.path('missing.txt');
  await copy(t, { from: missing, to: file.path });
  await copy(t, { from: missing, to: file.path, removeOriginal: true });
  const after = 'an upload, after another was deleted and copies onto it failed,';
  expectBytes(t, await t.upload.read(second.fileId), second.bytes, after);

  await t.storage.list('batchDelete', [file.fileId]);
  const again = await t.upload.store('file.txt');
  const reading = await readPath(t, again.path);
  expectBytes(t, reading, again.bytes, 'an upload to a path that was deleted before');
}

/** A copy stays when its source goes. */
async function keepCopies(t: Trial): Promise<void> {
  for (const what of ['deleted', 'overwritten']) {
    const source = await t.upload.store(`${what}.txt`);
    const to = `${source.path}.copy`;
    await copy(t, { from: source.path, to });
    t.reach(hasBytes(await readPath(t, to), source.bytes), 'no copy is made');
    if (what === 'deleted') await t.storage.list('batchDelete', [source.fileId]);
    else await t.upload.store(`${what}.txt`, 'overwritten');
    const reading = await readPath(t, to);
    expectBytes(t, reading, source.bytes, `a copy, after its source is ${what},`);
  }
}

/** Two writers of one file at the same time: what is there then is what one of them has sent. */
async function keepOneOfTwo(t: Trial): Promise<void> {
  const path = t.storage.path('both.txt');
  const writers = ['a', 'b'].map(async (text) => {
    const content = Buffer.alloc(30_000, text);
    const given = await t.upload.grant(path);
    const { hasError, received } = await t.upload.post(given, t.upload.fields(given, content));
    return { content, isAccepted: !hasError && received.status < 400 };
  });
  const accepted = (await Promise.all(writers)).filter(({ isAccepted }) => isAccepted);
  t.reach(accepted.length > 0, 'of two uploads of one file at once both are refused');
  const reading = await readPath(t, path);
  const isOne = accepted.some(({ content }) => hasBytes(reading, content));
  const came = describeReading(reading);
  const message = `two uploads of one file at once: one of them must be there, whole, not ${came}`;
  t.expect(isOne, message, reading.exchange);
}
