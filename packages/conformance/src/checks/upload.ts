import { setTimeout as wait } from 'node:timers/promises';
import { SkipError } from '../errors.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { hasErrorElement } from '../http/read-response.ts';
import { quoteText } from '../results/redact.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import {
  describeReading,
  type Form,
  type Grant,
  hasBytes,
  type PostOptions,
  postForm,
  toFormFields,
  toMultipart,
} from '../run/files.ts';
import { changeChars } from './calls.ts';
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
const INVALID: Record<string, (form: Form) => PostOptions> = {
  'JSON instead of a form': () => ({ type: 'application/json', body: Buffer.from('{}') }),
  'a form cut within the file': (form) => ({ body: toMultipart(form, BOUNDARY).subarray(0, -40) }),
  'a form without Signature': ({ Signature: _, ...rest }) => ({
    body: toMultipart(rest, BOUNDARY),
  }),
  'a form without file': ({ file: _, ...rest }) => ({ body: toMultipart(rest, BOUNDARY) }),
};

/** The field of a form that each sentence is about, by its name in a wire profile if it has one. */
const FIELDS: [SentenceId, field: string][] = [
  ['UP-FIELDS/1', 'Signature'],
  ['UP-FIELDS/2', 'securityToken'],
  ['UP-FIELDS/3', 'metaFileId'],
  ['UP-FIELDS/4', 'key'],
];

export const upload: readonly Check[] = [
  defineCheck('UP-FORM', needsFiles, async (t) => {
    // Some parsers look for the boundary without its hyphens, so no field may contain it.
    const boundary = 'quoted-boundary-of-the-form';
    const forms: [name: string, content: string, options?: PostOptions][] = [
      ['overwritten', 'the first, which is longer'],
      ['level/large', 'ab'.repeat(10_000)],
      ['overwritten', 'second'],
      // RFC 2046, section 5.1.1
      ['quoted', 'q', { boundary, type: `multipart/form-data; boundary="${boundary}"` }],
    ];
    for (const [name, content, options] of forms) {
      const { status } = (await t.files.send(name, content, options)).received;
      await t.expectKept(`after its form was sent, with the response ${status}`, name);
    }
  }),
  ...FIELDS.map(([id, field]) => defineCheck(id, needsFiles, (t) => expectFieldChecked(t, field))),
  defineCheck('UP-FILE', needsFiles, async (t) => {
    const stored: string[] = [];
    for (const [name, content] of Object.entries(CONTENTS)) {
      const reply = await t.files.send(name, content, { boundary: BOUNDARY });
      if (reply.isAccepted) stored.push(name);
      else t.note(`${name} was rejected with ${reply.received.status}.`);
    }
    if (stored.length === 0) throw new SkipError('no upload is accepted');
    await t.expectKept('after its upload', ...stored);
  }),
  defineCheck('UP-RESPONSE/1', needsFiles, async (t) => {
    for (const [what, toOptions] of Object.entries(INVALID)) {
      const grant = await t.files.grant(`${what.replaceAll(' ', '-')}.txt`);
      const options = toOptions(toFormFields(t.run, grant, CONTENT));
      const reply = await postForm(t, grant, {}, { boundary: BOUNDARY, ...options });
      // Other rules are about forms that must not be accepted.
      if (reply.isAccepted && (await t.files.read(grant.fileId)).found) continue;
      const { status, text, mediaType = 'no type' } = reply.received;
      const message = `the response to ${what} must have an Error element, but was ${status} with ${mediaType}: ${quoteText(text)}`;
      t.expect(hasErrorElement(text), message, reply);
    }
  }),
  defineCheck('UP-RESPONSE/2', needsFiles, async (t) => {
    for (const content of ['text', '', '<Error></Error>']) {
      const reply = await t.files.send(`${content.length}-bytes`, content);
      const { status, text } = reply.received;
      const hasError = hasErrorElement(text);
      const reading = await t.files.read(reply.file.fileId);
      const isStored = hasBytes(reading, reply.file.bytes);
      const isClear = isStored ? !hasError : hasError || status >= 400;
      const message = `the response to an upload must have an Error element if and only if it failed, but has ${hasError ? 'one' : 'none'}, and a read returned ${describeReading(reading)}`;
      t.expect(isClear, message, reply);
    }
  }),
  defineCheck('UP-FILE-ID', needsFiles, async (t) => {
    const name = 'level/no-extension';
    await t.files.store(name);
    await t.expectKept('by the fileID from getUploadMetaData', name);
    await t.files.delete(name);
    // With an ID that is issued for its path now.
    const reading = await t.files.read(await t.files.fileIdOf(t.files.path(name)));
    t.expectReading(reading, undefined, 'a file deleted by the fileID from getUploadMetaData');
  }),
  defineCheck('UP-WHOLE', needsFiles, async (t) => {
    await t.files.storeReadable(['existing'], { existing: OLD });
    await uploadAndRead(t, await t.files.grant('existing'), [OLD]);
    await uploadAndRead(t, await t.files.grant('new'), []);
  }),
  defineCheck('UP-BROKEN', needsFiles, async (t) => {
    await t.files.storeReadable(['existing'], { existing: OLD });
    const cases: [name: string, firstPart: typeof half, headers?: PostOptions['headers']][] = [
      ['existing', half],
      ['1', half],
      ['2', half, { 'Transfer-Encoding': 'chunked' }],
      // Within the last boundary.
      ['3', (size) => size - 20],
    ];
    const forms = [];
    for (const [name, firstPart, headers] of cases) {
      const form = holdForm(t, await t.files.grant(name), firstPart, headers);
      await form.isUnderWay;
      forms.push(form);
    }
    const before = { existing: OLD, 1: undefined, 2: undefined, 3: undefined };
    // While the files are read, what was sent arrives.
    await t.expectContents('before its upload is interrupted', before);
    for (const { cut } of forms) cut();
    for (const { response } of forms) await response.catch(() => {});
    for (const pause of RECHECK_DELAYS) {
      await wait(pause, undefined, { signal: t.run.signal });
      await t.expectContents('after its upload was interrupted', before);
    }
  }),
  defineCheck('UP-KEPT', needsFiles, async (t) => {
    const { files } = t;
    await files.store('file');
    await t.expectKept('immediately after its upload', 'file');
    await files.grantPath(files.path('file'));
    await t.expectKept('after another grant was issued for its path', 'file');
    await files.store('file.2');
    await files.delete('file.2');
    const missing = { from: 'missing', to: 'file' };
    await files.copy(missing, { ...missing, removeOriginal: true });
    await t.expectKept('after another file was deleted, and copies onto it failed', 'file');
    await files.copy({ from: 'file', to: 'copy' });
    const first = files.contentOf('file');
    await files.store('file');
    const what = 'after a file and its copy were made, and the file was overwritten';
    await t.expectContents(what, { file: files.contentOf('file'), copy: first });
    await files.delete('file');
    await files.store('file');
    await t.expectKept('uploaded to the path of a deleted file', 'file');
  }),
];

/** Expects a form to be rejected, and to store nothing, if a field is missing or not that of its grant. */
async function expectFieldChecked(t: CheckContext, name: string): Promise<void> {
  const fields: Record<string, string> = t.run.settings.wireProfile.uploadFields;
  const { [name]: field = name } = fields;
  const valueIn = (grant: Grant) => String(toFormFields(t.run, grant, CONTENT)[field]);
  await t.files.storeReadable(['existing']);
  const first = await t.files.grant('first');
  const second = await t.files.grantPath(t.files.path('existing'));
  const third = await t.files.grant('third');
  const value = valueIn(second);
  const isKey = field === 'key';
  // A path stays in the folder of the check; the last letters of Base64 may not matter.
  const middle = Math.floor(value.length / 2);
  const different = isKey ? `${value}0` : changeChars(value, middle, middle + 1);
  const cases: [what: string, grant: Grant, wrong?: string][] = [
    [`no ${field}`, first],
    [`an empty ${field}`, first, ''],
    [`a slightly different ${field}`, second, different],
    [`the ${field} of another grant`, third, value],
  ];
  if (isKey) t.files.track(different);
  for (const [what, grant, wrong] of cases) {
    // A value that all grants share is not wrong.
    if (wrong === valueIn(grant)) continue;
    const { [field]: _, ...others } = toFormFields(t.run, grant, CONTENT);
    const form = wrong === undefined ? others : { [field]: wrong, ...others };
    const reply = await postForm(t, grant, form);
    const message = `a form with ${what} must be rejected, but the response was ${reply.received.status}`;
    t.expect(!reply.isAccepted, message, reply);
  }
  const when = `after forms with a wrong ${field}`;
  await t.expectGone(when, 'first', 'third', ...(isKey ? ['existing0'] : []));
  await t.expectKept(when, 'existing');
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
    const message = `${when}, ${grant.path} must have its old or its new content, but a read returned ${describeReading(reading)}`;
    t.expect(isIntact, message, reading.exchange);
  };
  await form.isUnderWay;
  // The form has to end before its own timeout.
  const last = performance.now() + t.run.settings.timeoutMs / 3;
  for (let turn = 0; turn < READINGS && (turn === 0 || performance.now() < last); turn += 1) {
    await read('after half of its form was sent', before);
  }
  form.release();
  while (!isOver) {
    await read('while its upload completes', [...before, NEW]);
    await wait(PAUSE, undefined, { signal: t.run.signal });
  }
  if (!(await response).isAccepted) throw new SkipError('a form that is sent slowly is rejected');
}

/** Sends the form of an upload, and pauses after the first `firstPart(size)` bytes. */
function holdForm(
  t: CheckContext,
  grant: Grant,
  firstPart: (size: number) => number,
  headers: PostOptions['headers'] = {},
) {
  const begun = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  // The form may be abandoned before anyone waits for the rest.
  resumed.promise.catch(() => {});
  async function* stream(form: Buffer) {
    const end = firstPart(form.length);
    yield form.subarray(0, end);
    begun.resolve();
    await resumed.promise;
    yield form.subarray(end);
  }
  const response = postForm(t, grant, toFormFields(t.run, grant, NEW), { headers, stream });
  return {
    response,
    /** Settles when the first part has been handed to the network, or the form was rejected before. */
    isUnderWay: Promise.race([begun.promise, response.then(() => {}).catch(() => {})]),
    release: () => resumed.resolve(),
    cut: () => resumed.reject(new Error('cut off by the check')),
  };
}
