import { ITEM_SUCCESS } from '../../generated/contract.gen.ts';
import { FILE_LIMITS, STORAGE_ERRORS, STORAGE_REQUESTS } from '../../generated/msw.gen.ts';
import type { StorageBody, StorageOperation } from '../../internal/storage-context.ts';
import { LINK_PATH, type MswContext, UPLOAD_PATH } from '../context.ts';
import { toKey } from '../files.ts';
import { pathFault } from '../path-fault.ts';
import { storageError } from './storage-error.ts';
import type { StorageData } from './storage-resolver.ts';

/** What the operations do with the files in memory. */
export const OPERATIONS: {
  [Operation in StorageOperation]: (
    body: StorageBody<Operation>,
    context: MswContext,
  ) => StorageData<Operation> | Response;
} = { getUploadMetaData, batchGetTempUrls, batchDelete, batchCopyFile };

type CopyItem = StorageBody<'batchCopyFile'>['fileList'][number];

const MISSING = 'STORAGE_FILE_NONEXIST' satisfies keyof typeof STORAGE_ERRORS;

function getUploadMetaData(
  { path }: StorageBody<'getUploadMetaData'>,
  { grants, profile, storageUrl, store }: MswContext,
): StorageData<'getUploadMetaData'> | Response {
  const fault = pathFault(path);
  if (fault) return storageError('INVALID_PARAM', { message: `path ${fault}` });
  const key = toKey(path);
  const [token, authorization, storeFileID] = [newId(), newId(), newId()];
  const expires = Date.now() + FILE_LIMITS.grantSeconds * 1000;
  grants.set(token, { key, authorization, storeFileID, expires });
  // The contract says to post to the address verbatim, query included; the query is there to be kept.
  const url = `${storageUrl}${UPLOAD_PATH}?bucket=files`;
  const data = { url, token, authorization, fileID: store.toFileID(key) };
  return { ...data, [profile.storeFileID]: storeFileID } as StorageData<'getUploadMetaData'>;
}

function batchGetTempUrls(
  { fileList }: StorageBody<'batchGetTempUrls'>,
  { links, storageUrl, store }: MswContext,
): StorageData<'batchGetTempUrls'> | Response {
  const link = (key: string, maxAge: number) => {
    const [sign, expires] = [newId(), Date.now() + maxAge * 1000];
    links.set(sign, { key, expires });
    const path = key.split('/').map(encodeURIComponent).join('/');
    return `${storageUrl}${LINK_PATH}${path}?expires=${expires}&sign=${sign}`;
  };
  const { linkSeconds, linkMinSeconds, linkMaxSeconds } = FILE_LIMITS;
  return toBatch(fileList, ({ fileID, maxAge = linkSeconds }) => {
    const key = store.toKeyOf(fileID);
    if (key === undefined || !store.files.has(key)) {
      return { fileID, code: MISSING, tempFileURL: '' };
    }
    // "`maxAge` is whole seconds, 1 to 604800" (D22). "One bad item never fails the good ones" (D30).
    const isValid =
      Number.isInteger(maxAge) && maxAge >= linkMinSeconds && maxAge <= linkMaxSeconds;
    if (!isValid) return { fileID, code: 'INVALID_PARAM', tempFileURL: '' };
    return { fileID, code: ITEM_SUCCESS, tempFileURL: link(key, maxAge) };
  });
}

function batchDelete(
  { fileList }: StorageBody<'batchDelete'>,
  { store }: MswContext,
): StorageData<'batchDelete'> | Response {
  return toBatch(fileList, (fileID) => {
    const key = store.toKeyOf(fileID);
    const isDeleted = key !== undefined && store.files.delete(key);
    return { fileID, code: isDeleted ? ITEM_SUCCESS : MISSING };
  });
}

function batchCopyFile(
  { fileList }: StorageBody<'batchCopyFile'>,
  { store }: MswContext,
): StorageData<'batchCopyFile'> | Response {
  // "Each bad item fails alone with `code` and `message`, a good one carries neither" (D24).
  return toBatch(fileList, (item) => {
    const fault = findCopyFault(item);
    if (fault) return { code: 'INVALID_PARAM', message: fault };
    const { overwrite = true, removeOriginal = false } = item;
    const [source, destination] = [toKey(item.srcPath), toKey(item.dstPath)];
    const file = store.files.get(source);
    if (!file) return toFailure(MISSING);
    if (!overwrite && store.files.has(destination)) return toFailure('OBJECT_ALREADY_EXIST');
    store.files.set(destination, file);
    if (removeOriginal) store.files.delete(source);
    return { fileID: store.toFileID(destination) };
  });
}

function findCopyFault(item: CopyItem): string | undefined {
  const fields = STORAGE_REQUESTS.batchCopyFile.properties.fileList.items.properties;
  for (const name of ['srcPath', 'dstPath'] as const) {
    const fault = pathFault(item[name], fields[name]['x-berth-item-pattern']);
    if (fault) return `${name} ${fault}`;
  }
  // "Source ≠ destination" (D24).
  const isSame = toKey(item.srcPath) === toKey(item.dstPath);
  return isSame ? 'dstPath must not be the same file as srcPath.' : undefined;
}

function toFailure(code: keyof typeof STORAGE_ERRORS) {
  return { code, message: STORAGE_ERRORS[code].message };
}

/** "At most 50 items a batch; more: the whole call is refused"; "results stand in request order" (D25). */
function toBatch<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Result,
): { fileList: Result[] } | Response {
  const { batchItems } = FILE_LIMITS;
  if (items.length <= batchItems) return { fileList: items.map(act) };
  const message = `fileList has ${items.length} items, and at most ${batchItems} are taken.`;
  return storageError('INVALID_PARAM', { message });
}

function newId(): string {
  return crypto.randomUUID();
}
