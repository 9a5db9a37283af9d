import { type Check, defineCheck } from '../context/check-context.ts';
import {
  changesFiles,
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
} from '../context/storage-client.ts';
import {
  expectBytes,
  hasFailed,
  makeGoodFields,
  missingFileId,
  needsFiles,
  storeAll,
  toCopyItems,
} from './stored-files.ts';

/** The invariants check the responses to these calls. */
export const storageResponses: readonly Check[] = [
  defineCheck('ST-RESPONSE', ['storageCredentials'], async (t) => {
    const fields = await makeGoodFields(t);
    await t.storage.call('getUploadMetaData', { path: t.storage.path('level/deeper/file.txt') });
    // Files are not needed for a call that is rejected.
    const rejected: [StorageOperation, StorageCallOptions][] = [
      ...STORAGE_OPERATIONS.map((operation): [StorageOperation, StorageCallOptions] => [
        operation,
        { body: '{}' },
      ]),
      ['batchGetTempUrls', { credentials: 'none' }],
      ['getUploadMetaData', { env: t.uniqueName() }],
      ['batchCopyFile', { body: '{"fileList": [' }],
    ];
    for (const [operation, options] of rejected) {
      if (t.settings.readOnly && changesFiles(operation)) continue;
      await t.storage.call(operation, fields[operation], { acceptsRefusal: true, ...options });
    }
    // It may be rejected, but must not succeed without data.
    await t.storage.call('batchGetTempUrls', { fileList: [] }, { acceptsRefusal: true });
  }),
  defineCheck('ST-RESPONSE', needsFiles, async (t) => {
    const [a, b] = await storeAll(t, 'a.txt', 'level/b.TXT');
    if (a === undefined || b === undefined) return;
    const missing = await missingFileId(t);
    const ids = [a.fileId, missing, a.fileId, b.fileId];
    // A deployment may reject a list of this length, but must not cut it.
    const many = Array.from({ length: 30 }, () => ({ fileID: a.fileId }));
    await t.storage.call('batchGetTempUrls', { fileList: many }, { acceptsRefusal: true });
    await t.storage.call('batchGetTempUrls', { fileList: ids.map((fileID) => ({ fileID })) });

    const from = t.storage.path('missing.txt');
    const copies = [
      [{ from: a.path, to: t.storage.path('copy.txt') }],
      [{ from, to: t.storage.path('never.txt') }],
      [
        { from: a.path, to: t.storage.path('twice.txt') },
        { from: a.path, to: t.storage.path('twice.txt') },
        { from, to: t.storage.path('never.txt') },
        { from: a.path, to: b.path, overwrite: false },
        { from: a.path, to: t.storage.path('not@allowed.txt') },
      ],
      [{ from: b.path, to: t.storage.path('moved.txt'), removeOriginal: true }],
    ];
    for (const [index, items] of copies.entries()) {
      const fileList = toCopyItems(t, items);
      const { entries } = await t.storage.call('batchCopyFile', { fileList });
      const [entry = {}] = entries ?? [];
      if (index > 0 || hasFailed(entry) || typeof entry.fileID !== 'string') continue;
      const what = `the file with the fileID ${entry.fileID} from the entry`;
      expectBytes(t, await t.upload.read(entry.fileID), a.bytes, what);
    }
    await t.storage.call('batchDelete', { fileList: ids });
    await t.storage.call('batchDelete', { fileList: [missing] });
  }),
];
