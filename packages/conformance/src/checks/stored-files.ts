import type { CheckContext } from '../context/check-context.ts';
import type { Need } from '../context/skip-reason.ts';
import {
  type Entry,
  STORAGE_OPERATIONS,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import type { Reading, StoredFile } from '../context/upload-client.ts';
import type { CopyPaths } from '../options.ts';
import { hasFailed, linkOf } from '../validation/read-storage.ts';

export { hasFailed, linkOf };

export const needsFiles: readonly Need[] = ['storageCredentials', 'writes'];

/** Returns the entries that refer to one file in a list response, wherever they are in the list. */
export function entriesOf(entries: readonly Entry[], fileId: string): Entry[] {
  return entries.filter(({ fileID }) => fileID === fileId);
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

/** Fields that every deployment must accept, for each operation. They refer to files that do not exist. */
export interface GoodFields extends Record<StorageOperation, Record<string, unknown>> {
  getUploadMetaData: { path: string };
  batchGetTempUrls: { fileList: [{ fileID: string }] };
  batchDelete: { fileList: [string] };
  batchCopyFile: { fileList: [{ srcPath: string; dstPath: string } & Record<string, unknown>] };
}

/**
 * Creates valid fields for each operation. They contain a file ID that the deployment issued, so that it has
 * no reason to reject a call as malformed. If no file ID is available, the check is skipped.
 */
export async function makeGoodFields(t: CheckContext): Promise<GoodFields> {
  const path = t.storage.path('sample.txt');
  const fileID = await t.upload.fileIdOf(path);
  const [srcPath, dstPath] = [t.storage.copyPath(path), t.storage.copyPath(`${path}.copy`)];
  return {
    getUploadMetaData: { path },
    batchGetTempUrls: { fileList: [{ fileID }] },
    batchDelete: { fileList: [fileID] },
    batchCopyFile: { fileList: [{ srcPath, dstPath, overwrite: false, removeOriginal: false }] },
  };
}

/**
 * Like `makeGoodFields`, but also checks that valid calls to all operations are accepted. If one is rejected,
 * the check is skipped.
 */
export async function reachGoodFields(t: CheckContext): Promise<GoodFields> {
  const fields = await makeGoodFields(t);
  for (const operation of STORAGE_OPERATIONS) {
    const options = { acceptsRefusal: true };
    const { refused, received } = await t.storage.call(operation, fields[operation], options);
    t.reach(!refused, `a valid call to ${operation} was rejected with ${received.status}`);
  }
  return fields;
}

/** Returns the file ID of a path where nothing was ever stored. */
export function missingFileId(t: CheckContext): Promise<string> {
  return t.upload.fileIdOf(t.storage.path(`${t.uniqueName()}.missing`));
}

export async function areThere(t: CheckContext, fileIds: readonly string[]): Promise<boolean[]> {
  const fileList = fileIds.map((fileID) => ({ fileID }));
  const entries = await t.storage.list('batchGetTempUrls', fileList);
  return fileIds.map((id) => entriesOf(entries, id).some(({ code }) => code === 'SUCCESS'));
}

/** The name of a file to store, with its content if that matters. */
type FileToStore = string | readonly [name: string, content: Buffer | string];
type StoredFiles<Files> = { [Index in keyof Files]: StoredFile };

/** Stores files, by default with random content. If that fails, the check is skipped. */
export async function storeAll<const Files extends readonly FileToStore[]>(
  t: CheckContext,
  ...files: Files
): Promise<StoredFiles<Files>> {
  const stored: StoredFile[] = [];
  for (const file of files) {
    const [name, content] = typeof file === 'string' ? [file] : file;
    stored.push(await t.upload.store(name, content));
  }
  return stored as StoredFiles<Files>;
}

/**
 * Stores files and gets their links, so that a later failure to find one must be caused by what happened in
 * between. If that fails, the check is skipped.
 */
export async function storeReadable<const Files extends readonly FileToStore[]>(
  t: CheckContext,
  ...files: Files
): Promise<StoredFiles<Files>> {
  const stored = await storeAll(t, ...files);
  const found = await areThere(
    t,
    [...stored].map(({ fileId }) => fileId),
  );
  t.reach(!found.includes(false), 'no link is returned for a stored file');
  return stored;
}

/** Reads the file that is currently at a path, even if its file ID has changed. */
export async function readPath(t: CheckContext, path: string): Promise<Reading> {
  return t.upload.read(await t.upload.fileIdOf(path));
}

export function hasBytes(reading: Reading, bytes: Buffer): boolean {
  return reading.found && reading.bytes.equals(bytes);
}

/** Describes what a reader received: `64 bytes, with the first difference at offset 63`. */
export function describeReading(reading: Reading, expected?: Buffer): string {
  if (!reading.found) return `nothing (${reading.why})`;
  const { bytes } = reading;
  if (expected === undefined || bytes.equals(expected)) return `${bytes.length} bytes`;
  const first = bytes.findIndex((byte, index) => byte !== expected[index]);
  const differs = first >= 0 && first < expected.length;
  return `${bytes.length} bytes${differs ? `, with the first difference at offset ${first}` : ''}`;
}

export function expectBytes(t: CheckContext, reading: Reading, bytes: Buffer, what: string): void {
  const message = `${what} must have the expected ${bytes.length} bytes, but a read returned ${describeReading(reading, bytes)}`;
  t.expect(hasBytes(reading, bytes), message, reading.exchange);
}

export async function expectAt(
  t: CheckContext,
  path: string,
  bytes: Buffer,
  what: string,
): Promise<void> {
  expectBytes(t, await readPath(t, path), bytes, what);
}

export function expectNothing(t: CheckContext, reading: Reading, what: string): void {
  const actual = describeReading(reading);
  const message = `${what} must not be found, but a read returned ${actual}`;
  t.expect(!reading.found, message, reading.exchange);
}

/** What must be stored at a path. */
interface ExpectedFile {
  path: string;
  /** The ID to read it by. Default: the one that the deployment issues for the path now. */
  fileId?: string;
  /** Default: there must be no file. */
  bytes?: Buffer;
}

/**
 * Reads files and expects each to have its bytes, or not to exist: one call for their links, and one for each file.
 *
 * @param when when they are read: `after a failed move`
 */
export async function expectFiles(
  t: CheckContext,
  when: string,
  files: readonly ExpectedFile[],
): Promise<void> {
  const ids: string[] = [];
  for (const { path, fileId } of files) ids.push(fileId ?? (await t.upload.fileIdOf(path)));
  const readings = await t.upload.readAll(ids);
  for (const [index, reading] of readings.entries()) {
    const { path, bytes } = files[index] as ExpectedFile;
    if (bytes) expectBytes(t, reading, bytes, `${path} (${when})`);
    else expectNothing(t, reading, `${path} (${when})`);
  }
}

/** A file to copy. The paths are cloud paths. */
export interface CopyOrder {
  from: string;
  to: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/** A path that a file may have; other paths are not looked for at the end of the run. */
const PATH = /^[\w/!.,*\u4e00-\u9fff-]+$/;

/** Creates the items of a copy call, and registers their destinations for removal at the end of the run. */
export function toCopyItems(t: CheckContext, orders: readonly CopyOrder[]): object[] {
  return orders.map(({ from, to, ...rest }) => {
    if (PATH.test(to)) t.upload.track(to);
    return { srcPath: t.storage.copyPath(from), dstPath: t.storage.copyPath(to), ...rest };
  });
}

/** Copies files. If the response does not have one entry per item, the check is skipped. */
export function copy(t: CheckContext, ...orders: CopyOrder[]): Promise<Entry[]> {
  return t.storage.list('batchCopyFile', toCopyItems(t, orders));
}

/** Returns whether a copy whose paths have this spelling makes a file with the same content (D24). */
export async function isCopied(
  t: CheckContext,
  { path, bytes }: StoredFile,
  spelling: CopyPaths,
): Promise<boolean> {
  const to = `${path}.${spelling}`;
  t.upload.track(to);
  const [srcPath, dstPath] = [path, to].map((each) => t.storage.copyPath(each, spelling));
  const reply = await t.storage.call('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
  return !reply.refused && hasBytes(await readPath(t, to), bytes);
}
