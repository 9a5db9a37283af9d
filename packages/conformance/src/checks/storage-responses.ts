import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  changesFiles,
  STORAGE_OPERATIONS,
  type StorageCallOptions,
} from '../context/storage-client.ts';
import {
  type CopyOrder,
  expectBytes,
  hasFailed,
  makeGoodFields,
  missingFileId,
  needsFiles,
  storeAll,
  storeReadable,
  toCopyItems,
} from './stored-files.ts';

/** Calls that every deployment rejects, by what is wrong with them. */
function invalidCalls(t: CheckContext): Record<string, [object, StorageCallOptions?]> {
  const path = t.storage.path('file.txt');
  return {
    'no fields': [{}],
    'a body that is not JSON': [{}, { body: '{"path": "x", ' }],
    'a number for its required field': [{ path: 1, fileList: 1 }],
    'the content type text/plain': [
      { path, fileList: [] },
      { headers: { 'Content-Type': 'text/plain' } },
    ],
    'no credentials': [{}, { credentials: 'none' }],
    'another environment': [{}, { env: t.uniqueName() }],
  };
}

/** Copies that succeed, and copies that fail for different reasons. Each destination is used once. */
function copyOrders(t: CheckContext, source: string, existing: string) {
  // Another check of the rule deletes files with such names.
  const copyTo = (name: string): CopyOrder => {
    return { from: source, to: t.storage.path(`copies/${name}`) };
  };
  const missing: CopyOrder = {
    from: t.storage.path(`${t.uniqueName()}.missing`),
    to: copyTo('no').to,
  };
  const failing: CopyOrder[] = [
    missing,
    { from: source, to: existing, overwrite: false },
    copyTo('not@allowed.txt'),
    { ...missing, removeOriginal: true },
  ];
  const [first = missing, second = missing] = [copyTo('d.txt'), copyTo('e.txt')];
  return [
    [copyTo('a.txt')],
    [copyTo('b.txt'), copyTo('level/c.txt')],
    [first, missing, second],
    failing,
    [copyTo('f.txt'), copyTo('f.txt')],
    Array.from({ length: 12 }, () => missing),
    [{ ...copyTo('g.txt'), removeOriginal: true }],
  ];
}

/** The invariants check the responses to these calls. */
export const storageResponses: readonly Check[] = [
  defineCheck('ST-RESPONSE', ['storageCredentials'], async (t) => {
    for (const name of ['file.txt', 'level/deeper/file.txt', 'no-extension']) {
      await t.storage.call('getUploadMetaData', { path: t.storage.path(name) });
    }
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      if (t.settings.readOnly && changesFiles(operation)) continue;
      await t.storage.call(operation, fields[operation]);
      for (const [invalid, options] of Object.values(invalidCalls(t))) {
        await t.storage.call(operation, invalid, { acceptsRefusal: true, ...options });
      }
    }
    // It may be rejected, but must not succeed without data.
    await t.storage.call('batchGetTempUrls', { fileList: [] }, { acceptsRefusal: true });
  }),
  defineCheck('ST-RESPONSE', needsFiles, async (t) => {
    const files = await storeAll(t, 'a.txt', 'level/b.TXT', 'c.txt', 'd.txt');
    const [a, b, c, d] = files.map(({ fileId }) => fileId);
    const missing = await missingFileId(t);
    const lists = [[a], [a, missing, b], [a, a], Array.from({ length: 12 }, () => missing)];
    for (const ids of lists) {
      await t.storage.call('batchGetTempUrls', { fileList: ids.map((fileID) => ({ fileID })) });
    }
    for (const fileList of [[a], [b, missing, c], [d, d], [missing]]) {
      await t.storage.call('batchDelete', { fileList });
    }
  }),
  defineCheck('ST-RESPONSE', needsFiles, async (t) => {
    const [source] = await storeReadable(t, 'source.txt');
    const existing = await t.upload.store('existing.txt');
    let seen = 0;
    for (const orders of copyOrders(t, source.path, existing.path)) {
      const fileList = toCopyItems(t, orders);
      const { entries = [] } = await t.storage.call('batchCopyFile', { fileList });
      const [entry = {}] = entries;
      if (orders.length > 1 || hasFailed(entry) || typeof entry.fileID !== 'string') continue;
      seen += 1;
      const what = `the file with the fileID ${entry.fileID} from the entry`;
      expectBytes(t, await t.upload.read(entry.fileID), source.bytes, what);
    }
    if (seen === 0) t.note('No entry in a copy response has a fileID.');
  }),
];
