import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  copy,
  describeReading,
  expectFiles,
  hasBytes,
  needsFiles,
  readPath,
  storeReadable,
} from './stored-files.ts';

const OLD = Buffer.from('the old content, '.repeat(6000));
const NEW = Buffer.alloc(200_000, 'the new content, ');

/** How often to read a file while half of the form for it was sent. */
const READINGS = 3;

/** How often to look for traces of an interrupted upload, and how long to wait before each look, in milliseconds. */
const LOOKS = [0, 200, 300];

export const uploadIntegrity: readonly Check[] = [
  defineCheck('UP-WHOLE', needsFiles, async (t) => {
    const [existing] = await storeReadable(t, ['existing.txt', OLD]);
    await uploadAndRead(t, existing.path, [OLD]);
    await uploadAndRead(t, t.storage.path('new.txt'), []);
  }),
  defineCheck('UP-BROKEN', needsFiles, async (t) => {
    const [existing] = await storeReadable(t, ['existing.txt', OLD]);
    const fresh = ['1.bin', '2.bin', '3.bin'].map((name) => t.storage.path(name));
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const cases = [
      { path: existing.path, toEnd: half },
      { path: fresh[0], toEnd: half },
      { path: fresh[1], toEnd: half, headers: chunked },
      // Within the last boundary.
      { path: fresh[2], toEnd: (size: number) => size - 20 },
    ];
    const uploads = [];
    for (const { path = '', toEnd, headers = {} } of cases) {
      const grant = await t.upload.grant(path);
      const form = holdForm(toEnd);
      const options = { headers, trickle: form.trickle };
      const ended = t.upload.post(grant, t.upload.fields(grant, NEW), options).catch(() => {});
      await Promise.race([form.isUnderWay, ended]);
      uploads.push({ grant, form, ended });
    }
    const files = uploads.map(({ grant }) => ({
      path: grant.path,
      fileId: grant.fileId,
      ...(grant.path === existing.path && { bytes: OLD }),
    }));
    // While the files are read, what was sent arrives.
    await expectFiles(t, 'before its upload is interrupted', files);
    for (const { form } of uploads) form.cut();
    for (const { ended } of uploads) await ended;
    for (const pause of LOOKS) {
      await wait(pause, undefined, { signal: t.signal });
      await expectFiles(t, 'after its upload was interrupted', files);
    }
  }),
  defineCheck('UP-KEPT', needsFiles, async (t) => {
    const file = await t.upload.store('file.txt');
    await expectFiles(t, 'immediately after its upload', [file]);
    await t.upload.grant(file.path);
    await expectFiles(t, 'after another grant was issued for its path', [file]);
    const neighbour = await t.upload.store('file.txt.2');
    await t.storage.list('batchDelete', [neighbour.fileId]);
    const missing = { from: t.storage.path('missing.txt'), to: file.path };
    await copy(t, missing, { ...missing, removeOriginal: true });
    await expectFiles(t, 'after another file was deleted, and copies onto it failed', [file]);
    const copied = { path: `${file.path}.copy`, bytes: file.bytes };
    await copy(t, { from: file.path, to: copied.path });
    const second = await t.upload.store('file.txt');
    await expectFiles(t, 'after a file and its copy were made, and the file was overwritten', [
      second,
      copied,
    ]);
    await t.storage.list('batchDelete', [second.fileId]);
    const third = await t.upload.store('file.txt');
    await expectFiles(t, 'uploaded to the path of a deleted file', [third]);
    await keepOneOfTwo(t);
  }),
];

const half = (size: number) => Math.floor(size / 2);

/** Two writers upload one file at the same time; afterwards, it must be what one of them sent. */
async function keepOneOfTwo(t: CheckContext): Promise<void> {
  const path = t.storage.path('both.txt');
  const contents = ['a', 'b'].map((text) => Buffer.alloc(30_000, text));
  const sent = await Promise.all(contents.map((content) => t.upload.send(path, content)));
  const accepted = contents.filter((_, index) => sent[index]?.reply.isAccepted);
  t.reach(accepted.length > 0, 'two concurrent uploads to one path are both rejected');
  const reading = await readPath(t, path);
  const isOne = accepted.some((content) => hasBytes(reading, content));
  const message = `two concurrent uploads to one path: one of the files must be stored intact, but a read returned ${describeReading(reading)}`;
  t.expect(isOne, message, reading.exchange);
}

/** Reads continuously while an upload is in progress, and after it. */
async function uploadAndRead(
  t: CheckContext,
  path: string,
  before: readonly Buffer[],
): Promise<void> {
  const grant = await t.upload.grant(path);
  const form = holdForm(half);
  const state = { isOver: false };
  const fields = t.upload.fields(grant, NEW);
  const responded = t.upload.post(grant, fields, { trickle: form.trickle }).finally(() => {
    state.isOver = true;
  });
  const read = async (when: string, contents: readonly Buffer[]) => {
    const reading = await t.upload.read(grant.fileId);
    const isIntact = !reading.found || contents.some((content) => hasBytes(reading, content));
    const message = `${path} must be intact ${when}, but a read returned ${describeReading(reading)}`;
    t.expect(isIntact, message, reading.exchange);
  };
  await Promise.race([form.isUnderWay, responded.catch(() => {})]);
  // The form has to end before its own timeout.
  const last = performance.now() + t.settings.timeout / 3;
  for (let turn = 0; turn < READINGS && (turn === 0 || performance.now() < last); turn += 1) {
    await read('after half of its form was sent', before);
  }
  form.release();
  while (!state.isOver) await read('while its upload completes', [...before, NEW]);
  t.reach((await responded).isAccepted, 'a form that is sent slowly is rejected');
}

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
