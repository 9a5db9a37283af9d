import type { CheckContext } from '../context/check-context.ts';
import type { Need } from '../context/skip-reason.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import type {
  Grant,
  PostOptions,
  Reading,
  StoredFile,
  UploadReply,
} from '../context/upload-client.ts';
import type { CopyPaths } from '../options.ts';
import { SkipError } from '../result.ts';
import { hasFailed, linkOf } from '../validation/read-storage.ts';

export { hasFailed, linkOf };

export const needsFiles: readonly Need[] = ['storageCredentials', 'writes'];

/**
 * Just over 1 MiB, a common size of buffers: every byte value, in an order that does not occur in text. It repeats after
 * a prime number of bytes, so that blocks of a file that are swapped are found.
 */
export const LARGE = Buffer.alloc(
  2 ** 20 + 1,
  Buffer.from(Array.from({ length: 257 }, (_, at) => (at * 167) % 256)),
);

export const isSuccess = ({ code }: Entry): boolean => code === 'SUCCESS';

/** Returns the entry for a file in a list response, wherever it is in the list. */
export const entryOf = (entries: readonly Entry[], id: string | undefined): Entry | undefined =>
  entries.find(({ fileID }) => fileID === id);

/** The items of a call for the links of files. */
export const toItems = (ids: readonly string[]) => ids.map((fileID) => ({ fileID }));

/** Returns the file ID of a path where nothing was ever stored. */
export function missingFileId(t: CheckContext): Promise<string> {
  return t.upload.fileIdOf(t.storage.path(`${t.uniqueName()}.missing`));
}

/** A file to copy, by its name in the folder. */
export interface CopyItem {
  from: string;
  to: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/** A path that a file may have; other paths are not looked for at the end of the run. */
const PATH = /^[\w/!.,*\u4e00-\u9fff-]+$/;

/** A folder of the check. Its files are called by their names in it. */
export class Folder {
  readonly #t: CheckContext;
  readonly #name: string;
  readonly #contents = new Map<string, Buffer>();
  /** A copy or a move may change the ID of a file; a deleted file must not be found by the one that it had. */
  readonly #ids = new Map<string, string>();

  constructor(t: CheckContext, name = '') {
    this.#t = t;
    this.#name = name;
  }

  path(name: string): string {
    return this.#t.storage.path(this.#name + name);
  }

  /** Stores a file, by default with random content. If that fails, the check is skipped. */
  async store(name: string, content?: Buffer | string): Promise<StoredFile> {
    const file = await this.#t.upload.store(this.#name + name, content);
    this.#contents.set(name, file.bytes);
    this.#ids.set(name, file.fileId);
    return file;
  }

  /** Asks for a grant for an upload. If that fails, the check is skipped. */
  async grant(name: string): Promise<Grant> {
    const grant = await this.#t.upload.grant(this.path(name));
    this.#ids.set(name, grant.fileId);
    return grant;
  }

  /** Uploads a file; any response is returned. */
  async send(name: string, bytes: Buffer, options?: PostOptions): Promise<UploadReply> {
    const grant = await this.grant(name);
    this.#contents.set(name, bytes);
    return this.#t.upload.post(grant, this.#t.upload.fields(grant, bytes), options);
  }

  async ids(...names: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const name of names) {
      const id = this.#ids.get(name) ?? (await this.#t.upload.fileIdOf(this.path(name)));
      this.#ids.set(name, id);
      ids.push(id);
    }
    return ids;
  }

  /** Creates the items of a copy call, and registers their destinations for removal at the end of the run. */
  toCopyItems(items: readonly CopyItem[]): object[] {
    return items.map(({ from, to, ...options }) => {
      this.#ids.delete(to);
      if (options.removeOriginal) this.#ids.delete(from);
      if (PATH.test(this.path(to))) this.#t.upload.track(this.path(to));
      const [srcPath, dstPath] = [from, to].map((name) =>
        this.#t.storage.copyPath(this.path(name)),
      );
      return { srcPath, dstPath, ...options };
    });
  }

  /** Makes a copy call and returns any response; the deployment may also reject it. */
  tryCopy(...items: CopyItem[]): Promise<StorageReply> {
    const fileList = this.toCopyItems(items);
    return this.#t.storage.call('batchCopyFile', { fileList }, { acceptsRefusal: true });
  }

  /** Copies files. If the response does not have one entry per item, the check is skipped. */
  copy(...items: CopyItem[]): Promise<Entry[]> {
    return this.#t.storage.list('batchCopyFile', this.toCopyItems(items));
  }

  /** Deletes files. If the response does not have one entry per item, the check is skipped. */
  async delete(...names: string[]): Promise<Entry[]> {
    return this.#t.storage.list('batchDelete', await this.ids(...names));
  }

  /**
   * Reads files and expects each to have the content that was stored under a name, or not to be found.
   *
   * @param when when they are read: `after a failed move`
   * @param files for each name, the content that it must have, or the name of a file that had it; `undefined` if there
   *   must be no file
   */
  async expect(when: string, files: Record<string, string | Buffer | undefined>): Promise<void> {
    const names = Object.keys(files);
    const readings = await this.#t.upload.readAll(await this.ids(...names));
    for (const [index, name] of names.entries()) {
      const content = files[name];
      const bytes = typeof content === 'string' ? this.#contents.get(content) : content;
      expectReading(this.#t, readings[index] as Reading, bytes, `${this.path(name)} (${when})`);
    }
  }

  /** Expects files to be unchanged since they were stored. */
  expectKept(when: string, ...names: string[]): Promise<void> {
    return this.expect(when, Object.fromEntries(names.map((name) => [name, name])));
  }

  expectGone(when: string, ...names: string[]): Promise<void> {
    return this.expect(when, Object.fromEntries(names.map((name) => [name, undefined])));
  }

  /** The content that was stored under a name. */
  contentOf(name: string): Buffer | undefined {
    return this.#contents.get(name);
  }
}

/**
 * Stores files in the folder of the check. If that fails, the check is skipped.
 *
 * @param contents those that matter. Default: random content
 */
export async function storeAll(
  t: CheckContext,
  names: readonly string[],
  contents: Record<string, Buffer | string> = {},
): Promise<Folder> {
  const folder = new Folder(t);
  for (const name of names) await folder.store(name, contents[name]);
  return folder;
}

/** Also gets their links, so that a later failure to find one must be caused by what happened in between. */
export async function storeReadable(
  t: CheckContext,
  names: readonly string[],
  contents?: Record<string, Buffer | string>,
): Promise<Folder> {
  const folder = await storeAll(t, names, contents);
  const items = toItems(await folder.ids(...names));
  const entries = await t.storage.list('batchGetTempUrls', items);
  if (!entries.every(isSuccess)) throw new SkipError('no link is returned for a stored file');
  return folder;
}

export function hasBytes(reading: Reading, bytes: Buffer | undefined): boolean {
  return bytes !== undefined && reading.found && reading.bytes.equals(bytes);
}

/** Describes what a reader received: `64 bytes that differ from offset 63 on`. */
export function describeReading(reading: Reading, expected?: Buffer): string {
  if (!reading.found) return `nothing (${reading.why})`;
  const { bytes } = reading;
  if (expected === undefined || bytes.equals(expected)) return `${bytes.length} bytes`;
  const first = bytes.findIndex((byte, index) => byte !== expected[index]);
  const differs = first >= 0 && first < expected.length;
  return `${bytes.length} bytes${differs ? ` that differ from offset ${first} on` : ''}`;
}

/** Expects a file to have these bytes, or not to be found. */
export function expectReading(
  t: CheckContext,
  reading: Reading,
  bytes: Buffer | undefined,
  what: string,
): void {
  const holds = bytes ? hasBytes(reading, bytes) : !reading.found;
  const expected = bytes ? `have the expected ${bytes.length} bytes` : 'not be found';
  const actual = `but a read returned ${describeReading(reading, bytes)}`;
  t.expect(holds, `${what} must ${expected}, ${actual}`, reading.exchange);
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
  return !reply.refused && hasBytes(await t.upload.read(await t.upload.fileIdOf(to)), bytes);
}
