/* What several files of checks for the storage API share: calls, their files, and what they expect of the responses. */
import type { Need } from '../contract/catalog.ts';
import type { StorageReply } from '../http/read-response.ts';
import type { CallContext } from '../run/call-context.ts';
import type { CheckContext } from '../run/check.ts';

export const needsFiles: readonly Need[] = ['storageCredentials', 'writes'];

/**
 * Just over 1 MiB, a common size of buffers: every byte value, in an order that does not occur in text. It repeats after
 * a prime number of bytes, so that blocks of a file that are swapped are found.
 */
export const LARGE = Buffer.alloc(
  2 ** 20 + 1,
  Buffer.from(Array.from({ length: 257 }, (_, at) => (at * 167) % 256)),
);

export function missingFileId(t: CallContext): Promise<string> {
  return t.files.fileIdOf(t.files.path(`${t.run.uniqueName()}.missing`));
}

/** Describes a call and its response: `POST storages:batchDelete must be accepted, but the response was 400`. */
function describe({ sent, received, code = '' }: StorageReply, expected: string): string {
  const name = sent.url.replace(/.*\/|\?.*/g, '');
  const actual = `${received.status} ${code}`.trimEnd();
  return `${sent.method} ${name} ${expected}, but the response was ${actual}`;
}

/** @param how the call differs from a valid one: `without credentials` */
export function expectRejected(t: CheckContext, reply: StorageReply, how = ''): void {
  t.expect(reply.rejected, describe(reply, `${how} must be rejected`.trimStart()), reply);
}

export function expectAccepted(t: CheckContext, reply: StorageReply): boolean {
  const isAccepted = !reply.rejected && reply.data !== undefined;
  t.expectAccepted(isAccepted, describe(reply, 'must be accepted'), reply);
  return isAccepted;
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
