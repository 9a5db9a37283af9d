import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  type FormField,
  type Grant,
  type PostOptions,
  toMultipart,
} from '../context/upload-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Settings } from '../options.ts';
import { cite } from '../validation/cite.ts';
import { hasErrorElement } from '../validation/read-storage.ts';
import {
  describeReading,
  expectFiles,
  hasBytes,
  needsFiles,
  storeReadable,
} from './stored-files.ts';
import { changeLetters } from './support/credentials.ts';

/** Every byte value, in an order that does not occur in text. */
const BYTE_VALUES = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 167) % 256));

const CONTENTS: Record<string, Buffer | string> = {
  'empty.bin': '',
  'line-break.txt': '\r\n',
  'text.txt': '\uFEFF\r\nGrüße, 文件, файл, 😀\n%41%0D%0A+%25%zz&amp;\\n\r\r\n',
  'boundary.bin':
    '--\r\n--berth-boundar\r\n--berth-boundar--\r\n\r\n-berth-boundary\n--berth-boundary',
  // Just over 1 MiB, a common size of buffers.
  'large.bin': Buffer.alloc(2 ** 20 + 1, BYTE_VALUES),
};

const CONTENT = Buffer.from('what must not be stored');

type UploadFields = Settings['wireProfile']['uploadFields'];

export const upload: readonly Check[] = [
  defineCheck('UP-FORM', needsFiles, async (t) => {
    // Some parsers look for the boundary without its hyphens, so no field may contain it.
    const boundary = 'quoted-boundary-of-the-form';
    const quoted = { boundary, type: `multipart/form-data; boundary="${boundary}"` };
    const forms: [name: string, content: string, options?: PostOptions][] = [
      ['overwritten.txt', 'first'],
      ['level/large.bin', 'ab'.repeat(10_000)],
      ['overwritten.txt', 'second'],
      // RFC 2046, section 5.1.1
      ['quoted-boundary.txt', 'q', quoted],
    ];
    for (const [name, content, options] of forms) {
      const bytes = Buffer.from(content);
      const { grant, reply } = await t.upload.send(t.storage.path(name), bytes, options);
      const when = `after its form was sent, with the response ${reply.received.status}`;
      await expectFiles(t, when, [{ ...grant, bytes }]);
    }
  }),
  defineFieldCheck(
    'UP-FIELDS/1',
    () => 'Signature',
    ({ authorization }) => authorization,
  ),
  defineFieldCheck(
    'UP-FIELDS/2',
    ({ securityToken }) => securityToken,
    ({ token }) => token,
  ),
  defineFieldCheck(
    'UP-FIELDS/3',
    ({ metaFileId }) => metaFileId,
    ({ storeFileId }) => storeFileId,
  ),
  defineFieldCheck(
    'UP-FIELDS/4',
    () => 'key',
    ({ path }) => path,
  ),
  defineCheck('UP-FILE', needsFiles, async (t: CheckContext) => {
    const boundary = 'berth-boundary';
    const stored = [];
    for (const [name, content] of Object.entries(CONTENTS)) {
      const bytes = Buffer.from(content);
      const { grant, reply } = await t.upload.send(t.storage.path(name), bytes, { boundary });
      if (reply.isAccepted) stored.push({ ...grant, bytes });
      else t.note(`${name} was rejected with ${reply.received.status}.`);
    }
    t.reach(stored.length > 0, 'no upload is accepted');
    await expectFiles(t, 'after its upload', stored);
  }),
  defineCheck('UP-RESPONSE/1', needsFiles, async (t) => {
    const boundary = 'berth-boundary';
    const { securityToken, metaFileId } = t.settings.wireProfile.uploadFields;
    const forms: Record<string, (fields: FormField[]) => Buffer> = {
      'a form that ends within the file': (fields) =>
        toMultipart(fields, boundary).subarray(0, -40),
    };
    for (const left of ['Signature', securityToken, metaFileId, 'key', 'file']) {
      forms[`a form without ${left}`] = (fields) =>
        toMultipart(
          fields.filter(([name]) => name !== left),
          boundary,
        );
    }
    const json = { type: 'application/json', body: Buffer.from('{}') };
    for (const what of [...Object.keys(forms), 'JSON instead of a form']) {
      const grant = await t.upload.grant(t.storage.path(`${what.replaceAll(' ', '-')}.txt`));
      const body = forms[what]?.(t.upload.fields(grant, CONTENT));
      const reply = await t.upload.post(grant, [], body ? { boundary, body } : json);
      const { status, text, mediaType } = reply.received;
      // Other rules are about forms that must not be accepted.
      if (reply.isAccepted && (await t.upload.read(grant.fileId)).found) continue;
      const actual = `${status} with ${mediaType ?? 'no type'}: ${cite(text)}`;
      const message = `${what}: the response must be XML with an Error element, not ${actual}`;
      t.expect(hasErrorElement(text), message, reply);
    }
  }),
  defineCheck('UP-RESPONSE/2', needsFiles, async (t) => {
    for (const content of ['text', '', '<Error></Error>']) {
      const bytes = Buffer.from(content);
      const path = t.storage.path(`${bytes.length}-bytes.txt`);
      const { grant, reply } = await t.upload.send(path, bytes);
      const { status, text } = reply.received;
      const hasError = hasErrorElement(text);
      const reading = await t.upload.read(grant.fileId);
      const isClear = hasBytes(reading, bytes) ? !hasError : hasError || status >= 400;
      const message = `the response to the upload of ${path} has ${hasError ? 'an' : 'no'} Error element, but a read returned ${describeReading(reading)}`;
      t.expect(isClear, message, reply);
    }
  }),
  defineCheck('UP-FILE-ID', needsFiles, async (t) => {
    const { path, fileId, bytes } = await t.upload.store('level/no-extension');
    await expectFiles(t, 'by the fileID from getUploadMetaData', [{ path, fileId, bytes }]);
    await t.storage.list('batchDelete', [fileId]);
    await expectFiles(t, 'deleted by the fileID from getUploadMetaData', [{ path }]);
  }),
];

/**
 * Defines a check that a form is rejected, and stores nothing, if a field is missing or has another value than in its
 * grant.
 *
 * @param toValue returns the value in a grant
 */
function defineFieldCheck(
  id: SentenceId,
  toField: (names: UploadFields) => string,
  toValue: (grant: Grant) => string,
): Check {
  return defineCheck(id, needsFiles, async (t) => {
    const field = toField(t.settings.wireProfile.uploadFields);
    const [existing] = await storeReadable(t, 'existing.txt');
    const first = await t.upload.grant(t.storage.path('first.txt'));
    const second = await t.upload.grant(existing.path);
    const third = await t.upload.grant(t.storage.path('third.txt'));
    const different = change(field, toValue(second));
    const cases = [
      { what: `no ${field}`, grant: first, value: undefined },
      { what: `a slightly different ${field}`, grant: second, value: different },
      { what: `the ${field} of another grant`, grant: third, value: toValue(second) },
    ];
    for (const { what, grant, value } of cases) {
      // A value that all grants share is not wrong.
      if (value === toValue(grant)) continue;
      const fields = t.upload.fields(grant, CONTENT).flatMap(([name, right]): FormField[] => {
        if (name !== field) return [[name, right]];
        return value === undefined ? [] : [[name, value]];
      });
      const reply = await t.upload.post(grant, fields);
      const actual = `accepted with ${reply.received.status} and without an Error element`;
      t.expect(!reply.isAccepted, `${what}: the form must be rejected, but was ${actual}`, reply);
    }
    const nothing = [first, third].map(({ path, fileId }) => ({ path, fileId }));
    if (field === 'key') {
      t.upload.track(different);
      nothing.push({ path: different, fileId: await t.upload.fileIdOf(different) });
    }
    await expectFiles(t, `after forms with a wrong ${field}`, [existing, ...nothing]);
  });
}

/** A path is changed at its end, so that it stays in the folder of the check; the last letters of Base64 may not matter. */
function change(field: string, value: string): string {
  const middle = Math.floor(value.length / 2);
  return field === 'key' ? `${value}0` : changeLetters(value, middle, middle + 1);
}
