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

/** The grant that the first step of an upload returns. */
export interface Grant {
  path: string;
  url: string;
  token: string;
  authorization: string;
  fileId: string;
  storeFileId: string;
}

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
export type Reading =
  | { found: true; bytes: Buffer; exchange: Exchange }
  | { found: false; why: string; exchange: Exchange };

export interface PostOptions {
  headers?: HeaderInput;
  /** Separates the parts. Default: letters, digits and hyphens. */
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

/** Creates a client that uploads files and reads them. */
export function createUploadClient(run: Run, caller: Caller, storage: StorageClient) {
  const { wireProfile } = run.settings;
  const { leftovers } = run;

  /**
   * Performs step 1. If it fails, the check is skipped.
   *
   * @param isOtherForm sends the request in the form that a run does not use otherwise
   */
  async function grant(path: string, isOtherForm = false): Promise<Grant> {
    const reply = await storage.call('getUploadMetaData', { path }, { isOtherForm });
    const { data = {}, received } = reply;
    const { url, token, authorization, fileID: fileId } = data;
    const storeFileId = data[wireProfile.storeFileID];
    const all = { path, url, token, authorization, fileId, storeFileId };
    const areTexts = Object.values(all).every((value) => typeof value === 'string');
    if (areTexts && isWebUrl(url)) return all as Grant;
    throw new SkipError(
      `getUploadMetaData responded with ${received.status} without the fields that an upload needs`,
    );
  }

  /** Returns the form fields of step 2 in order, `file` last. */
  function fields({ authorization, token, storeFileId, path }: Grant, bytes: Buffer): FormField[] {
    const { uploadFields } = wireProfile;
    return [
      ['Signature', authorization],
      [uploadFields.securityToken, token],
      [uploadFields.metaFileId, storeFileId],
      ['key', path],
      ['file', bytes],
    ];
  }

  /**
   * Performs step 2: posts a form to the upload target and returns any response. Stored files are removed at
   * the end of the run.
   */
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

  /** Performs both steps; any result is returned. */
  async function send(
    path: string,
    bytes: Buffer,
    options?: PostOptions,
  ): Promise<{ grant: Grant; reply: UploadReply }> {
    const granted = await grant(path);
    return { grant: granted, reply: await post(granted, fields(granted, bytes), options) };
  }

  /** Performs both steps. If one fails, the check is skipped. Default: 64 random bytes. */
  async function store(
    name: string,
    content: Buffer | string = randomBytes(64),
  ): Promise<StoredFile> {
    const bytes = Buffer.from(content);
    const { grant: granted, reply } = await send(storage.path(name), bytes);
    if (reply.isAccepted) return { path: granted.path, fileId: granted.fileId, bytes };
    throw new SkipError(
      `the upload target responded with ${reply.received.status} to a valid form`,
    );
  }

  /**
   * Reads files as any user does: gets links in one call and downloads them. If a link is not a URL, the check is
   * skipped.
   */
  async function readAll(fileIds: readonly string[]): Promise<Reading[]> {
    const items = fileIds.map((fileID) => ({ fileID }));
    const { reply, entries } = await storage.listReply('batchGetTempUrls', items);
    const readings: Reading[] = [];
    for (const id of fileIds) {
      const entry = entries.find(({ fileID }) => fileID === id);
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
      const body = Buffer.alloc(0);
      const call = { method: 'GET', origin, target: pathname + search, headers: [], body };
      const exchange = await caller.call(call);
      const { received } = exchange;
      const location = REDIRECTS.includes(received.status) && received.header('location');
      const target = location && URL.parse(location, next)?.href;
      if (redirects === MAX_REDIRECTS || !isWebUrl(target)) return exchange;
      next = target;
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
  function untrack(path: string): void {
    leftovers.delete(path);
  }

  return { grant, fields, post, send, store, readAll, read, download, fileIdOf, track, untrack };
}

export function toMultipart(fields: readonly FormField[], boundary: string): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const file = Buffer.isBuffer(value);
    const type = file ? '\r\nContent-Type: application/octet-stream' : '';
    const filename = file ? '; filename="file"' : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}${type}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}
