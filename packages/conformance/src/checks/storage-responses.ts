import { type Check, defineCheck, defineInvariants, oncePerRun } from '../context/check-context.ts';
import { toItems } from '../context/files.ts';
import type { StorageCallOptions, StorageOperation } from '../context/storage-client.ts';
import { DisabledError, SkipError } from '../errors.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type Call, isWebUrl, parseJson } from '../http/exchange.ts';
import { type Entry, hasFailed } from '../http/read-response.ts';
import { type Claim, claimEach } from '../invariants/claims.ts';
import type { Invariant, ObservedCall } from '../invariants/invariant.ts';
import { quoteJson } from '../redact.ts';
import { makeValidFields, missingFileId, needsFiles } from './calls.ts';

/** Makes calls that succeed or are rejected without any file, once in a run. */
const callWithoutFiles = oncePerRun('calls-without-files', async (t): Promise<void> => {
  const fields = await makeValidFields(t);
  await t.storage.call('getUploadMetaData', { path: t.storage.path('level/deeper/file.txt') });
  const rejected: (readonly [StorageOperation, StorageCallOptions])[] = [
    ...STORAGE_OPERATIONS.map((operation) => [operation, { body: '{}' }] as const),
    ['batchGetTempUrls', { credentials: 'none', headers: { Accept: 'text/html, */*;q=0.8' } }],
    ['getUploadMetaData', { env: t.uniqueName() }],
    ['batchCopyFile', { body: '{"fileList": [' }],
  ];
  for (const [operation, options] of rejected) {
    await t.storage.call(operation, fields[operation], options);
  }
  // It may be rejected, but must not succeed without data.
  await t.storage.call('batchGetTempUrls', { fileList: [] });
});

/** Makes calls for lists, some of whose items fail, once in a run. Returns the entry for a copy, and the copied bytes. */
const callWithFiles = oncePerRun(
  'calls-with-files',
  async (t): Promise<{ entry: Entry; bytes: Buffer }> => {
    await t.files.storeReadable(['a.txt', 'level/b.TXT']);
    const [a = '', b = ''] = await t.files.ids('a.txt', 'level/b.TXT');
    const missing = await missingFileId(t);
    // A deployment may reject a list of this length, but must not cut it.
    await t.storage.call('batchGetTempUrls', { fileList: toItems(Array(30).fill(a)) });
    await t.storage.call('batchGetTempUrls', { fileList: toItems([a, missing, a, b]) });

    const { entries } = await t.files.tryCopy({ from: 'a.txt', to: 'copy.txt' });
    await t.files.tryCopy({ from: 'missing.txt', to: 'never.txt' });
    await t.files.tryCopy(
      { from: 'a.txt', to: 'twice.txt' },
      { from: 'a.txt', to: 'twice.txt' },
      { from: 'missing.txt', to: 'never.txt' },
      { from: 'a.txt', to: 'level/b.TXT', overwrite: false },
      { from: 'a.txt', to: 'not@allowed.txt' },
    );
    await t.files.tryCopy({ from: 'level/b.TXT', to: 'moved.txt', removeOriginal: true });
    await t.storage.call('batchDelete', { fileList: [a, missing, a, b] });
    await t.storage.call('batchDelete', { fileList: [missing] });
    return { entry: entries?.[0] ?? {}, bytes: t.files.contentOf('a.txt') };
  },
);

const isCopy = ({ operationId }: ObservedCall) => operationId === 'batchCopyFile';

/** The items of a list call as sent, in either form of a request (D21). */
function itemsOf(sent: Call): unknown[] | undefined {
  const { data, fileList = Object(data).fileList } = Object(parseJson(sent.body));
  return Array.isArray(fileList) ? fileList : undefined;
}

const listFileIds = (items: readonly unknown[]): string[] =>
  items
    .map((item) => (typeof item === 'string' ? item : Object(item).fileID))
    .filter((id) => typeof id === 'string');

/** What the schemas of the storage document leave to its descriptions. */
function claimEnvelope(call: ObservedCall): Claim[] {
  const { received, operationId } = call;
  const { payload, data, envelope, rejected, entries = [] } = call.reply;
  if (payload === undefined) return [];
  const claims: Claim[] = rejected
    ? [[payload.data === undefined, `data must be absent, but it was ${quoteJson(payload.data)}`]]
    : [[data !== undefined, `data must be an object, not ${quoteJson(payload.data)}`]];
  const { statusCode } = envelope ?? {};
  if (call.settings.wireProfile.envelope === 'wrapped' && typeof statusCode === 'number') {
    if (isCopy(call)) {
      const message = `statusCode must equal the HTTP status ${received.status}, but was ${statusCode}`;
      claims.push([statusCode === received.status, message]);
    } else if (!rejected && data !== undefined && !('code' in payload)) {
      claims.push([statusCode === 200, `statusCode must be 200, not ${statusCode}`]);
    }
  }
  if (operationId === 'getUploadMetaData' && typeof data?.url === 'string') {
    claims.push([isWebUrl(data.url), `url must be an absolute URL, not ${quoteJson(data.url)}`]);
  }
  if (isCopy(call)) claims.push(...entries.flatMap(claimCopyEntry));
  return claims;
}

/** A copy entry has a code and a message if it failed, and otherwise neither. */
function claimCopyEntry(entry: Record<string, unknown>): Claim[] {
  return ['code', 'message'].map((field): Claim => {
    const value = entry[field];
    if (!hasFailed(entry)) {
      return [value === undefined, `${field} must be absent, but it was ${quoteJson(value)}`];
    }
    const message = `${field} of a failed item must be a string, not ${quoteJson(value)}`;
    return [typeof value === 'string', message];
  });
}

const present = (name: string, value: unknown): Claim => [
  (value ?? undefined) !== undefined,
  `the response should have the field ${name}`,
];

const oneEntryPerItem: Invariant = ({ reply: { entries }, sent }) => {
  const items = itemsOf(sent);
  if (!entries || !items) return undefined;
  const message = `data.fileList must have ${items.length} entries, but has ${entries.length}`;
  return [[entries.length === items.length, message]];
};

const sameFileIds: Invariant = (call) => {
  const { entries } = call.reply;
  if (isCopy(call) || !entries) return undefined;
  const [actual, expected] = [listFileIds(entries), listFileIds(itemsOf(call.sent) ?? [])];
  const count = (ids: readonly string[], id: string) => ids.filter((each) => each === id).length;
  return claimEach([...new Set(expected)], (id) => {
    const counts = `${count(expected, id)} entries must have the fileID ${id}`;
    return [count(actual, id) === count(expected, id), `${counts}, but ${count(actual, id)} do`];
  });
};

export const storageResponses: readonly Check[] = [
  ...defineInvariants([{ needs: ['storageCredentials'], makeCalls: callWithoutFiles }], {
    'ST-RESPONSE': (call) => [...call.checkSchema(), ...claimEnvelope(call)],
    'ST-PRESENT/1': ({ reply: { payload } }) =>
      payload && [present('requestId', payload.requestId)],
    'ST-PRESENT/2': ({ reply: { payload, rejected } }) =>
      payload && rejected ? [present('message', payload.message)] : undefined,
  }),
  ...defineInvariants([{ needs: needsFiles, makeCalls: callWithFiles }], {
    'ST-PRESENT/3': (call) => {
      const { entries = [] } = call.reply;
      const copied = isCopy(call) ? entries.filter((entry) => !hasFailed(entry)) : [];
      const what = 'fileID in the entry of a copied file';
      return claimEach(copied, ({ fileID }) => present(what, fileID));
    },
    'ST-LISTS/1': oneEntryPerItem,
    'ST-LISTS/2': sameFileIds,
  }),
  defineCheck('ST-RESPONSE', { needs: needsFiles }, async (t) => {
    const { entry, bytes } = await callWithFiles(t);
    const { fileID } = entry;
    if (hasFailed(entry)) throw new SkipError('no file was copied');
    if (typeof fileID !== 'string') throw new DisabledError('copies return no fileID');
    const what = `the file with the fileID ${fileID} from the entry`;
    t.files.expectReading(await t.files.read(fileID), bytes, what);
  }),
];
