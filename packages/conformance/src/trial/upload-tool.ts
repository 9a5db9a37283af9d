import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Caller } from '../http/caller.ts';
import { type Exchange, type HeaderInput, toHeaderList, toTarget } from '../http/exchange.ts';
import { Unreached } from './endings.ts';
import type { Run } from './run.ts';
import type { StorageTool } from './storage-tool.ts';
import { hasXmlError } from './to-evidence.ts';

/** What step 1 of an upload returns. */
export interface Grant {
  path: string;
  url: string;
  token: string;
  authorization: string;
  fileId: string;
  storeFileId: string;
}

/** A file that a check has stored. */
export interface StoredFile {
  path: string;
  fileId: string;
  bytes: Buffer;
}

export type FormField = readonly [name: string, value: string | Buffer];

/** An answer of the upload target. */
export interface UploadReply extends Exchange {
  /** An XML document with an `Error` element. */
  hasError: boolean;
}

/** What a reader of a file got. */
export type Reading =
  | { found: true; bytes: Buffer; exchange: Exchange }
  | { found: false; why: string; exchange?: Exchange };

export interface UploadTool {
  /** Step 1; where it does not work, the check is not reached. */
  grant(path: string): Promise<Grant>;
  /** The form fields of step 2 in order, `file` last. */
  fields(grant: Grant, bytes: Buffer): FormField[];
  /**
   * Step 2: sends a form to an upload address and takes the answer as it comes. What is stored is
   * removed at the end of the run.
   */
  post(grant: Grant, fields: readonly FormField[], options?: PostOptions): Promise<UploadReply>;
  /** Both steps; where one does not work, the check is not reached. Default: 64 random bytes. */
  store(name: string, bytes?: Buffer | string): Promise<StoredFile>;
  /** Reads a file as any user does: a link, and a GET of it. Where no link call works, the check is not reached. */
  read(fileId: string): Promise<Reading>;
  /** GETs a link without credentials, and follows it where it leads on to another address. */
  download(link: string, headers?: HeaderInput): Promise<Exchange>;
  /** The ID of the file at a path, also of one that a copy has made. */
  fileIdOf(path: string): Promise<string>;
  /** Has a path removed at the end of the run; for destinations of copies. */
  track(path: string, fileId?: string): void;
}

export interface PostOptions {
  headers?: HeaderInput;
  /** Separates the parts. Default: letters, digits and hyphens. */
  boundary?: string;
  /** Writes the boundary in quotes (RFC 2046, section 5.1.1). */
  isQuoted?: boolean;
  /** Sends this instead of the form; the length of the whole form is announced. */
  trickle?: (form: Buffer) => Readable;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 5;

export function createUploadTool(run: Run, caller: Caller, storage: StorageTool): UploadTool {
  const { uploadFields, storeFileID } = run.settings.wireProfile;

  const grant: UploadTool['grant'] = async (path) => {
    const { data, received } = await storage.call('getUploadMetaData', { path });
    const { url, token, authorization, fileID } = data ?? {};
    const storeFileId = data?.[storeFileID];
    const all = [url, token, authorization, fileID, storeFileId];
    if (!all.every((value) => typeof value === 'string') || !URL.canParse(String(url))) {
      throw new Unreached(
        `getUploadMetaData answered ${received.status} without what an upload needs`,
      );
    }
    const [target = '', tokenText = '', signature = '', fileId = '', metaId = ''] = all as string[];
    return {
      path,
      url: target,
      token: tokenText,
      authorization: signature,
      fileId,
      storeFileId: metaId,
    };
  };

  const fields: UploadTool['fields'] = (given, bytes) => [
    ['Signature', given.authorization],
    [uploadFields.securityToken, given.token],
    [uploadFields.metaFileId, given.storeFileId],
    ['key', given.path],
    ['file', bytes],
  ];

  const post: UploadTool['post'] = async (given, sent, options = {}) => {
    const { headers, trickle, isQuoted } = options;
    run.leftovers.add(given.path, given.fileId);
    const { boundary = `berth-${randomBytes(12).toString('hex')}` } = options;
    const parameter = isQuoted ? `"${boundary}"` : boundary;
    const form = toMultipart(sent, boundary);
    const exchange = await caller.call({
      method: 'POST',
      origin: new URL(given.url).origin,
      target: toTarget(given.url),
      headers: [
        ['Content-Type', `multipart/form-data; boundary=${parameter}`],
        ...toHeaderList(headers),
      ],
      body: form,
      trickle: trickle && (() => trickle(form)),
    });
    return { ...exchange, hasError: hasXmlError(exchange.received.text) };
  };

  const download: UploadTool['download'] = (link, headers) => followLink(caller, link, headers);

  return {
    grant,
    fields,
    post,
    download,
    async store(name, content = randomBytes(64)) {
      const bytes = Buffer.from(content);
      const given = await grant(storage.path(name));
      const { received, hasError } = await post(given, fields(given, bytes));
      if (hasError || received.status >= 400) {
        throw new Unreached(`the upload target answered ${received.status} to a good form`);
      }
      return { path: given.path, fileId: given.fileId, bytes };
    },
    async read(fileId) {
      const [entry] = await storage.list('batchGetTempUrls', [{ fileID: fileId }]);
      const { code, tempFileURL } = entry ?? {};
      if (code !== 'SUCCESS') return { found: false, why: `its link has the code ${code}` };
      if (!URL.canParse(String(tempFileURL))) throw new Unreached('a link is no URL');
      const exchange = await download(String(tempFileURL));
      const { status, body } = exchange.received;
      if (status >= 200 && status < 300) return { found: true, bytes: body, exchange };
      return { found: false, why: `its link answers ${status}`, exchange };
    },
    fileIdOf: async (path) => (await grant(path)).fileId,
    track: (path, fileId) => run.leftovers.add(path, fileId),
  };
}

/** GETs a link as `UploadTool.download` does. */
export async function followLink(
  caller: Caller,
  link: string,
  headers?: HeaderInput,
): Promise<Exchange> {
  let next = link;
  for (let redirects = 0; ; redirects += 1) {
    // Links may come unencoded; what is encoded already stays so.
    const { origin, pathname, search } = new URL(next);
    const call = { method: 'GET', origin, target: pathname + search, body: Buffer.alloc(0) };
    const exchange = await caller.call({ ...call, headers: toHeaderList(headers) });
    const { received } = exchange;
    const location = REDIRECTS.includes(received.status) && received.header('location');
    if (!location || redirects === MOST_REDIRECTS || !URL.canParse(location, next)) {
      return exchange;
    }
    next = new URL(location, next).href;
  }
}

/** A `multipart/form-data` body (RFC 7578). */
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
