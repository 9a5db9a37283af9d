import { type CallContext, type CheckContext, once } from '../context/check-context.ts';
import { toItems } from '../context/files.ts';
import type { Need } from '../context/skip-reason.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import { SkipError } from '../result.ts';
import { show } from '../validation/cite.ts';
import { isSuccess } from '../validation/read-storage.ts';

export const needsFiles: readonly Need[] = ['storageCredentials', 'writes'];

/**
 * Just over 1 MiB, a common size of buffers: every byte value, in an order that does not occur in text. It repeats after
 * a prime number of bytes, so that blocks of a file that are swapped are found.
 */
export const LARGE = Buffer.alloc(
  2 ** 20 + 1,
  Buffer.from(Array.from({ length: 257 }, (_, at) => (at * 167) % 256)),
);

/** Returns the file ID of a path where nothing was ever stored. */
export function missingFileId(t: CallContext): Promise<string> {
  return t.files.fileIdOf(t.storage.path(`${t.uniqueName()}.missing`));
}

/** Expects a storage call to be rejected. `what` describes it: `batchDelete without credentials`. */
export function expectRefused(t: CheckContext, reply: StorageReply, what: string): void {
  const { status } = reply.received;
  t.expect(reply.refused, `${what} must be rejected, but the response was ${status}`, reply);
}

export function expectAccepted(t: CheckContext, reply: StorageReply, what: string): boolean {
  const actual = [reply.received.status, reply.code].join(' ').trim();
  t.expect(!reply.refused, `${what} must be accepted, but the response was ${actual}`, reply);
  return !reply.refused;
}

type BatchOfFiles = 'batchGetTempUrls' | 'batchDelete';

const itemsFor = (operation: BatchOfFiles, ids: readonly string[]) =>
  operation === 'batchDelete' ? ids : toItems(ids);

/** Expects a links or delete call to be accepted, and the entry of each existing file to have the code SUCCESS. */
export async function expectSuccess(
  t: CheckContext,
  operation: BatchOfFiles,
  ids: readonly string[],
): Promise<void> {
  const reply = await t.storage.call(operation, { fileList: itemsFor(operation, ids) });
  expectAccepted(t, reply, `${operation} of ${ids.length} files`);
  for (const { code } of reply.entries ?? []) {
    const message = `the code of an existing file must be "SUCCESS", not ${show(code)}`;
    t.expect(code === 'SUCCESS', message, reply);
  }
}

/** Expects no more than this many entries in the response of a links or delete call to have the code SUCCESS. */
export async function expectSuccesses(
  t: CheckContext,
  operation: BatchOfFiles,
  what: string,
  max: number,
  ids: readonly string[],
): Promise<void> {
  const reply = await t.storage.list(operation, itemsFor(operation, ids));
  const count = reply.entries.filter(isSuccess).length;
  const message = `${what}: at most ${max} entries may have the code SUCCESS, but ${count} do`;
  t.expect(count <= max, message, reply);
}

/** Fields that every deployment must accept, for each operation. They refer to files that do not exist. */
interface GoodFields extends Record<StorageOperation, Record<string, unknown>> {
  batchGetTempUrls: { fileList: [{ fileID: string }] };
  batchCopyFile: { fileList: [{ srcPath: string; dstPath: string }] };
}

/** Their file ID was issued by the deployment, so that it has no reason to reject a call as malformed. */
export async function makeGoodFields(t: CallContext): Promise<GoodFields> {
  const path = t.storage.path('sample.txt');
  const fileID = await t.files.fileIdOf(path);
  const copy = {
    srcPath: t.storage.copyPath(path),
    dstPath: t.storage.copyPath(`${path}.copy`),
    overwrite: false,
    removeOriginal: false,
  };
  return {
    getUploadMetaData: { path },
    batchGetTempUrls: { fileList: [{ fileID }] },
    batchDelete: { fileList: [fileID] },
    batchCopyFile: { fileList: [copy] },
  };
}

/** Like `makeGoodFields`, but skips all checks that need it if a call with the fields of an operation is rejected. */
export const acceptedFields = once('good-fields', async (t): Promise<GoodFields> => {
  const fields = await makeGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const { refused, received } = await tryCall(t, operation, fields[operation]);
    if (!refused) continue;
    throw new SkipError(`a valid call to ${operation} was rejected with ${received.status}`);
  }
  return fields;
});

/** Makes a call that may be rejected. */
export function tryCall(
  t: CallContext,
  operation: string,
  fields: object,
  options: StorageCallOptions = {},
): Promise<StorageReply> {
  return t.storage.call(operation, fields, { ...options, acceptsRefusal: true });
}
