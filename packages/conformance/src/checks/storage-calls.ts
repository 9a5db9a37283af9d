import { type CallContext, type CheckContext, oncePerRun } from '../context/check-context.ts';
import { toItems } from '../context/files.ts';
import type { Need } from '../contract/catalog.ts';
import { SkipError } from '../errors.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { isSuccess, type StorageReply } from '../invariants/read-response.ts';

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

/** Describes a call and its response: `POST storages:batchDelete must be accepted, but was 400 INVALID_PARAM`. */
function describe({ sent, received, code = '' }: StorageReply, expected: string): string {
  const name = sent.url.replace(/.*\/|\?.*/g, '');
  return `${sent.method} ${name} ${expected}, but was ${received.status} ${code}`.trimEnd();
}

/** @param how the call differs from a valid one: `without credentials` */
export function expectRejected(t: CheckContext, reply: StorageReply, how = ''): void {
  t.expect(reply.rejected, describe(reply, `${how} must be rejected`.trimStart()), reply);
}

export function expectAccepted(t: CheckContext, reply: StorageReply): boolean {
  const isAccepted = !reply.rejected && reply.data !== undefined;
  t.expect(isAccepted, describe(reply, 'must be accepted'), reply);
  return isAccepted;
}

/** Expects this many entries in the response of a links or delete call to have the code SUCCESS. */
export async function expectSuccesses(
  t: CheckContext,
  operation: 'batchGetTempUrls' | 'batchDelete',
  expected: number,
  ids: readonly string[],
): Promise<void> {
  const fileList = operation === 'batchDelete' ? ids : toItems(ids);
  const reply = await t.storage.call(operation, { fileList });
  if (expected > 0 && !expectAccepted(t, reply)) return;
  const count = (reply.entries ?? []).filter(isSuccess).length;
  const message = `${expected} of ${ids.length} entries must have the code SUCCESS, but ${count} do`;
  t.expect(count === expected, message, reply);
}

/**
 * Returns fields that every deployment must accept, for each operation. They refer to files that do not exist; their file
 * ID was issued by the deployment, so that it has no reason to reject a call as malformed.
 */
export async function makeValidFields(t: CallContext) {
  const from = 'sample.txt';
  const path = t.files.path(from);
  const fileID = await t.files.fileIdOf(path);
  const copy = { from, to: `${from}.copy`, overwrite: false, removeOriginal: false };
  return {
    getUploadMetaData: { path },
    batchGetTempUrls: { fileList: [{ fileID }] },
    batchDelete: { fileList: [fileID] },
    batchCopyFile: { fileList: t.files.toCopyItems([copy]) },
  } as const;
}

export type ValidFields = Awaited<ReturnType<typeof makeValidFields>>;

/** Like `makeValidFields`, but skips all checks that need it if a call with the fields of an operation is rejected. */
export const acceptedFields = oncePerRun('valid-fields', async (t) => {
  const fields = await makeValidFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const { rejected, received } = await t.storage.call(operation, fields[operation]);
    if (!rejected) continue;
    throw new SkipError(`a valid call to ${operation} was rejected with ${received.status}`);
  }
  return fields;
});
