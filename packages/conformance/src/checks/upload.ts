import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  describeReading,
  type FormField,
  type Grant,
  hasBytes,
  type PostOptions,
  toMultipart,
} from '../context/files.ts';
import { SkipError } from '../result.ts';
import { cite } from '../validation/cite.ts';
import { hasErrorElement } from '../validation/read-storage.ts';
import { changeLetters } from './signed-calls.ts';
import { LARGE, needsFiles } from './storage-calls.ts';

const BOUNDARY = 'berth-boundary';

const CONTENTS: Record<string, Buffer | string> = {
  'empty.bin': '',
  'line-break.txt': '\r\n',
  'text.txt': '\uFEFF\r\nGrüße, 文件, файл, 😀\n%41%0D%0A+%25%zz&amp;\\n\r\r\n',
  'boundary.bin':
    '--\r\n--berth-boundar\r\n--berth-boundar--\r\n\r\n-berth-boundary\n--berth-boundary',
  'large.bin': LARGE,
};

const CONTENT = Buffer.from('what must not be stored');
const OLD = Buffer.from('the old content, '.repeat(6000));
const NEW = Buffer.alloc(200_000, 'the new content, ');

/** How often to read a file while half of the form for it was sent. */
const READINGS = 3;

/** How long to wait between readings while an upload completes, in milliseconds. */
const PAUSE = 20;

/** How long to wait before each look for traces of an interrupted upload, in milliseconds. */
const RECHECK_DELAYS = [0, 200, 300];

/** Bodies that are not a valid form, from the fields of one. */
const INVALID: Record<string, (fields: readonly FormField[]) => PostOptions> = {
  'JSON instead of a form': () => ({ type: 'application/json', body: Buffer.from('{}') }),
  'a form that ends within the file': (fields) => ({
    body: toMultipart(fields, BOUNDARY).subarray(0, -40),
  }),
  'a form without Signature': (fields) => ({ body: toMultipart(fields.slice(1), BOUNDARY) }),
  'a form without file': (fields) => ({ body: toMultipart(fields.slice(0, -1), BOUNDARY) }),
};

export const upload: readonly Check[] = [
  defineCheck('UP-FORM', needsFiles, async (t) => {
    // Some parsers look for the boundary without its hyphens, so no field may contain it.
    const boundary = 'quoted-boundary-of-the-form';
    const forms: [name: string, content: string, options?: PostOptions][] = [
      ['overwritten.txt', 'the first, which is longer'],
      ['level/large.bin', 'ab'.repeat(10_000)],
      ['overwritten.txt', 'second'],
      // RFC 2046, section 5.1.1
      ['quoted.txt', 'q', { boundary, type: `multipart/form-data; boundary="${boundary}"` }],
    ];
    const folder = t.files;
    for (const [name, content, options] of forms) {
      const { status } = (await folder.send(name, content, options)).received;
      await folder.expectKept(`after its form was sent, with the response ${status}`, name);
    }
  }),
  ...[0, 1, 2, 3].map(defineFieldCheck),
  defineCheck('UP-FILE', needsFiles, async (t) => {
    const folder = t.files;
    const stored: string[] = [];
    for (const [name, content] of Object.entries(CONTENTS)) {
      const reply = await folder.send(name, content, { boundary: BOUNDARY });
      if (reply.isAccepted) stored.push(name);
      else t.note(`${name} was rejected with ${reply.received.status}.`);
    }
    if (stored.length === 0) throw new SkipError('no upload is accepted');
    await folder.expectKept('after its upload', ...stored);
  }),
  defineCheck('UP-RESPONSE/1', needsFiles, async (t) => {
    for (const [what, toOptions] of Object.entries(INVALID)) {
      const grant = await t.files.grant(`${what.replaceAll(' ', '-')}.txt`);
      const options = toOptions(t.files.fields(grant, CONTENT));
      const reply = await t.files.post(grant, [], { boundary: BOUNDARY, ...options });
      const { status, text, mediaType } = reply.received;
      // Other rules are about forms that must not be accepted.
      if (reply.isAccepted && (await t.files.read(grant.fileId)).found) continue;
      const actual = `${status} with ${mediaType ?? 'no type'}: ${cite(text)}`;
      const message = `${what}: the response must be XML with an Error element, not ${actual}`;
      t.expect(hasErrorElement(text), message, reply);
    }
  }),
  defineCheck('UP-RESPONSE/2', needsFiles, async (t) => {
    const folder = t.files;
    for (const content of ['text', '', '<Error></Error>']) {
      const name = `${content.length}-bytes.txt`;
      const reply = await folder.send(name, content);
      const { status, text } = reply.received;
      const hasError = hasErrorElement(text);
      const reading = await folder.read(reply.file.fileId);
      const isStored = hasBytes(reading, reply.file.bytes);
      const isClear = isStored ? !hasError : hasError || status >= 400;
      const message = `the response to the upload of ${reply.file.path} has ${hasError ? 'an' : 'no'} Error element, but a read returned ${describeReading(reading)}`;
      t.expect(isClear, message, reply);
    }
  }),
  defineCheck('UP-FILE-ID', needsFiles, async (t) => {
    const folder = t.files;
    await folder.store('level/no-extension');
    await folder.expectKept('by the fileID from getUploadMetaData', 'level/no-extension');
    await folder.delete('level/no-extension');
    // With an ID that is issued for its path now.
    const when = 'deleted by the fileID from getUploadMetaData';
    await t.files.folder().expectGone(when, 'level/no-extension');
  }),
  defineCheck('UP-WHOLE', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['existing.txt'], { 'existing.txt': OLD });
    await uploadAndRead(t, await folder.grant('existing.txt'), [OLD]);
    await uploadAndRead(t, await folder.grant('new.txt'), []);
  }),
  defineCheck('UP-BROKEN', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['existing.txt'], { 'existing.txt': OLD });
    const cases: [name: string, toEnd: typeof half, headers?: PostOptions['headers']][] = [
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
    const before = {
      'existing.txt': OLD,
      '1.bin': undefined,
      '2.bin': undefined,
      '3.bin': undefined,
    };
    // While the files are read, what was sent arrives.
    await folder.expect('before its upload is interrupted', before);
    for (const { cut } of forms) cut();
    for (const { response } of forms) await response.catch(() => {});
    for (const pause of RECHECK_DELAYS) {
      await wait(pause, undefined, { signal: t.signal });
      await folder.expect('after its upload was interrupted', before);
    }
  }),
  defineCheck('UP-KEPT', needsFiles, async (t) => {
    const folder = t.files;
    await folder.store('file.txt');
    await folder.expectKept('immediately after its upload', 'file.txt');
    await folder.folder().grant('file.txt');
    await folder.expectKept('after another grant was issued for its path', 'file.txt');
    await folder.store('file.txt.2');
    await folder.delete('file.txt.2');
    const missing = { from: 'missing.txt', to: 'file.txt' };
    await folder.copy(missing, { ...missing, removeOriginal: true });
    const failed = 'after another file was deleted, and copies onto it failed';
    await folder.expectKept(failed, 'file.txt');
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

/**
 * Defines a check that a form is rejected, and stores nothing, if the field at a position is missing or has another
 * value than in its grant.
 */
function defineFieldCheck(position: number): Check {
  return defineCheck(`UP-FIELDS/${(position + 1) as 1 | 2 | 3 | 4}`, needsFiles, async (t) => {
    const fieldOf = (grant: Grant) => t.files.fields(grant, CONTENT)[position] as [string, string];
    const folder = await t.files.storeReadable(['existing.txt']);
    const first = await folder.grant('first.txt');
    const second = await folder.folder().grant('existing.txt');
    const third = await folder.grant('third.txt');
    const [field, value] = fieldOf(second);
    const isKey = field === 'key';
    // A path stays in the folder of the check; the last letters of Base64 may not matter.
    const middle = Math.floor(value.length / 2);
    const different = isKey ? `${value}0` : changeLetters(value, middle, middle + 1);
    const cases: [what: string, grant: Grant, wrong?: string][] = [
      [`no ${field}`, first],
      [`an empty ${field}`, first, ''],
      [`a slightly different ${field}`, second, different],
      [`the ${field} of another grant`, third, value],
    ];
    for (const [what, grant, wrong] of cases) {
      // A value that all grants share is not wrong.
      if (wrong === fieldOf(grant)[1]) continue;
      const others = t.files.fields(grant, CONTENT).filter(([name]) => name !== field);
      const fields = wrong === undefined ? others : [[field, wrong] as const, ...others];
      const reply = await t.files.post(grant, fields);
      const actual = `accepted with ${reply.received.status} and without an Error element`;
      t.expect(!reply.isAccepted, `${what}: the form must be rejected, but was ${actual}`, reply);
    }
    if (isKey) t.files.track(different);
    const when = `after forms with a wrong ${field}`;
    await folder.expectGone(when, 'first.txt', 'third.txt', ...(isKey ? ['existing.txt0'] : []));
    await folder.expectKept(when, 'existing.txt');
  });
}

const half = (size: number) => Math.floor(size / 2);

/** Reads a file while an upload to its path is in progress; it must have the content from before, or the new one. */
async function uploadAndRead(t: CheckContext, grant: Grant, before: readonly Buffer[]) {
  const form = holdForm(t, grant, half);
  let isOver = false;
  const response = form.response.finally(() => {
    isOver = true;
  });
  // It is awaited after the last reading.
  response.catch(() => {});
  const read = async (when: string, contents: readonly Buffer[]) => {
    const reading = await t.files.read(grant.fileId);
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
  if (!(await response).isAccepted) throw new SkipError('a form that is sent slowly is rejected');
}

/** Sends the form of an upload, and pauses after the first `toEnd(size)` bytes. */
function holdForm(
  t: CheckContext,
  grant: Grant,
  toEnd: (size: number) => number,
  headers: PostOptions['headers'] = {},
) {
  const begun = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  // The form may be abandoned before anyone waits for its rest.
  resumed.promise.catch(() => {});
  async function* toParts(form: Buffer) {
    const end = toEnd(form.length);
    yield form.subarray(0, end);
    begun.resolve();
    await resumed.promise;
    yield form.subarray(end);
  }
  const trickle = (form: Buffer) => Readable.from(toParts(form));
  const response = t.files.post(grant, t.files.fields(grant, NEW), { headers, trickle });
  return {
    response,
    /** Settles when the first part has been handed to the network, or the form was rejected before. */
    isUnderWay: Promise.race([begun.promise, response.then(() => {}).catch(() => {})]),
    release: () => resumed.resolve(),
    cut: () => resumed.reject(new Error('cut off by the check')),
  };
}
