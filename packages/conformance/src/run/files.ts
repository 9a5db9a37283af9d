import { randomBytes } from 'node:crypto';
import { SkipError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import {
  type Exchange,
  type HeaderInput,
  type HeaderList,
  isWebUrl,
  toCallUrl,
  toHeaderList,
} from '../http/exchange.ts';
import {
  type Entry,
  entryOf,
  hasErrorElement,
  isSuccess,
  type StorageReply,
} from '../http/read-response.ts';
import type { CopyPaths, RequestForm } from '../options.ts';
import { quoteJson } from '../results/redact.ts';
import type { StorageClient } from './clients.ts';
import type { Run } from './run.ts';

export interface StoredFile {
  path: string;
  fileId: string;
  bytes: Buffer;
}

/** What a reader received, and the last call that it made. */
export type Reading = { exchange: Exchange } & (
  | { found: true; bytes: Buffer }
  | { found: false; why: string }
);

export interface CopyItem {
  from: string;
  to: string;
  overwrite?: boolean | undefined;
  removeOriginal?: boolean | undefined;
}

interface Context {
  run: Run;
  caller: Caller;
  storage: StorageClient;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

/** A path that a file may have; other paths are not looked for at the end of the run. */
const PATH = /^[\w/!.,*\u4e00-\u9fff-]+$/;

/**
 * A folder for files. Methods take names relative to it. `send`, `tryCopy`, `read…` and `download` return the response to
 * the last call, even if that is a failure.
 *
 * @throws SkipError if another step fails: the grant for `send`, for example, or the list of links for `read`
 */
export class Files {
  readonly #context: Context;
  readonly #folder: string;
  readonly #contents = new Map<string, Buffer>();
  /** Copies and moves may change a file's ID; a deleted file must not be found by its previous one. */
  readonly #ids = new Map<string, string>();

  /** @param folder with a `/` at its end */
  constructor(context: Context, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  folder(name: string): Files {
    return new Files(this.#context, this.#folder + name);
  }

  path(name: string): string {
    return this.#folder + name;
  }

  contentOf(name: string): Buffer {
    const content = this.#contents.get(name);
    if (content === undefined) throw new Error(`Nothing was uploaded to ${name}.`);
    return content;
  }

  /** Performs step 1 of an upload. */
  async grant(name: string, form?: RequestForm): Promise<Grant> {
    const grant = await this.grantPath(this.path(name), form);
    this.#ids.set(name, grant.fileId);
    return grant;
  }

  /** The same for a path. The file keeps its ID, which the grant may change. */
  async grantPath(path: string, form?: RequestForm): Promise<Grant> {
    const { run, storage } = this.#context;
    const reply = await storage.call('getUploadMetaData', { path }, { form });
    const { url, token, authorization, fileID: fileId, ...rest } = reply.data ?? {};
    const storeFileId = rest[run.settings.wireProfile.storeFileID];
    const all = { path, url, token, authorization, fileId, storeFileId };
    const isComplete = Object.values(all).every((value) => typeof value === 'string');
    if (isComplete && isWebUrl(url)) return all as Grant;
    const response = `getUploadMetaData responded with ${reply.received.status}`;
    throw new SkipError(`${response} without the fields that an upload needs`);
  }

  async send(name: string, content: Buffer | string, options?: PostOptions) {
    const grant = await this.grant(name);
    const bytes = Buffer.from(content);
    this.#contents.set(name, bytes);
    const form = toFormFields(this.#context.run, grant, bytes);
    const reply = await postForm(this.#context, grant, form, options);
    return { ...reply, file: { path: grant.path, fileId: grant.fileId, bytes } };
  }

  async store(name: string, content: Buffer | string = randomBytes(64)): Promise<StoredFile> {
    const { isAccepted, file, received } = await this.send(name, content);
    if (isAccepted) return file;
    throw new SkipError(`the upload target responded with ${received.status} to a valid form`);
  }

  /** Stores files. `contents` are those that matter; the others are random. */
  async storeAll(names: readonly string[], contents: Record<string, Buffer | string> = {}) {
    for (const name of names) await this.store(name, contents[name]);
  }

  /** Also gets their links, so that a later failure to find one must be caused by what happened in between. */
  async storeReadable(names: readonly string[], contents?: Record<string, Buffer | string>) {
    await this.storeAll(names, contents);
    const items = toItems(await this.ids(...names));
    const { entries } = await this.#context.storage.list('batchGetTempUrls', items);
    if (!entries.every(isSuccess)) throw new SkipError('no link is returned for a stored file');
  }

  async ids(...names: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const name of names) {
      const id = this.#ids.get(name) ?? (await this.fileIdOf(this.path(name)));
      this.#ids.set(name, id);
      ids.push(id);
    }
    return ids;
  }

  async fileIdOf(path: string): Promise<string> {
    const { fileId } = await this.grantPath(path);
    if (this.#context.run.leftovers.has(path)) this.track(path, fileId);
    return fileId;
  }

  /** Creates the items of a copy call, and tracks their destinations. */
  toCopyItems(items: readonly CopyItem[]): Record<string, unknown>[] {
    const { copyPath } = this.#context.storage;
    return items.map(({ from, to, ...options }) => {
      this.#ids.delete(to);
      if (options.removeOriginal) this.#ids.delete(from);
      if (PATH.test(this.path(to))) this.track(this.path(to));
      return { srcPath: copyPath(this.path(from)), dstPath: copyPath(this.path(to)), ...options };
    });
  }

  tryCopy(...items: CopyItem[]): Promise<StorageReply> {
    const fileList = this.toCopyItems(items);
    return this.#context.storage.call('batchCopyFile', { fileList });
  }

  /** Finds out whether a copy whose paths have this spelling makes a file with the same content (D24). */
  async tryCopyAs(file: StoredFile, spelling: CopyPaths) {
    const { storage } = this.#context;
    const to = `${file.path}.${spelling}`;
    this.track(to);
    const [srcPath, dstPath] = [file.path, to].map((path) => storage.copyPath(path, spelling));
    const reply = await storage.call('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
    const isCopied =
      !reply.rejected && hasBytes(await this.read(await this.fileIdOf(to)), file.bytes);
    return { isCopied, reply };
  }

  copy(...items: CopyItem[]) {
    return this.#context.storage.list('batchCopyFile', this.toCopyItems(items));
  }

  async delete(...names: string[]): Promise<Entry[]> {
    return (await this.#context.storage.list('batchDelete', await this.ids(...names))).entries;
  }

  async read(fileId: string): Promise<Reading> {
    return (await this.readEach([fileId]))[0] as Reading;
  }

  /** Reads files as a client would: gets links in one call and downloads them. */
  async readEach(fileIds: readonly string[]): Promise<Reading[]> {
    const reply = await this.#context.storage.list('batchGetTempUrls', toItems(fileIds));
    const readings: Reading[] = [];
    for (const id of fileIds) readings.push(await this.#follow(entryOf(reply.entries, id), reply));
    return readings;
  }

  async #follow({ code, tempFileURL }: Entry = {}, reply: Exchange): Promise<Reading> {
    if (code !== 'SUCCESS') {
      return { found: false, why: `its link has the code ${quoteJson(code)}`, exchange: reply };
    }
    if (!isWebUrl(tempFileURL)) throw new SkipError('a link is not a URL');
    const exchange = await this.download(tempFileURL);
    const { status, body } = exchange.received;
    if (status >= 200 && status < 300) return { found: true, bytes: body, exchange };
    return { found: false, why: `its link responds with ${status}`, exchange };
  }

  /** Downloads a link without credentials, following redirects. It may be unencoded; what is encoded stays as is. */
  async download(link: string, headers: HeaderList = [], redirects = 0): Promise<Exchange> {
    const call = { method: 'GET', url: toCallUrl(link), headers, body: Buffer.alloc(0) };
    const exchange = await this.#context.caller.call(call);
    const { received } = exchange;
    const location = REDIRECTS.includes(received.status) && received.header('location');
    if (!location || redirects === MAX_REDIRECTS) return exchange;
    const next = isWebUrl(location) ? location : URL.parse(location, link)?.href;
    return isWebUrl(next) ? this.download(next, headers, redirects + 1) : exchange;
  }

  /** Marks a path for removal at the end of the run. Without an ID, such as after a copy, the clean-up requests one. */
  track(path: string, fileId?: string): void {
    this.#context.run.leftovers.set(path, fileId);
  }

  untrack(paths: readonly string[]): void {
    for (const path of paths) this.#context.run.leftovers.delete(path);
  }
}

export const toItems = (ids: readonly string[]) => ids.map((fileID) => ({ fileID }));

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

/** What step 1 returns, which allows one upload. */
export type Grant = Record<
  'path' | 'url' | 'token' | 'authorization' | 'fileId' | 'storeFileId',
  string
>;

/** The fields of a form in order. */
export type Form = Readonly<Record<string, string | Buffer>>;

export interface PostOptions {
  headers?: HeaderInput;
  boundary?: string;
  /** Default: `multipart/form-data` with the boundary. */
  type?: string;
  /** Send this instead of the form. */
  body?: Buffer;
  /** Send this instead of the form; `Content-Length` is still that of the complete form. */
  stream?: (form: Buffer) => AsyncIterable<Uint8Array>;
}

/** Returns the fields in order, `file` last. */
export function toFormFields(
  { settings }: Run,
  { authorization, token, storeFileId, path }: Grant,
  bytes: Buffer,
): Form {
  const { securityToken, metaFileId } = settings.wireProfile.uploadFields;
  return {
    Signature: authorization,
    [securityToken]: token,
    [metaFileId]: storeFileId,
    key: path,
    file: bytes,
  };
}

/** Sends a form. One that is accepted does not prove that the file is stored. */
export async function postForm(
  { run, caller }: { run: Run; caller: Caller },
  { path, fileId, url }: Grant,
  form: Form,
  options: PostOptions = {},
): Promise<Exchange & { isAccepted: boolean }> {
  run.leftovers.set(path, fileId);
  const { boundary = `berth-${randomBytes(12).toString('hex')}`, stream } = options;
  const { type = `multipart/form-data; boundary=${boundary}` } = options;
  const body = options.body ?? toMultipart(form, boundary);
  const exchange = await caller.call({
    method: 'POST',
    url: toCallUrl(url),
    headers: [['Content-Type', type], ...toHeaderList(options.headers)],
    body,
    stream: stream && (() => stream(body)),
  });
  const { status, text } = exchange.received;
  const isAccepted = status < 400 && !hasErrorElement(text);
  if (isAccepted) run.acknowledged.add(path);
  return { ...exchange, isAccepted };
}

export function toMultipart(form: Form, boundary: string): Buffer {
  const parts = Object.entries(form).flatMap(([name, value]) => {
    const isFile = Buffer.isBuffer(value);
    const file = isFile ? '; filename="file"\r\nContent-Type: application/octet-stream' : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}
