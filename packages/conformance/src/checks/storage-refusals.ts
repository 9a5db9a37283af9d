import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
} from '../context/storage-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { readAll, withHeaders } from '../http/exchange.ts';
import { claimRefusal } from '../invariants.ts';
import { Unreached } from '../result.ts';
import {
  areThere,
  type GoodFields,
  makeGoodFields,
  needsFiles,
  toCopyItems,
} from './stored-files.ts';
import { changeLetters } from './support/credentials.ts';

type InvalidCall = [operation: StorageOperation, what: string, body: string];

/** Defines a check that calls with these bodies are rejected. */
const defineInvalid = (
  id: SentenceId,
  toCalls: (t: CheckContext, fields: GoodFields) => readonly InvalidCall[],
): Check =>
  defineCheck(id, [], async (t) => {
    for (const [operation, what, body] of toCalls(t, await makeGoodFields(t))) {
      const reply = await t.storage.call(operation, {}, { body, acceptsRefusal: true });
      for (const [holds, message] of claimRefusal(reply))
        t.expect(holds, `${operation} with ${what}: ${message}`, reply);
    }
  });

/** Deep enough for a recursive parser. */
const DEPTH = 10_000;

/**
 * Not included: a byte order mark, which RFC 8259 allows a parser to ignore; bytes that are not UTF-8, which
 * many parsers replace; and duplicate names, which are valid JSON.
 */
function toBroken(t: CheckContext, fields: GoodFields): InvalidCall[] {
  const [grant, links, deletion, copy] = STORAGE_OPERATIONS.map((operation) =>
    t.storage.body(fields[operation]),
  ) as [string, string, string, string];
  return [
    ['batchGetTempUrls', 'no body', ''],
    ['getUploadMetaData', 'a form as the body', 'path=a.txt'],
    ['batchDelete', 'JSON without its last character', deletion.slice(0, -1)],
    ['batchDelete', 'trailing characters', `${deletion}x`],
    ['getUploadMetaData', 'two bodies', grant + grant],
    ['batchGetTempUrls', 'a trailing comma', links.replace(/\}$/, ',}')],
    ['batchCopyFile', 'single quotes', copy.replaceAll('"', "'")],
    ['getUploadMetaData', 'unquoted names', grant.replace(/"(\w+)":/g, '$1:')],
    ['batchCopyFile', 'a comment', `${copy}// end`],
    ['getUploadMetaData', 'a line break inside a string', grant.replace('sample', 'sam\nple')],
    ['batchGetTempUrls', 'NaN for a number', links.replace('"fileID"', '"maxAge":NaN,"fileID"')],
    ['batchDelete', `${DEPTH} unclosed brackets`, '['.repeat(DEPTH)],
  ];
}

function toIncomplete(t: CheckContext, fields: GoodFields): InvalidCall[] {
  const { getUploadMetaData: grant, batchDelete: deletion, batchCopyFile: copy } = fields;
  const inherited = `{"__proto__":${JSON.stringify(fields.batchGetTempUrls)}}`;
  return [
    ...STORAGE_OPERATIONS.flatMap((operation): InvalidCall[] => [
      [operation, 'an empty object as the body', '{}'],
      [operation, 'an empty object as data', '{"data":{}}'],
    ]),
    ['getUploadMetaData', 'the field of another operation', t.storage.body(deletion)],
    ['batchDelete', 'the field of another operation', t.storage.body(grant)],
    ['batchCopyFile', 'fields instead of fileList', t.storage.body({ fields: copy.fileList })],
    ['batchGetTempUrls', 'its fields inside __proto__', t.storage.body(JSON.parse(inherited))],
  ];
}

/** Values of a wrong type that a lax server mistakes for valid ones, or that end in a 5xx. */
function toMistyped(t: CheckContext, fields: GoodFields): InvalidCall[] {
  const { path } = fields.getUploadMetaData;
  const [fileID] = fields.batchDelete.fileList;
  const link = { fileID };
  const [copy] = fields.batchCopyFile.fileList;
  const listOf = (item: unknown) => ({ fileList: [item] });
  const places: [StorageOperation, string, unknown[], (value: unknown) => unknown][] = [
    ['getUploadMetaData', 'the body', [null], (value) => value],
    ['batchGetTempUrls', 'the body', [[link]], (value) => value],
    ['batchDelete', 'the body', [fileID], (value) => value],
    ['batchCopyFile', 'the body', [1], (value) => value],
    ['getUploadMetaData', 'path', [1, [path], { path }, null], (value) => ({ path: value })],
    ['batchGetTempUrls', 'fileList', [link, '', null], (fileList) => ({ fileList })],
    ['batchDelete', 'fileList', [fileID, {}, null], (fileList) => ({ fileList })],
    ['batchCopyFile', 'fileList', [copy, 0, null], (fileList) => ({ fileList })],
    ['batchGetTempUrls', 'an item', [fileID, [link], null], listOf],
    ['batchDelete', 'an item', [1, link, null], listOf],
    ['batchCopyFile', 'an item', [copy.srcPath, true, null], listOf],
    // Code that looks only at the first item misses a later one.
    ['batchGetTempUrls', 'the last item', [fileID], (item) => ({ fileList: [link, item] })],
    ['batchDelete', 'the last item', [1], (item) => ({ fileList: [fileID, fileID, item] })],
    ['batchCopyFile', 'the last item', [null], (item) => ({ fileList: [copy, item] })],
    ['batchGetTempUrls', 'fileID', [1, [fileID], null], (value) => listOf({ fileID: value })],
    ['batchGetTempUrls', 'maxAge', ['60', true], (maxAge) => listOf({ fileID, maxAge })],
    ['batchCopyFile', 'srcPath', [1, null], (srcPath) => listOf({ ...copy, srcPath })],
    ['batchCopyFile', 'dstPath', [[path], {}], (dstPath) => listOf({ ...copy, dstPath })],
    ['batchCopyFile', 'overwrite', ['false', 0], (overwrite) => listOf({ ...copy, overwrite })],
    [
      'batchCopyFile',
      'removeOriginal',
      ['true', 1],
      (removeOriginal) => listOf({ ...copy, removeOriginal }),
    ],
  ];
  const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const calls = places.flatMap(([operation, place, values, toFields]) =>
    values.map((value): InvalidCall => {
      const what = `${JSON.stringify(value)} as ${place}`;
      return [operation, what, t.storage.body(toFields(value))];
    }),
  );
  const nested = t.storage.body({ fileList: 'DEEP' }).replace('"DEEP"', deep);
  return [
    ...calls,
    ['getUploadMetaData', 'null as the body', 'null'],
    ['batchCopyFile', 'an array as the body', `[${JSON.stringify(copy)}]`],
    ['batchGetTempUrls', `an array nested ${DEPTH} levels deep as the body`, deep],
    ['batchDelete', `an array nested ${DEPTH} levels deep as fileList`, nested],
  ];
}

type WrongCall = [operation: string, fileList: unknown, options?: StorageCallOptions];

/** Makes calls that must be rejected, and expects each of them to have changed nothing. */
async function expectUndone(t: CheckContext): Promise<void> {
  const { path, fileId } = await t.upload.store('kept.txt');
  const to = `${path}.never`;
  const findChange = async () => {
    const [isKept, isMade] = await areThere(t, [fileId, await t.upload.fileIdOf(to)]);
    if (!isKept) return 'the file that it names is gone';
    return isMade ? 'a file was made at its destination' : undefined;
  };
  if ((await findChange()) !== undefined) throw new Unreached('an upload stores nothing');

  const [item = {}] = toCopyItems(t, [{ from: path, to }]);
  const move = { ...item, removeOriginal: true };
  const { authorization } = t.settings.wireProfile.storageHeaders;
  const credentials = await t.storage.credentials();
  const wrong = changeLetters(readAll(credentials, authorization)[0] ?? '', -8);
  const query = new URLSearchParams({ fileList: JSON.stringify([fileId]) }).toString();
  const calls: Record<string, WrongCall> = {
    'a deletion without credentials': ['batchDelete', [fileId], { credentials: 'none' }],
    'a deletion with GET': ['batchDelete', [], { method: 'GET', query }],
    'storages:batchDeleteX': ['batchDeleteX', [fileId]],
    'a deletion with a number after a file ID': ['batchDelete', [fileId, 1]],
    'a deletion with characters after the JSON': [
      'batchDelete',
      [],
      { body: `${t.storage.body({ fileList: [fileId] })}x` },
    ],
    'a copy with wrong credentials': [
      'batchCopyFile',
      [item],
      { credentials: withHeaders(credentials, [[authorization, wrong]]) },
    ],
    'a move for another environment': ['batchCopyFile', [move], { env: t.uniqueName() }],
    'a move followed by an item without dstPath': [
      'batchCopyFile',
      [move, { ...item, dstPath: undefined }],
    ],
  };
  for (const [what, [operation, fileList, options]] of Object.entries(calls)) {
    const all = { ...options, acceptsRefusal: true };
    const reply = await t.storage.call(operation, { fileList }, all);
    // Other rules cover a call that is not rejected.
    if (!reply.refused) throw new Unreached(`${what} is not rejected`);
    const change = await findChange();
    const { status } = reply.received;
    const message = `${what} was rejected with ${status}, so it must change nothing, but ${change}`;
    t.expect(change === undefined, message, reply);
    if (change !== undefined) return;
  }
}

export const storageRefusals: readonly Check[] = [
  defineInvalid('ST-INVALID/1', toBroken),
  defineInvalid('ST-INVALID/2', toIncomplete),
  defineInvalid('ST-INVALID/3', toMistyped),
  defineCheck('ST-REFUSED-UNDONE', needsFiles, expectUndone),
];
