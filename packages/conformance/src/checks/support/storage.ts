import { setTimeout as wait } from 'node:timers/promises';
import type { CheckContext } from '../../context/check-context.ts';
import type { Need } from '../../context/skip-reason.ts';
import {
  type Entry,
  STORAGE_OPERATIONS,
  type StorageOperation,
  type StorageReply,
} from '../../context/storage-client.ts';
import type { Reading, StoredFile } from '../../context/upload-client.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { CopyPaths } from '../../options.ts';
import { hasFailed, linkOf } from '../../validation/read-storage.ts';
import { sampleRequest } from './requests.ts';

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
  const came = [reply.received.status, reply.code].join(' ').trim();
  t.expect(!reply.refused, `${what} must be accepted, but the response was ${came}`, reply);
  return !reply.refused;
}

/** Fields that every deployment must accept, for each operation. They refer to files that do not exist. */
export type GoodFields = Record<StorageOperation, Record<string, unknown>>;

/**
 * Creates valid fields for each operation. They contain a file ID that the deployment issued, so that it has
 * no reason to reject a call as malformed. If no file ID is available, the check is skipped.
 */
export async function makeGoodFields(t: CheckContext): Promise<GoodFields> {
  const fileID = await t.upload.fileIdOf(t.storage.path('sample.txt'));
  const fields = STORAGE_OPERATIONS.map((one) => [one, sampleRequest(t, one, fileID)] as const);
  return Object.fromEntries(fields) as GoodFields;
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

type Lists = Record<string, readonly unknown[]>;

/** Makes calls in which an item lacks a field, and expects each call to be rejected entirely. */
export async function expectListsRefused(
  t: CheckContext,
  operation: StorageOperation,
  lists: Lists,
): Promise<void> {
  for (const [what, fileList] of Object.entries(lists)) {
    const reply = await t.storage.call(operation, { fileList }, { acceptsRefusal: true });
    const { status } = reply.received;
    const isRefused = reply.refused && status < 500;
    const message = `${what}: the call must be rejected, but the response was ${status}`;
    t.expect(isRefused, message, reply);
  }
}

export async function areThere(t: CheckContext, fileIds: readonly string[]): Promise<boolean[]> {
  const fileList = fileIds.map((fileID) => ({ fileID }));
  const entries = await t.storage.list('batchGetTempUrls', fileList);
  return fileIds.map((id) => entriesOf(entries, id).some(({ code }) => code === 'SUCCESS'));
}

/** Returns whether a response succeeded and its body has exactly the bytes of this file. */
export function isFile({ received: { status, body } }: Exchange, bytes: Buffer): boolean {
  return status >= 200 && status <= 299 && body.equals(bytes);
}

export async function storeAll(t: CheckContext, ...names: string[]): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const name of names) files.push(await t.upload.store(name));
  return files;
}

/** Reads the file that is currently at a path, even if its file ID has changed. */
export async function readPath(t: CheckContext, path: string): Promise<Reading> {
  return t.upload.read(await t.upload.fileIdOf(path));
}

export function hasBytes(reading: Reading, bytes: Buffer): boolean {
  return reading.found && reading.bytes.equals(bytes);
}

/** Describes what a reader received: `64 bytes, with the first difference at offset 63`. */
export function describeReading(reading: Reading, wanted?: Buffer): string {
  if (!reading.found) return `nothing (${reading.why})`;
  const { bytes } = reading;
  if (wanted === undefined || bytes.equals(wanted)) return `${bytes.length} bytes`;
  const first = bytes.findIndex((byte, index) => byte !== wanted[index]);
  const differs = first >= 0 && first < wanted.length;
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
  const came = describeReading(reading);
  const message = `${what} must not be found, but a read returned ${came}`;
  t.expect(!reading.found, message, reading.exchange);
}

/** How long to wait for a file after the response to its upload, in milliseconds. */
const LATEST = 2000;

/**
 * Stores a file and reads it at its path, so that a later failure to read it must be caused by what happened
 * in between. If storing or reading fails, the check is skipped.
 */
export async function storeReadable(
  t: CheckContext,
  name: string,
  content?: Buffer | string,
): Promise<StoredFile> {
  const file = await t.upload.store(name, content);
  const fileId = await t.upload.fileIdOf(file.path);
  const reading = await poll(
    () => t.upload.read(fileId),
    (got) => hasBytes(got, file.bytes),
    { most: LATEST, every: 100 },
  );
  const isRead = hasBytes(reading, file.bytes);
  t.reach(isRead, `a read of a stored file returned ${describeReading(reading)}`);
  return { ...file, fileId };
}

/** Stores a source file and checks that it can be copied. If it cannot, the check is skipped. */
export async function storeCopyable(t: CheckContext, name: string): Promise<StoredFile> {
  const source = await storeReadable(t, name, `the full content of the copy source file: ${name}`);
  const free = t.storage.path(`free/${name}`);
  await copy(t, { from: source.path, to: free });
  const isCopied = hasBytes(await readPath(t, free), source.bytes);
  t.reach(isCopied, 'no file can be copied to a new destination');
  t.reach((await t.upload.read(source.fileId)).found, 'a copy removes its source');
  return source;
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

/** Returns whether a file exists, without requesting a link, by checking whether it can be copied. */
export async function canBeCopied(t: CheckContext, path: string): Promise<boolean> {
  const [entry] = await copy(t, { from: path, to: `${path}.${t.uniqueName()}` });
  return entry !== undefined && !hasFailed(entry);
}

/**
 * Repeats a call until its response is as expected, for at most `most` milliseconds.
 *
 * @returns the last response, expected or not
 */
export async function poll<Result>(
  ask: () => Promise<Result>,
  isWanted: (response: Result) => boolean,
  { most, every }: { most: number; every: number },
): Promise<Result> {
  const end = performance.now() + most;
  for (;;) {
    const response = await ask();
    if (isWanted(response) || performance.now() + every > end) return response;
    await wait(every);
  }
}
