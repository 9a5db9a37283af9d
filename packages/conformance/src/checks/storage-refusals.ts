import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { toItems } from '../context/files.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageReply,
} from '../context/storage-client.ts';
import { SkipError } from '../result.ts';
import { cite } from '../validation/cite.ts';
import { entryOf, linkOf } from '../validation/read-storage.ts';
import { makeGoodFields, needsFiles, tryCall } from './storage-calls.ts';

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
}

const { schemas } = storage.components;

const REQUESTS = {
  getUploadMetaData: schemas.UploadMetaDataRequest,
  batchGetTempUrls: schemas.TempUrlsRequest,
  batchDelete: schemas.DeleteRequest,
  batchCopyFile: schemas.CopyRequest,
};

const resolve = (schema: Schema = {}): Schema => {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : Object(schemas)[name];
};

/** Deep enough for a recursive parser. */
const DEPTH = 10_000;
const DEEP = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

/**
 * Returns invalid variants of a JSON text. Not included: a byte order mark, which RFC 8259 allows a parser to
 * ignore; bytes that are not UTF-8, which many parsers replace; and duplicate names, which are valid JSON.
 */
const toBroken = (text: string): string[] => [
  '',
  'path=a.txt',
  text + text,
  text.slice(0, -1),
  `${text}x`,
  text.replace(/\}$/, ',}'),
  text.replace(/"(\w+)":/g, '$1:'),
  text.replaceAll('"', "'"),
  '['.repeat(DEPTH),
];

/** Values of other types, for each JSON type: some that a lax server mistakes for it, or that end in a 5xx. */
const OTHERS: Record<string, (good: unknown) => unknown[]> = {
  string: (good) => [1, null, [good], {}],
  number: () => ['60', true, null],
  boolean: () => ['false', 1, null],
  array: (good) => ['', {}, null, [good].flat()[0]],
  object: (good) => ['text', null, [good]],
};

/** Returns variants of a value, each of which has one value of a wrong JSON type. */
function toMistyped(schema: Schema, good: unknown): unknown[] {
  const { type = '', properties = {}, items } = resolve(schema);
  const mistyped = OTHERS[type]?.(good) ?? [];
  const fields = Object.entries(properties).flatMap(([name, property]) =>
    toMistyped(property, Object(good)[name]).map((bad) => ({ ...Object(good), [name]: bad })),
  );
  const first = Object(good)[0];
  // Code that looks only at the first item misses a later one.
  const lists = items ? toMistyped(items, first).flatMap((bad) => [[bad], [first, bad]]) : [];
  return [...mistyped, ...fields, ...lists];
}

/** Returns variants of an object, each without one of the required fields. */
const toIncomplete = (schema: Schema, good: object): object[] =>
  (resolve(schema).required ?? []).map((name) => ({ ...good, [name]: undefined }));

/** Returns requests with an item without a required field: alone, after a good item and before one. */
function toIncompleteItems(schema: Schema, { fileList }: Record<string, unknown>): object[] {
  const item = Object(fileList)[0];
  const { items } = resolve(schema.properties?.fileList);
  return toIncomplete(items ?? {}, item).flatMap((bad) =>
    [[bad], [item, bad], [bad, item]].map((list) => ({ fileList: list })),
  );
}

/** Creates bodies that must be rejected from the schema of an operation's fields, and from good fields. */
type ToBodies = (
  schema: Schema,
  good: Record<string, unknown>,
  write: (fields: unknown) => string,
) => string[];

const defineInvalid = (sentence: 1 | 2 | 3 | 4, toBodies: ToBodies): Check =>
  defineCheck(`ST-INVALID/${sentence}`, [], async (t) => {
    const good = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      for (const body of toBodies(REQUESTS[operation], good[operation], t.storage.body)) {
        const reply = await tryCall(t, operation, {}, { body });
        expectEnvelope(t, reply, `${operation} with the body ${cite(body)}`);
      }
    }
  });

/** An invalid request is rejected in the documented format, but never with a 5xx (D30). */
function expectEnvelope(t: CheckContext, reply: StorageReply, what: string): void {
  const { received, refused, code, envelope } = reply;
  const { status } = received;
  const found = `${what}: the response was ${status}, but the call must be rejected`;
  const actual = envelope === undefined ? 'it is not a JSON object' : 'it has none';
  const message = `${what}: the response must be an envelope with a code, but ${actual}`;
  t.expect(status < 500, `${found} with a status below 500`, reply);
  t.expect(refused, found, reply);
  t.expect(code !== undefined, message, reply);
}

type WrongCall = [operation: string, fileList: unknown, options?: StorageCallOptions];

/** Makes calls that must be rejected, and expects each of them to have changed nothing. */
async function expectUndone(t: CheckContext): Promise<void> {
  const folder = await t.files.storeReadable(['kept.txt']);
  const ids = await folder.ids('kept.txt', 'never.txt');
  const [fileId] = ids;
  const [item = {}] = folder.toCopyItems([{ from: 'kept.txt', to: 'never.txt' }]);
  const move = { ...item, removeOriginal: true };
  const trailing = { body: `${t.storage.body({ fileList: [fileId] })}x` };
  const incomplete = { ...item, dstPath: undefined };
  const calls: Record<string, WrongCall> = {
    'a deletion without credentials': ['batchDelete', [fileId], { credentials: 'none' }],
    'a deletion with a number after a file ID': ['batchDelete', [fileId, 1]],
    'a deletion with characters after the JSON': ['batchDelete', [], trailing],
    'a move for another environment': ['batchCopyFile', [move], { env: t.uniqueName() }],
    'a move followed by an item without dstPath': ['batchCopyFile', [move, incomplete]],
  };
  for (const [what, [operation, fileList, options]] of Object.entries(calls)) {
    const reply = await tryCall(t, operation, { fileList }, options);
    // Other rules cover a call that is not rejected.
    if (!reply.refused) throw new SkipError(`${what} is not rejected`);
    const { entries } = await t.storage.list('batchGetTempUrls', toItems(ids));
    const [isKept, isMade] = ids.map((id) => linkOf(entryOf(entries, id)) !== undefined);
    const rejected = `${what} was rejected with ${reply.received.status}, so it must change nothing`;
    t.expect(isKept === true, `${rejected}, but the file that it names is gone`, reply);
    t.expect(!isMade, `${rejected}, but a file was made at its destination`, reply);
    if (!isKept || isMade) return;
  }
}

export const storageRefusals: readonly Check[] = [
  defineInvalid(1, (_, good, write) => toBroken(write(good))),
  defineInvalid(2, (schema, good, write) => toIncomplete(schema, good).map(write)),
  defineInvalid(3, (schema, good, write) => [...toMistyped(schema, good).map(write), DEEP]),
  defineInvalid(4, (schema, good, write) => toIncompleteItems(schema, good).map(write)),
  defineCheck('ST-REFUSED-UNDONE', needsFiles, expectUndone),
];
