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
import { cite } from '../validation/cite.ts';
import { changeLetters } from './signed-calls.ts';
import { type GoodFields, makeGoodFields, tryCall } from './storage-calls.ts';
import { entryOf, linkOf, needsFiles, storeReadable, toItems } from './stored-files.ts';

type Bodies = Partial<Record<StorageOperation, readonly string[]>>;

/**
 * Defines a check that calls with these bodies are rejected.
 *
 * @param write creates the body for any fields, which may be of any type
 */
const defineInvalid = (
  id: SentenceId,
  toBodies: (fields: GoodFields, write: (fields: unknown) => string) => Bodies,
): Check =>
  defineCheck(id, [], async (t) => {
    const all = toBodies(await makeGoodFields(t), (fields) => t.storage.body(fields));
    for (const [operation, bodies] of Object.entries(all)) {
      for (const body of bodies) {
        const reply = await tryCall(t, operation, {}, { body });
        for (const [holds, message] of claimRefusal(reply))
          t.expect(holds, `${operation} with the body ${cite(body)}: ${message}`, reply);
      }
    }
  });

/** Deep enough for a recursive parser. */
const DEPTH = 10_000;
const DEEP = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

/**
 * Not included: a byte order mark, which RFC 8259 allows a parser to ignore; bytes that are not UTF-8, which
 * many parsers replace; and duplicate names, which are valid JSON.
 */
function toBroken(fields: GoodFields, write: (fields: unknown) => string): Bodies {
  const [grant, links, deletion, copy] = STORAGE_OPERATIONS.map((operation) =>
    write(fields[operation]),
  ) as [string, string, string, string];
  return {
    getUploadMetaData: [
      'path=a.txt',
      grant + grant,
      grant.replace(/"(\w+)":/g, '$1:'),
      grant.replace('sample', 'sam\nple'),
    ],
    batchGetTempUrls: [
      '',
      links.replace(/\}$/, ',}'),
      links.replace('"fileID"', '"maxAge":NaN,"fileID"'),
    ],
    batchDelete: [deletion.slice(0, -1), `${deletion}x`, '['.repeat(DEPTH)],
    batchCopyFile: [copy.replaceAll('"', "'"), `${copy}// end`],
  };
}

function toIncomplete(fields: GoodFields, write: (fields: unknown) => string): Bodies {
  const { getUploadMetaData: grant, batchDelete: deletion, batchCopyFile: copy } = fields;
  const inherited = `{"__proto__":${JSON.stringify(fields.batchGetTempUrls)}}`;
  const empty = ['{}', '{"data":{}}'];
  return {
    getUploadMetaData: [...empty, write(deletion)],
    batchGetTempUrls: [...empty, write(JSON.parse(inherited))],
    batchDelete: [...empty, write(grant)],
    batchCopyFile: [...empty, write({ fields: copy.fileList })],
  };
}

/** Values of a wrong type that a lax server mistakes for valid ones, or that end in a 5xx. */
function toMistyped(fields: GoodFields, write: (fields: unknown) => string): Bodies {
  const { path } = fields.getUploadMetaData;
  const [fileID] = fields.batchDelete.fileList;
  const [copy] = fields.batchCopyFile.fileList;
  const link = { fileID };
  const toBodies = (...requests: unknown[]) => requests.map(write);
  /** Bodies with one of these items, or with these items: code that looks only at the first one misses a later one. */
  const lists = (...items: unknown[]) => items.map((item) => write({ fileList: [item].flat() }));
  return {
    getUploadMetaData: [
      'null',
      ...toBodies(null, { path: 1 }, { path: [path] }, { path: { path } }, { path: null }),
    ],
    batchGetTempUrls: [
      ...toBodies([link], { fileList: link }, { fileList: '' }, { fileList: null }),
      ...lists(fileID, [[link]], null, [link, fileID]),
      ...lists({ fileID: 1 }, { fileID: [fileID] }, { fileID: null }),
      ...lists({ fileID, maxAge: '60' }, { fileID, maxAge: true }, { fileID, maxAge: null }),
      DEEP,
    ],
    batchDelete: [
      ...toBodies(fileID, { fileList: fileID }, { fileList: {} }, { fileList: null }),
      ...lists(1, link, null, [fileID, fileID, 1]),
      write({ fileList: 'DEEP' }).replace('"DEEP"', DEEP),
    ],
    batchCopyFile: [
      `[${JSON.stringify(copy)}]`,
      ...toBodies(1, { fileList: copy }, { fileList: 0 }, { fileList: null }),
      ...lists(copy.srcPath, true, null, [copy, null]),
      ...lists({ ...copy, srcPath: 1 }, { ...copy, srcPath: null }),
      ...lists({ ...copy, dstPath: [path] }, { ...copy, dstPath: {} }),
      ...['false', 0, null].flatMap((overwrite) => lists({ ...copy, overwrite })),
      ...['true', 1, null].flatMap((removeOriginal) => lists({ ...copy, removeOriginal })),
    ],
  };
}

/** An item without a required field: alone, after a valid item and before one. */
function toIncompleteItems(fields: GoodFields, write: (fields: unknown) => string): Bodies {
  const [link] = fields.batchGetTempUrls.fileList;
  const [copy] = fields.batchCopyFile.fileList;
  const without = (item: object, field: string) => {
    const bad = { ...item, [field]: undefined };
    return [[bad], [item, bad], [bad, item]].map((fileList) => write({ fileList }));
  };
  return {
    batchGetTempUrls: without(link, 'fileID'),
    batchCopyFile: [...without(copy, 'srcPath'), ...without(copy, 'dstPath')],
  };
}

type WrongCall = [operation: string, fileList: unknown, options?: StorageCallOptions];

/** Makes calls that must be rejected, and expects each of them to have changed nothing. */
async function expectUndone(t: CheckContext): Promise<void> {
  const folder = await storeReadable(t, ['kept.txt']);
  const ids = await folder.ids('kept.txt', 'never.txt');
  const [fileId] = ids;
  const [item = {}] = folder.toCopyItems([{ from: 'kept.txt', to: 'never.txt' }]);
  const move = { ...item, removeOriginal: true };
  const { authorization } = t.settings.wireProfile.storageHeaders;
  const credentials = await t.storage.credentials();
  const wrong = changeLetters(readAll(credentials, authorization)[0] ?? '', -8);
  const query = new URLSearchParams({ fileList: JSON.stringify([fileId]) }).toString();
  const body = `${t.storage.body({ fileList: [fileId] })}x`;
  const calls: Record<string, WrongCall> = {
    'a deletion without credentials': ['batchDelete', [fileId], { credentials: 'none' }],
    'a deletion with GET': ['batchDelete', [], { method: 'GET', query }],
    'storages:batchDeleteX': ['batchDeleteX', [fileId]],
    'a deletion with a number after a file ID': ['batchDelete', [fileId, 1]],
    'a deletion with characters after the JSON': ['batchDelete', [], { body }],
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
    const reply = await tryCall(t, operation, { fileList }, options);
    // Other rules cover a call that is not rejected.
    if (!reply.refused) throw new Unreached(`${what} is not rejected`);
    const entries = await t.storage.list('batchGetTempUrls', toItems(ids));
    const [isKept, isMade] = ids.map((id) => linkOf(entryOf(entries, id)) !== undefined);
    const rejected = `${what} was rejected with ${reply.received.status}, so it must change nothing`;
    t.expect(isKept === true, `${rejected}, but the file that it names is gone`, reply);
    t.expect(!isMade, `${rejected}, but a file was made at its destination`, reply);
    if (!isKept || isMade) return;
  }
}

export const storageRefusals: readonly Check[] = [
  defineInvalid('ST-INVALID/1', toBroken),
  defineInvalid('ST-INVALID/2', toIncomplete),
  defineInvalid('ST-INVALID/3', toMistyped),
  defineInvalid('ST-INVALID/4', toIncompleteItems),
  defineCheck('ST-REFUSED-UNDONE', needsFiles, expectUndone),
];
