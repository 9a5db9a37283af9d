import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Grant, UploadReply } from '../context/upload-client.ts';
import { Unreached } from '../result.ts';
import { describeReading, Folder, hasBytes, needsFiles, storeReadable } from './stored-files.ts';

const OLD = Buffer.from('the old content, '.repeat(6000));
const NEW = Buffer.alloc(200_000, 'the new content, ');

/** How often to read a file while half of the form for it was sent. */
const READINGS = 3;

/** How long to wait between readings while an upload completes, in milliseconds. */
const PAUSE = 20;

/** How long to wait before each look for traces of an interrupted upload, in milliseconds. */
const LOOKS = [0, 200, 300];

export const uploadIntegrity: readonly Check[] = [
  defineCheck('UP-WHOLE', needsFiles, async (t) => {
    const folder = await storeReadable(t, ['existing.txt'], { 'existing.txt': OLD });
    await uploadAndRead(t, await t.upload.grant(folder.path('existing.txt')), [OLD]);
    await uploadAndRead(t, await t.upload.grant(folder.path('new.txt')), []);
  }),
  defineCheck('UP-BROKEN', needsFiles, async (t) => {
    const folder = await storeReadable(t, ['existing.txt'], { 'existing.txt': OLD });
    const cases: [
      name: string,
      toEnd: (size: number) => number,
      headers?: Record<string, string>,
    ][] = [
      ['existing.txt', half],
      ['1.bin', half],
      ['2.bin', half, { 'Transfer-Encoding': 'chunked' }],
      // Within the last boundary.
      ['3.bin', (size) => size - 20],
    ];
    const forms = [];
    for (const [name, toEnd, headers] of cases) {
      const form = holdForm(t, await folder.grant(name), toEnd, headers);
      await form.isUnderWay;
      forms.push(form);
    }
    const expectUnchanged = (when: string) =>
      folder.expect(when, {
        'existing.txt': OLD,
        '1.bin': undefined,
        '2.bin': undefined,
        '3.bin': undefined,
      });
    // While the files are read, what was sent arrives.
    await expectUnchanged('before its upload is interrupted');
    for (const { cut } of forms) cut();
    for (const { response } of forms) await response.catch(() => {});
    for (const pause of LOOKS) {
      await wait(pause, undefined, { signal: t.signal });
      await expectUnchanged('after its upload was interrupted');
    }
  }),
  defineCheck('UP-KEPT', needsFiles, async (t) => {
    const folder = new Folder(t);
    await folder.store('file.txt');
    await folder.expectKept('immediately after its upload', 'file.txt');
    await t.upload.grant(folder.path('file.txt'));
    await folder.expectKept('after another grant was issued for its path', 'file.txt');
    await folder.store('file.txt.2');
    await folder.delete('file.txt.2');
    const missing = { from: 'missing.txt', to: 'file.txt' };
    await folder.copy(missing, { ...missing, removeOriginal: true });
    await folder.expectKept(
      'after another file was deleted, and copies onto it failed',
      'file.txt',
    );
    await folder.copy({ from: 'file.txt', to: 'copy.txt' });
    const first = folder.contentOf('file.txt');
    await folder.store('file.txt');
    await folder.expect('after a file and its copy were made, and the file was overwritten', {
      'file.txt': 'file.txt',
      'copy.txt': first,
    });
    await folder.delete('file.txt');
    await folder.store('file.txt');
    await folder.expectKept('uploaded to the path of a deleted file', 'file.txt');
  }),
];

const half = (size: number) => Math.floor(size / 2);

/** Reads a file while an upload to its path is in progress; it must have the content from before, or the new one. */
async function uploadAndRead(
  t: CheckContext,
  grant: Grant,
  before: readonly Buffer[],
): Promise<void> {
  const form = holdForm(t, grant, half);
  let isOver = false;
  const response = form.response.finally(() => {
    isOver = true;
  });
  // It is awaited after the last reading.
  response.catch(() => {});
  const read = async (when: string, contents: readonly Buffer[]) => {
    const reading = await t.upload.read(grant.fileId);
    const isIntact = !reading.found || contents.some((content) => hasBytes(reading, content));
    const message = `${grant.path} must be intact ${when}, but a read returned ${describeReading(reading)}`;
    t.expect(isIntact, message, reading.exchange);
  };
  await form.isUnderWay;
  // The form has to end before its own timeout.
  const last = performance.now() + t.settings.timeout / 3;
  for (let turn = 0; turn < READINGS && (turn === 0 || performance.now() < last); turn += 1) {
    await read('after half of its form was sent', before);
  }
  form.release();
  while (!isOver) {
    await read('while its upload completes', [...before, NEW]);
    await wait(PAUSE, undefined, { signal: t.signal });
  }
  if (!(await response).isAccepted) throw new Unreached('a form that is sent slowly is rejected');
}

/**
 * Sends the form of an upload, and pauses after a part of it.
 *
 * @param toEnd where to pause: how many of this number of bytes to send first
 */
function holdForm(
  t: CheckContext,
  grant: Grant,
  toEnd: (size: number) => number,
  headers: Record<string, string> = {},
) {
  const begun = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  // The form may be abandoned before anyone waits for its rest.
  goesOn.promise.catch(() => {});
  async function* toParts(form: Buffer) {
    const end = toEnd(form.length);
    yield form.subarray(0, end);
    begun.resolve();
    await goesOn.promise;
    yield form.subarray(end);
  }
  const trickle = (form: Buffer) => Readable.from(toParts(form));
  const response: Promise<UploadReply> = t.upload.post(grant, t.upload.fields(grant, NEW), {
    headers,
    trickle,
  });
  return {
    response,
    /** Settles when the first part has been handed to the network, or the form was rejected before. */
    isUnderWay: Promise.race([begun.promise, response.then(() => {}).catch(() => {})]),
    release: () => goesOn.resolve(),
    cut: () => goesOn.reject(new Error('cut off by the check')),
  };
}
