import { Readable } from 'node:stream';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { FormField, PostOptions, Reading, StoredFile } from '../context/upload-client.ts';
import { cite } from '../validation/cite.ts';
import { hasErrorElement } from '../validation/read-storage.ts';
import {
  canBeCopied,
  copy,
  describeReading,
  expectAt,
  expectBytes,
  expectNothing,
  hasBytes,
  needsFiles,
  poll,
  readPath,
  storeReadable,
} from './support/storage.ts';

/**
 * Makes a form pause during transmission.
 *
 * @param toEnd where to pause: how many of this number of bytes to send first
 */
function holdForm(toEnd: (size: number) => number) {
  let begin = () => {};
  let release = () => {};
  let cut = () => {};
  /** Settles when the first part has been handed to the network. */
  const isUnderWay = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const goesOn = new Promise<void>((resolve, reject) => {
    release = resolve;
    cut = () => reject(new Error('cut off by the check'));
  });
  // The form may be abandoned before anyone waits for its rest.
  goesOn.catch(() => {});
  async function* toParts(form: Buffer) {
    const end = toEnd(form.length);
    yield form.subarray(0, end);
    begin();
    await goesOn;
    yield form.subarray(end);
  }
  const trickle = (form: Buffer) => Readable.from(toParts(form));
  return { trickle, isUnderWay, release, cut };
}

const CONTENT = Buffer.alloc(100_000, 'what is never sent completely, ');

/** How long to look for traces of an interrupted upload, in milliseconds. */
const LOOK = { most: 500, every: 100 };

const half = (size: number) => Math.floor(size / 2);

/** Requesting an upload does not overwrite anything yet. */
async function keepGranted(t: CheckContext): Promise<void> {
  const { path, fileId, bytes } = await t.upload.store('granted.txt');
  if (!hasBytes(await t.upload.read(fileId), bytes)) return;
  await t.upload.grant(path);
  const reading = await t.upload.read(fileId);
  expectBytes(t, reading, bytes, 'a stored file after another grant was issued for its path');
}

/** Reads it immediately, and again after other operations. */
async function keepUploads(t: CheckContext): Promise<void> {
  const expectKept = async ({ fileId, bytes }: StoredFile, what: string) =>
    expectBytes(t, await t.upload.read(fileId), bytes, what);
  const file = await t.upload.store('file.txt');
  for (const turn of ['immediately', 'a second time', 'a third time']) {
    await expectKept(file, `an uploaded file that is read ${turn}`);
  }
  const second = await t.upload.store('file.txt');
  await expectKept(second, 'a file that is read immediately after it was overwritten');
  const neighbour = await t.upload.store('file.txt.2');
  await t.storage.list('batchDelete', [neighbour.fileId]);
  const missing = t.storage.path('missing.txt');
  await copy(t, { from: missing, to: file.path });
  await copy(t, { from: missing, to: file.path, removeOriginal: true });
  const after = 'after another file was deleted, and copies onto this file failed';
  await expectKept(second, `an uploaded file (${after})`);

  await t.storage.list('batchDelete', [file.fileId]);
  const again = await t.upload.store('file.txt');
  await expectAt(t, again.path, again.bytes, 'a file uploaded to the path of a deleted one');
}

/** A copy must remain when its source is removed. */
async function keepCopies(t: CheckContext): Promise<void> {
  for (const what of ['deleted', 'overwritten']) {
    const source = await t.upload.store(`${what}.txt`);
    const to = `${source.path}.copy`;
    await copy(t, { from: source.path, to });
    t.reach(hasBytes(await readPath(t, to), source.bytes), 'no copy is made');
    if (what === 'deleted') await t.storage.list('batchDelete', [source.fileId]);
    else await t.upload.store(`${what}.txt`, 'overwritten');
    await expectAt(t, to, source.bytes, `a copy whose source was ${what}`);
  }
}

/** Two writers upload one file at the same time; afterwards, it must be what one of them sent. */
async function keepOneOfTwo(t: CheckContext): Promise<void> {
  const path = t.storage.path('both.txt');
  const contents = ['a', 'b'].map((text) => Buffer.alloc(30_000, text));
  const sent = await Promise.all(contents.map((content) => t.upload.send(path, content)));
  const accepted = contents.filter((_, index) => sent[index]?.reply.isAccepted);
  t.reach(accepted.length > 0, 'two concurrent uploads to one path are both rejected');
  const reading = await readPath(t, path);
  const isOne = accepted.some((content) => hasBytes(reading, content));
  const came = describeReading(reading);
  const message = `two concurrent uploads to one path: one of the files must be stored intact, but a read returned ${came}`;
  t.expect(isOne, message, reading.exchange);
}

const LATEST = 2000;

const OLD = Buffer.from('the old content, '.repeat(6000));

const NEW = Buffer.alloc(200_000, 'the new content, ');

const READINGS = 6;

/** Reads continuously while an upload is in progress, and after it. */
async function uploadAndRead(
  t: CheckContext,
  what: string,
  path: string,
  before: readonly Buffer[],
): Promise<void> {
  const given = await t.upload.grant(path);
  const held = holdForm(half);
  const form = t.upload.fields(given, NEW);
  const state = { isOver: false };
  const responded = t.upload.post(given, form, { trickle: held.trickle }).finally(() => {
    state.isOver = true;
  });
  const verify = (reading: Reading, when: string, contents: readonly Buffer[]) => {
    if (!reading.found) return t.expect(true, when);
    const isWhole = contents.some((content) => hasBytes(reading, content));
    const wanted = contents.length > 0 ? 'must be intact' : 'must not exist';
    const message = `an upload ${what}: ${when}, the file ${wanted}, but a read returned ${describeReading(reading)}`;
    t.expect(isWhole, message, reading.exchange);
  };
  await Promise.race([held.isUnderWay, responded.catch(() => {})]);
  // The form has to end before its own timeout.
  const last = performance.now() + t.settings.timeout / 3;
  for (let turn = 0; turn < READINGS && (turn === 0 || performance.now() < last); turn += 1) {
    verify(await t.upload.read(given.fileId), 'after half of the form was sent', before);
  }
  held.release();
  while (!state.isOver) {
    verify(await t.upload.read(given.fileId), 'while it completes', [...before, NEW]);
  }
  t.reach((await responded).isAccepted, 'a form that is sent slowly is rejected');
}

export const uploadResponses: readonly Check[] = [
  defineCheck('UP-RESPONSE/1', needsFiles, async (t: CheckContext) => {
    const { securityToken, metaFileId } = t.settings.wireProfile.uploadFields;
    const without = (field: string) => (fields: FormField[]) =>
      fields.filter(([name]) => name !== field);
    const cases: Record<string, (fields: FormField[]) => FormField[]> = {};
    for (const field of ['Signature', securityToken, metaFileId]) {
      cases[`no ${field}`] = without(field);
      cases[`a wrong ${field}`] = (fields) =>
        fields.map(([name, value]) => [name, name === field ? 'wrong' : value]);
    }
    cases['no key'] = without('key');
    cases['no file'] = without('file');
    cases['no field at all'] = () => [];
    const bodies: Record<string, PostOptions['replace']> = {
      'a form that ends within a field': (form) => ({ body: form.subarray(0, 100) }),
      'a form that ends within the file': (form) => ({ body: form.subarray(0, form.length - 60) }),
      'JSON instead of a form': () => ({ type: 'application/json', body: Buffer.from('{}') }),
    };
    let checked = 0;
    for (const [index, what] of [...Object.keys(cases), ...Object.keys(bodies)].entries()) {
      const given = await t.upload.grant(t.storage.path(`never-${index}.txt`));
      const fields = t.upload.fields(given, Buffer.from('what must not be stored'));
      const form = cases[what]?.(fields) ?? fields;
      const { [what]: replace } = bodies;
      const reply = await t.upload.post(given, form, replace && { replace });
      const { status, text } = reply.received;
      const hasError = hasErrorElement(text);
      // A form that is accepted is covered by the rule for its field, or by UP-BROKEN.
      if (!hasError && status < 400 && (await t.upload.read(given.fileId)).found) continue;
      checked += 1;
      const came = `${status} with ${reply.received.mediaType ?? 'no type'}: ${cite(text)}`;
      const wanted = `${what}: the response must be XML with an Error element, not ${came}`;
      t.expect(hasError, wanted, reply);
    }
    t.reach(checked > 0, 'no invalid form is rejected');
  }),
  defineCheck('UP-RESPONSE/2', needsFiles, async (t: CheckContext) => {
    const cases = {
      'a valid form': ['file.txt', 'first'],
      'a form for an existing file': ['file.txt', 'second'],
      'an empty file': ['empty.txt', ''],
      'a file that contains an Error element': ['error.xml', '<Error></Error>'],
    };
    let checked = 0;
    for (const [what, [name = '', content = '']] of Object.entries(cases)) {
      const bytes = Buffer.from(content);
      const { given, reply } = await t.upload.send(t.storage.path(name), bytes);
      const { status, text } = reply.received;
      const hasError = hasErrorElement(text);
      const reading = await poll(
        () => t.upload.read(given.fileId),
        (got) => hasBytes(got, bytes),
        { most: hasError ? 0 : LATEST, every: 200 },
      );
      const isStored = hasBytes(reading, bytes);
      // UP-FORM covers a valid form that is rejected and stores nothing.
      if (!isStored && (hasError || status >= 400)) continue;
      if (!isStored) {
        t.reach(!(await canBeCopied(t, given.path)), 'a file that was stored cannot be read');
      }
      checked += 1;
      const isClear = `${what}: the file was stored, so the response must not contain an Error element`;
      t.expect(!hasError, isClear, reply);
      const lost = `${what}: the response has no Error element, so the file must be stored`;
      t.expect(isStored, lost, reply);
    }
    t.reach(checked > 0, 'no valid form is accepted');
  }),
  defineCheck('UP-FILE-ID', needsFiles, async (t: CheckContext) => {
    for (const name of ['file.txt', 'level/deeper/no-extension']) {
      const { path, fileId, bytes } = await t.upload.store(name);
      const reading = await t.upload.read(fileId);
      if (!hasBytes(reading, bytes)) {
        // If links work for no ID of the file, or nothing was stored, the ID is not at fault.
        const byPath = hasBytes(await readPath(t, path), bytes);
        t.reach(byPath || (await canBeCopied(t, path)), 'an upload stored nothing');
        const [entry] = await t.storage.list('batchDelete', [fileId]);
        t.reach(entry?.code !== 'SUCCESS', 'no link is returned for an existing file');
      }
      expectBytes(t, reading, bytes, `${name} (read by the fileID from getUploadMetaData)`);
      if (!hasBytes(reading, bytes)) continue;
      await t.storage.list('batchDelete', [fileId]);
      const after = await readPath(t, path);
      expectNothing(t, after, `${name} (deleted by the fileID from getUploadMetaData)`);
    }
  }),
  defineCheck('UP-WHOLE', needsFiles, async (t: CheckContext) => {
    const existing = await storeReadable(t, 'existing.txt', OLD);
    await uploadAndRead(t, 'over an existing file', existing.path, [OLD]);
    await uploadAndRead(t, 'of a new file', t.storage.path('new.txt'), []);
  }),
  defineCheck('UP-BROKEN', needsFiles, async (t: CheckContext) => {
    const existing = await storeReadable(t, 'existing.txt', 'the content before');
    const cases: Record<string, [cut: (size: number) => number, headers?: Record<string, string>]> =
      {
        halfway: [half],
        'halfway, chunked': [half, { 'Transfer-Encoding': 'chunked' }],
        'within the last boundary': [(size) => size - 20],
      };
    const allChecks = Object.entries(cases).flatMap(([what, [cut, headers = {}]], index) =>
      [t.storage.path(`fresh-${index}.bin`), existing.path].map(async (path) => {
        const given = await t.upload.grant(path);
        const held = holdForm(cut);
        const fields = t.upload.fields(given, CONTENT);
        const responded = t.upload.post(given, fields, { headers, trickle: held.trickle }).then(
          (reply) => reply,
          () => undefined,
        );
        await Promise.race([held.isUnderWay, responded]);
        // While the file is being read, what was sent arrives.
        const readings = [await t.upload.read(given.fileId), await t.upload.read(given.fileId)];
        held.cut();
        const reply = await responded;
        const isFresh = path !== existing.path;
        const last = await poll(
          () => t.upload.read(given.fileId),
          (got) => (isFresh ? got.found : !hasBytes(got, existing.bytes)),
          LOOK,
        );
        const how = `an upload that was interrupted ${what}${reply ? ' (with a response)' : ''}`;
        for (const reading of [...readings, last]) {
          if (isFresh) expectNothing(t, reading, `${how}: the file`);
          else expectBytes(t, reading, existing.bytes, `${how}: the existing file`);
        }
      }),
    );
    await Promise.all(allChecks);
  }),
  defineCheck('UP-KEPT', needsFiles, async (t: CheckContext) => {
    await keepGranted(t);
    await storeReadable(t, 'sound.txt');
    await keepUploads(t);
    await keepCopies(t);
    await keepOneOfTwo(t);
  }),
];
