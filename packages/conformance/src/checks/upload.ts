import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { FormField, Grant, PostOptions, Reading } from '../context/upload-client.ts';
import { changeLetters } from './support/credentials.ts';
import {
  canBeCopied,
  describeReading,
  expectBytes,
  expectNothing,
  needsFiles,
  poll,
  readPath,
  storeReadable,
} from './support/storage.ts';

const CONTENT = Buffer.from('what must not be stored');

/**
 * Expects a form to be rejected, and to store nothing, if a field is missing or has another value than in its
 * grant.
 *
 * @param toRight returns the value in the grant
 */
async function expectField(
  t: CheckContext,
  field: string,
  toRight: (grant: Grant) => string,
): Promise<void> {
  const existing = await storeReadable(t, 'existing.txt', 'the content before');
  const other = await t.upload.grant(t.storage.path('of-another-grant.txt'));
  const changeOne = (right: string) => {
    const middle = Math.floor(right.length / 2);
    return changeLetters(right, middle, middle + 1);
  };
  const cases: Record<string, (right: string) => string | undefined> = {
    [`no ${field}`]: () => undefined,
    [`an empty ${field}`]: () => '',
    // A path is changed at its end, so that it stays in the check's folder.
    [`a slightly different ${field}`]: (right) =>
      field === 'key' ? `${right}0` : changeOne(right),
    [`the ${field} from another grant`]: () => toRight(other),
  };
  for (const [index, [what, toValue]] of Object.entries(cases).entries()) {
    const fresh = t.storage.path(`fresh-${index}.txt`);
    // Whether a wrong form creates a file, and whether it changes one, are tested with most of the cases.
    const paths = { 1: [fresh], 2: [existing.path] }[index] ?? [fresh, existing.path];
    for (const path of paths) {
      const given = await t.upload.grant(path);
      const value = toValue(toRight(given));
      // A value that all grants share is not wrong.
      if (value === toRight(given)) continue;
      const form = t.upload.fields(given, CONTENT).flatMap(([name, right]): FormField[] => {
        if (name !== field) return [[name, right]];
        return value === undefined ? [] : [[name, value]];
      });
      const reply = await t.upload.post(given, form);
      const came = `accepted with ${reply.received.status} and without an Error element`;
      t.expect(!reply.isAccepted, `${what}: the form must be rejected, but was ${came}`, reply);
      const reading = await t.upload.read(given.fileId);
      if (path === fresh) expectNothing(t, reading, `${what}: the file`);
      else expectBytes(t, reading, existing.bytes, `${what}: the existing file`);
      // The next case must not fail because of this one.
      if (path === existing.path && reply.isAccepted) await t.upload.send(path, existing.bytes);
      if (field !== 'key' || !value) continue;
      t.upload.track(value);
      const named = `${what}: the file at the key that the form names`;
      expectNothing(t, await readPath(t, value), named);
    }
  }
}

/** Every byte value, in an order that does not occur in text. */
const BYTE_VALUES = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 167) % 256));
const everyByte = (size: number) => Buffer.alloc(size, BYTE_VALUES);

const CONTENTS: Record<string, Buffer> = {
  'an empty file': Buffer.alloc(0),
  'one byte': Buffer.from([0]),
  'all byte values': everyByte(256),
  'text with all kinds of line breaks': Buffer.from('\r\na\nb\rc\r\n\r\nd\r\n'),
  'only a line break': Buffer.from('\r\n'),
  'content that looks like boundaries': Buffer.from(
    '--\r\n--berth-\r\n--berth-0000--\r\n\r\n------\r\n--',
  ),
  'text in many languages': Buffer.from('\uFEFFGrüße, 文件, файл, 😀\n'),
  escapes: Buffer.from('%41%0D%0A+%25%zz&amp;\\n'),
  '65,537 bytes': everyByte(65_537),
  '1 MiB and one byte': everyByte(2 ** 20 + 1),
};

/** Expects content to be stored even if it contains the beginning of the form's own boundary. */
async function expectLookalike(t: CheckContext): Promise<void> {
  const boundary = `berth-${t.uniqueName()}`;
  const almost = boundary.slice(0, -1);
  const bytes = Buffer.from(`a\r\n--${almost}\r\n--${almost}--\r\n\r\n-${boundary}\n--${boundary}`);
  const path = t.storage.path('lookalike.bin');
  const { given, reply } = await t.upload.send(path, bytes, { boundary });
  const reading = await t.upload.read(given.fileId);
  if (!reply.isAccepted || !reading.found) return;
  expectBytes(t, reading, bytes, 'content that starts like the boundary');
}

/**
 * Returns whether a form is stored if it is posted to the host of the returned `url`, but to the path `/`.
 */
async function isStoredAtRoot(t: CheckContext, name: string, bytes: Buffer): Promise<boolean> {
  const given = await t.upload.grant(t.storage.path(`root/${name}`));
  const url = `${new URL(given.url).origin}/`;
  await t.upload.post({ ...given, url }, t.upload.fields(given, bytes));
  return (await t.upload.read(given.fileId)).found;
}

/** How long to wait for a file to appear, in milliseconds; UP-KEPT checks that it appears immediately. */
const LOOK = { most: 2000, every: 200 };

export const upload: readonly Check[] = [
  defineCheck('UP-FORM', needsFiles, async (t: CheckContext) => {
    const cases: [what: string, name: string, content: string, options?: PostOptions][] = [
      ['a form with a small file', 'small.txt', 'small'],
      ['a form with 20,000 bytes', 'level/large.bin', 'ab'.repeat(10_000)],
      ['a form for an existing file', 'small.txt', 'second'],
      ['a form with a quoted boundary', 'quoted.txt', 'q', { isQuoted: true }],
    ];
    const before = new Map<string, Buffer>();
    for (const [what, name, content, options] of cases) {
      const bytes = Buffer.from(content);
      // UP-FILE covers which bytes they are, but they are not those that were there before.
      const isStored = (got: Reading) => got.found && !before.get(name)?.equals(got.bytes);
      const { given, reply } = await t.upload.send(t.storage.path(name), bytes, options);
      const reading = await poll(() => t.upload.read(given.fileId), isStored, LOOK);
      const holds = isStored(reading);
      before.set(name, bytes);
      if (!holds) {
        // Links that do not work, and a URL that is not the returned one, are covered by other rules.
        const isThere = !reading.found && (await canBeCopied(t, given.path));
        t.reach(!isThere, 'a stored file cannot be read');
        const isAtRoot = await isStoredAtRoot(t, name, bytes);
        t.reach(!isAtRoot, 'forms are not accepted at the returned url');
      }
      const came = `the response was ${reply.received.status} and a read returned ${describeReading(reading)}`;
      t.expect(holds, `${what} must be stored, but ${came}`, reply);
    }
  }),
  defineCheck('UP-URL-VERBATIM', needsFiles, async (t: CheckContext) => {
    for (const name of ['file.txt', 'level/file.txt', 'file.txt']) {
      const bytes = Buffer.from('a file sent to the returned url.');
      const { given, reply } = await t.upload.send(t.storage.path(name), bytes);
      const { found } = await t.upload.read(given.fileId);
      if (!found) {
        t.reach(!(await canBeCopied(t, given.path)), 'a stored file cannot be read');
        // If no URL accepts a form, the URL is not at fault.
        t.reach(await isStoredAtRoot(t, name, bytes), 'no upload form is accepted');
      }
      const { status } = reply.received;
      const wanted = `${name}: a form sent to the returned url, including its path and query, must be accepted`;
      t.expect(found, `${wanted}, but the response was ${status} and nothing was stored`, reply);
    }
  }),
  defineCheck('UP-FIELDS/1', needsFiles, (t) =>
    expectField(t, 'Signature', ({ authorization }) => authorization),
  ),
  defineCheck('UP-FIELDS/2', needsFiles, (t) =>
    expectField(t, t.settings.wireProfile.uploadFields.securityToken, ({ token }) => token),
  ),
  defineCheck('UP-FIELDS/3', needsFiles, (t) => {
    const { metaFileId } = t.settings.wireProfile.uploadFields;
    return expectField(t, metaFileId, ({ storeFileId }) => storeFileId);
  }),
  defineCheck('UP-FIELDS/4', needsFiles, (t) => expectField(t, 'key', ({ path }) => path)),
  defineCheck('UP-FILE', needsFiles, async (t: CheckContext) => {
    let checked = 0;
    for (const [index, [what, bytes]] of Object.entries(CONTENTS).entries()) {
      const path = t.storage.path(`${index}.bin`);
      const { given, reply } = await t.upload.send(path, bytes);
      if (!reply.isAccepted) t.note(`${what} was rejected with ${reply.received.status}.`);
      const reading = await t.upload.read(given.fileId);
      // UP-FORM covers that a form is stored at all.
      if (!reply.isAccepted || !reading.found) continue;
      checked += 1;
      expectBytes(t, reading, bytes, what);
    }
    await expectLookalike(t);
    t.reach(checked > 0, 'no uploaded file can be read');
  }),
];
