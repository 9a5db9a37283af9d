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

  async grant(name: string): Promise<Grant> {
    const grant = await this.#t.upload.grant(this.path(name));
    this.#ids.set(name, grant.fileId);
    return grant;
  }

  /** Uploads a file; any response is returned. */
  async send(name: string, content: Buffer | string, options?: PostOptions): Promise<UploadReply> {
    const grant = await this.grant(name);
    const bytes = Buffer.from(content);
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
  toCopyItems(items: readonly CopyItem[]): Record<string, unknown>[] {
    return items.map(({ from, to, ...options }) => {
      this.#ids.delete(to);
      if (options.removeOriginal) this.#ids.delete(from);
      if (PATH.test(this.path(to))) this.#t.upload.track(this.path(to));
      const { copyPath } = this.#t.storage;
      return { srcPath: copyPath(this.path(from)), dstPath: copyPath(this.path(to)), ...options };
    });
  }

  /** Makes a copy call and returns any response; the deployment may also reject it. */
  tryCopy(...items: CopyItem[]): Promise<StorageReply> {
    const fileList = this.toCopyItems(items);
    return this.#t.storage.call('batchCopyFile', { fileList }, { acceptsRefusal: true });
  }

  async copy(...items: CopyItem[]): Promise<Entry[]> {
    return (await this.#t.storage.list('batchCopyFile', this.toCopyItems(items))).entries;
  }

  async delete(...names: string[]): Promise<Entry[]> {
    return (await this.#t.storage.list('batchDelete', await this.ids(...names))).entries;
  }

  /**
   * Reads files and expects each to have the content that was stored under a name, or not to be found.
   *
   * @param when when they are read: `after a failed move`
   * @param files for each name, its content or the name of a file that had it; `undefined` if there must be no file
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

/** Stores files in the folder of the check. `contents` are those that matter; the others are random. */
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
  const { entries } = await t.storage.list('batchGetTempUrls', items);
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
  const first = expected ? bytes.findIndex((byte, index) => byte !== expected[index]) : -1;
  const differs = first >= 0 && first < (expected?.length ?? 0);
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
