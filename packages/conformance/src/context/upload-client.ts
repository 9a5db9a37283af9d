import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Caller } from '../http/caller.ts';
import {
  type Exchange,
  type HeaderInput,
  isWebUrl,
  toHeaderList,
  toTarget,
} from '../http/exchange.ts';
import { SkipError } from '../result.ts';
import { show } from '../validation/cite.ts';
import { hasXmlError } from '../validation/read-storage.ts';
import type { Run } from './run.ts';
import type { Entry, StorageClient } from './storage-client.ts';

/** What the first step of an upload returns. */
export type Grant = Record<
  'path' | 'url' | 'token' | 'authorization' | 'fileId' | 'storeFileId',
  string
>;

export interface StoredFile {
  path: string;
  fileId: string;
  bytes: Buffer;
}

export type FormField = readonly [name: string, value: string | Buffer];

export interface UploadReply extends Exchange {
  /** Whether the status is a success; that does not prove that the file is stored. */
  isAccepted: boolean;
}

/** What a reader received, and the last call that it made. */
export type Reading = { exchange: Exchange } & (
  | { found: true; bytes: Buffer }
  | { found: false; why: string }
);

export interface PostOptions {
  headers?: HeaderInput;
  boundary?: string;
  /** Default: `multipart/form-data` with the boundary. */
  type?: string;
  /** Send this instead of the form. */
  body?: Buffer;
  /** Send this instead of the form; `Content-Length` is still that of the complete form. */
  trickle?: (form: Buffer) => Readable;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

export type UploadClient = ReturnType<typeof createUploadClient>;

/** Uploads files and reads them. Unless it returns any response, a failed step skips the check. */
export function createUploadClient(run: Run, caller: Caller, storage: StorageClient) {
  const { wireProfile } = run.settings;
  const { leftovers } = run;

  /** Performs step 1. `isOtherForm` is the form that a run does not use otherwise. */
  async function grant(path: string, isOtherForm = false): Promise<Grant> {
    const reply = await storage.call('getUploadMetaData', { path }, { isOtherForm });
    const { url, token, authorization, fileID: fileId, ...rest } = reply.data ?? {};
    const storeFileId = rest[wireProfile.storeFileID];
    const all = { path, url, token, authorization, fileId, storeFileId };
    const areTexts = Object.values(all).every((value) => typeof value === 'string');
    if (areTexts && isWebUrl(url)) return all as Grant;
    const { status } = reply.received;
    const without = 'without the fields that an upload needs';
    throw new SkipError(`getUploadMetaData responded with ${status} ${without}`);
  }

  /** Returns the form fields of step 2 in order, `file` last. */
  function fields({ authorization, token, storeFileId, path }: Grant, bytes: Buffer): FormField[] {
    const { securityToken, metaFileId } = wireProfile.uploadFields;
    return [
      ['Signature', authorization],
      [securityToken, token],
      [metaFileId, storeFileId],
      ['key', path],
      ['file', bytes],
    ];
  }

  /** Performs step 2, and returns any response. Stored files are removed at the end of the run. */
  async function post(
    { path, fileId, url }: Grant,
    form: readonly FormField[],
    options: PostOptions = {},
  ): Promise<UploadReply> {
    track(path, fileId);
    const { boundary = `berth-${randomBytes(12).toString('hex')}`, trickle } = options;
    const { type = `multipart/form-data; boundary=${boundary}` } = options;
    const body = options.body ?? toMultipart(form, boundary);
    const exchange = await caller.call({
      method: 'POST',
      origin: new URL(url).origin,
      target: toTarget(url),
      headers: [['Content-Type', type], ...toHeaderList(options.headers)],
      body,
      trickle: trickle && (() => trickle(body)),
    });
    const { status, text } = exchange.received;
    return { ...exchange, isAccepted: status < 400 && !hasXmlError(text) };
  }

  /** Performs both steps. Default: 64 random bytes. */
  async function store(
    name: string,
    content: Buffer | string = randomBytes(64),
  ): Promise<StoredFile> {
    const bytes = Buffer.from(content);
    const granted = await grant(storage.path(name));
    const { isAccepted, received } = await post(granted, fields(granted, bytes));
    if (isAccepted) return { path: granted.path, fileId: granted.fileId, bytes };
    throw new SkipError(`the upload target responded with ${received.status} to a valid form`);
  }

  /** Reads files as any user does: gets links in one call and downloads them. */
  async function readAll(fileIds: readonly string[]): Promise<Reading[]> {
    const items = fileIds.map((fileID) => ({ fileID }));
    const reply = await storage.list('batchGetTempUrls', items);
    const readings: Reading[] = [];
    for (const id of fileIds) {
      const entry = reply.entries.find(({ fileID }) => fileID === id);
      readings.push(await follow(entry, reply));
    }
    return readings;
  }

  async function follow({ code, tempFileURL }: Entry = {}, reply: Exchange): Promise<Reading> {
    if (code !== 'SUCCESS') {
      return { found: false, why: `its link has the code ${show(code)}`, exchange: reply };
    }
    if (!isWebUrl(tempFileURL)) throw new SkipError('a link is not a URL');
    const exchange = await download(tempFileURL);
    const { status, body } = exchange.received;
    if (status >= 200 && status < 300) return { found: true, bytes: body, exchange };
    return { found: false, why: `its link responds with ${status}`, exchange };
  }

  async function read(fileId: string): Promise<Reading> {
    return (await readAll([fileId]))[0] as Reading;
  }

  /** Downloads a link without credentials, following redirects. */
  async function download(link: string): Promise<Exchange> {
    let next = link;
    for (let redirects = 0; ; redirects += 1) {
      // Links may be unencoded; what is already encoded stays as is.
      const { origin, pathname, search } = new URL(next);
      const target = pathname + search;
      const call = { method: 'GET', origin, target, headers: [], body: Buffer.alloc(0) };
      const exchange = await caller.call(call);
      const { received } = exchange;
      const location = REDIRECTS.includes(received.status) && received.header('location');
      const redirect = location && URL.parse(location, next)?.href;
      if (redirects === MAX_REDIRECTS || !isWebUrl(redirect)) return exchange;
      next = redirect;
    }
  }

  /** Returns the ID of the file at a path, including copies. */
  async function fileIdOf(path: string): Promise<string> {
    const { fileId } = await grant(path);
    if (leftovers.has(path)) track(path, fileId);
    return fileId;
  }

  /** Marks a path for removal at the end of the run; for destinations of copies. */
  function track(path: string, fileId?: string): void {
    leftovers.set(path, fileId ?? leftovers.get(path));
  }

  /** Undoes `track` for a path whose file was deleted. */
  const untrack = (path: string) => leftovers.delete(path);

  return { grant, fields, post, store, readAll, read, download, fileIdOf, track, untrack };
}

export function toMultipart(fields: readonly FormField[], boundary: string): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const file = Buffer.isBuffer(value);
    const filename = file ? '; filename="file"' : '';
    const type = file ? '\r\nContent-Type: application/octet-stream' : '';
    const head = `Content-Disposition: form-data; name="${name}"${filename}${type}`;
    return [`--${boundary}\r\n${head}\r\n\r\n`, value, '\r\n'];
  });
  const all = [...parts, `--${boundary}--\r\n`];
  return Buffer.concat(all.map((part) => Buffer.from(part as string)));
}
