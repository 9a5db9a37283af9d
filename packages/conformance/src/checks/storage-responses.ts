import { DisabledError, SkipError } from '../errors.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type Entry, hasFailed } from '../http/read-response.ts';
import { type CallContext, oncePerRun } from '../run/call-context.ts';
import { type Check, defineCalls, defineCheck } from '../run/check.ts';
import type { StorageCallOptions, StorageOperation } from '../run/clients.ts';
import { toItems } from '../run/files.ts';
import { makeValidFields, missingFileId, needsFiles } from './storage-calls.ts';

/** Makes calls that succeed or are rejected without any file. */
async function callWithoutFiles(t: CallContext): Promise<void> {
  const fields = await makeValidFields(t);
  await t.storage.call('getUploadMetaData', { path: t.files.path('level/deeper/file.txt') });
  const rejected: (readonly [StorageOperation, StorageCallOptions])[] = [
    ...STORAGE_OPERATIONS.map((operation) => [operation, { body: '{}' }] as const),
    ['batchGetTempUrls', { credentials: 'none', headers: { Accept: 'text/html, */*;q=0.8' } }],
    ['getUploadMetaData', { env: t.run.uniqueName() }],
    ['batchCopyFile', { body: '{"fileList": [' }],
  ];
  for (const [operation, options] of rejected) {
    await t.storage.call(operation, fields[operation], options);
  }
  // It may be rejected, but must not succeed without data.
  await t.storage.call('batchGetTempUrls', { fileList: [] });
}

/** Makes calls for lists, some of whose items fail, once in a run. Returns the entry for a copy, and the copied bytes. */
const callWithFiles = oncePerRun(async (t) => {
  await t.files.storeReadable(['a.txt', 'level/b.TXT']);
  const [a = '', b = ''] = await t.files.ids('a.txt', 'level/b.TXT');
  const missing = await missingFileId(t);
  // Each item must get an entry, even if it is repeated. A deployment may reject this list, but must not cut it.
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
  const entry: Entry = entries?.[0] ?? {};
  return { entry, bytes: t.files.contentOf('a.txt') };
});

/** The sentences of `defineCalls` have invariants in `invariants/storage.ts`. */
export const storageResponses: readonly Check[] = [
  ...defineCalls(
    ['ST-RESPONSE', 'ST-PRESENT/1', 'ST-PRESENT/2'],
    ['storageCredentials'],
    callWithoutFiles,
  ),
  ...defineCalls(['ST-PRESENT/3', 'ST-LISTS/1', 'ST-LISTS/2'], needsFiles, callWithFiles),
  defineCheck('ST-RESPONSE', needsFiles, async (t) => {
    const { entry, bytes } = await callWithFiles(t);
    const { fileID } = entry;
    if (hasFailed(entry)) throw new SkipError('no file was copied');
    if (typeof fileID !== 'string') throw new DisabledError('copies return no fileID');
    const what = `the file with the fileID ${fileID} from the entry`;
    t.expectReading(await t.files.read(fileID), bytes, what);
  }),
];
