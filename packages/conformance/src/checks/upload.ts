import { type Check, defineCheck } from '../context/check-context.ts';
import {
  type FormField,
  type Grant,
  type PostOptions,
  toMultipart,
} from '../context/upload-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { Unreached } from '../result.ts';
import { cite } from '../validation/cite.ts';
import { hasErrorElement } from '../validation/read-storage.ts';
import { changeLetters } from './signed-calls.ts';
import { describeReading, Folder, hasBytes, needsFiles, storeReadable } from './stored-files.ts';

const CONTENTS: Record<string, Buffer | string> = {
  'empty.bin': '',
  'line-break.txt': '\r\n',
  'text.txt': '\uFEFF\r\nGrüße, 文件, файл, 😀\n%41%0D%0A+%25%zz&amp;\\n\r\r\n',
  'boundary.bin':
    '--\r\n--berth-boundar\r\n--berth-boundar--\r\n\r\n-berth-boundary\n--berth-boundary',
  // Just over 1 MiB, a common size of buffers: every byte value, in an order that does not occur in text.
  'large.bin': Buffer.alloc(
    2 ** 20 + 1,
    Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 167) % 256)),
  ),
};

const BOUNDARY = 'berth-boundary';
const CONTENT = Buffer.from('what must not be stored');

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
    const folder = new Folder(t);
    for (const [name, content, options] of forms) {
      const { received } = await folder.send(name, Buffer.from(content), options);
      await folder.expectKept(
        `after its form was sent, with the response ${received.status}`,
        name,
      );
    }
  }),
  defineFieldCheck('UP-FIELDS/1', 0),
  defineFieldCheck('UP-FIELDS/2', 1),
  defineFieldCheck('UP-FIELDS/3', 2),
  defineFieldCheck('UP-FIELDS/4', 3),
  defineCheck('UP-FILE', needsFiles, async (t) => {
    const folder = new Folder(t);
    const stored: string[] = [];
    for (const [name, content] of Object.entries(CONTENTS)) {
      const reply = await folder.send(name, Buffer.from(content), { boundary: BOUNDARY });
      if (reply.isAccepted) stored.push(name);
      else t.note(`${name} was rejected with ${reply.received.status}.`);
    }
    if (stored.length === 0) throw new Unreached('no upload is accepted');
    await folder.expectKept('after its upload', ...stored);
  }),
  defineCheck('UP-RESPONSE/1', needsFiles, async (t) => {
    const { securityToken, metaFileId } = t.settings.wireProfile.uploadFields;
    const forms: Record<string, (fields: readonly FormField[]) => PostOptions> = {
      'JSON instead of a form': () => ({ type: 'application/json', body: Buffer.from('{}') }),
      'a form that ends within the file': (fields) => ({
        body: toMultipart(fields, BOUNDARY).subarray(0, -40),
      }),
    };
    for (const left of ['Signature', securityToken, metaFileId, 'key', 'file']) {
      forms[`a form without ${left}`] = (fields) => ({
        body: toMultipart(
          fields.filter(([name]) => name !== left),
          BOUNDARY,
        ),
      });
    }
    for (const [what, toOptions] of Object.entries(forms)) {
      const grant = await t.upload.grant(t.storage.path(`${what.replaceAll(' ', '-')}.txt`));
      const options = toOptions(t.upload.fields(grant, CONTENT));
      const reply = await t.upload.post(grant, [], { boundary: BOUNDARY, ...options });
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
    const folder = new Folder(t);
    await folder.store('level/no-extension');
    await folder.expectKept('by the fileID from getUploadMetaData', 'level/no-extension');
    await folder.delete('level/no-extension');
    // With an ID that is issued for its path now.
    const when = 'deleted by the fileID from getUploadMetaData';
    await new Folder(t).expectGone(when, 'level/no-extension');
  }),
];

/**
 * Defines a check that a form is rejected, and stores nothing, if a field is missing or has another value than in its
 * grant.
 *
 * @param position position of the field in a form
 */
function defineFieldCheck(id: SentenceId, position: number): Check {
  return defineCheck(id, needsFiles, async (t) => {
    const fieldOf = (grant: Grant) => t.upload.fields(grant, CONTENT)[position] as [string, string];
    const folder = await storeReadable(t, ['existing.txt']);
    const first = await folder.grant('first.txt');
    const second = await t.upload.grant(folder.path('existing.txt'));
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
      const others = t.upload.fields(grant, CONTENT).filter(([name]) => name !== field);
      const fields = wrong === undefined ? others : [[field, wrong] as const, ...others];
      const reply = await t.upload.post(grant, fields);
      const actual = `accepted with ${reply.received.status} and without an Error element`;
      t.expect(!reply.isAccepted, `${what}: the form must be rejected, but was ${actual}`, reply);
    }
    if (isKey) t.upload.track(different);
    const when = `after forms with a wrong ${field}`;
    await folder.expectGone(when, 'first.txt', 'third.txt', ...(isKey ? ['existing.txt0'] : []));
    await folder.expectKept(when, 'existing.txt');
  });
}
