import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CorsOptions, createCors, toAnswer, UploadError } from '@berth/server-stubs';
import {
  BlobDamagedError,
  type BlobInfo,
  type BlobKey,
  type ByteRange,
  type OpenBlob,
  StoreUnavailableError,
} from '../blobs/blob-store.ts';
import { isRangeValid, judgeConditions, toDisposition, toRange } from './download-headers.ts';
import { rowOf, type StorageContext } from './storage-context.ts';

/**
 * An uploaded page is anybody's: a browser saves it and, should it show it all the same, in an origin of
 * its own and without its scripts, and guesses no type (CSP3, `sandbox`; Fetch Standard,
 * `X-Content-Type-Options`).
 */
const GUARD = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/**
 * Whoever has a link may keep what it gave, but asks again each time: the link expires, and the file
 * may be another or gone. No cache on the way may share what one link gave.
 */
const CACHE_CONTROL = 'private, no-cache';

/** Those that say something of the file. */
const FILE_HEADERS = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'content-type',
  'etag',
];

/** Answers requests whose path begins with `/files/`. */
export type FilesListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes the downloads: what the links of `batchGetTempUrls` lead to. Errors are XML, as those of the
 * upload target (D27): 403 for a link that has expired or that nobody signed, 404 where the file is gone.
 */
export function createFiles(
  context: StorageContext,
  corsOptions: CorsOptions | undefined,
): FilesListener {
  const cors = createCors('link', context.wireProfile, corsOptions);
  return (request, response) => {
    const { method, headers, url = '' } = request;
    const { origin } = headers;
    const requestId = randomUUID();
    response.setHeader('x-request-id', requestId);
    if (method === 'OPTIONS') {
      // D11: "OPTIONS is the CORS preflight (204)".
      const preflight = cors.preflight(origin);
      response
        .writeHead(204, { ...preflight, allow: preflight['access-control-allow-methods'] })
        .end();
      return;
    }
    for (const [name, value] of Object.entries(cors.answer(origin)))
      response.setHeader(name, value);
    const download = { response, requestId, resource: toResource(url) };
    answer(url, download, context).catch((error: unknown) => {
      if (!(error instanceof UploadError)) context.onError(error, requestId);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const refusal = toUploadError(error);
      context.onRefusal(refusal.code, response);
      answerError(refusal, download);
    });
  };

  async function answer(url: string, download: Download, { links, bucketOf }: StorageContext) {
    const { method } = download.response.req;
    if (method !== 'GET' && method !== 'HEAD') {
      const allow = cors.preflight(undefined)['access-control-allow-methods'] ?? '';
      const message = `A link takes GET and HEAD, not ${method}.`;
      throw new UploadError('AccessDenied', { status: 405, message, headers: { allow } });
    }
    const link = links.check(url);
    if (link === 'mismatch') {
      const message = 'The link is not one that batchGetTempUrls returned.';
      throw new UploadError('SignatureDoesNotMatch', { message });
    }
    if (link === 'expired') {
      const message = 'The link has expired: get a new one with batchGetTempUrls.';
      throw new UploadError('AccessDenied', { message });
    }
    // An environment may be gone, or have another bucket, since the link was made.
    if (bucketOf(link.env) !== link.bucket) throw missingFile();
    await sendFile(link, download, context);
  }
}

/** The path of a request as people read it; as it came where it cannot be decoded. */
function toResource(url: string): string {
  const [path = ''] = url.split('?', 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Answers with an XML `Error`, as the upload target does; nothing may be sent yet. */
function answerError(error: UploadError, { response, requestId, resource }: Download): void {
  const call = { request: response.req, requestId, rawPath: resource };
  const { status, headers, body } = error[toAnswer](call);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.setHeader('cache-control', 'no-store');
  response.statusCode = status;
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** One download on its way to an answer. */
interface Download {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** What the download is about, as errors name it. */
  readonly resource: string;
}

/** The answer to a link whose file is gone; the table of the upload target has no code for it. */
function missingFile(): UploadError {
  const { code, message } = rowOf('STORAGE_FILE_NONEXIST');
  return new UploadError(code, { status: 404, message });
}

type Linked = BlobKey & { readonly seconds: number };

/**
 * Sends a file, a part of it, or what its conditions ask for (RFC 9110, sections 13 and 14).
 *
 * @throws UploadError
 */
async function sendFile(link: Linked, download: Download, context: StorageContext) {
  const { blobs, redirectLinks } = context;
  const { response } = download;
  const { method } = response.req;
  if (method === 'HEAD') {
    const info = await blobs.stat(link);
    if (info === undefined) throw missingFile();
    sendHead(link, info, download);
    response.end();
    return;
  }
  if (redirectLinks && blobs.presign !== undefined) {
    // The store's own answer for a missing file is not the one of this server.
    if ((await blobs.stat(link)) === undefined) throw missingFile();
    const location = await blobs.presign(link, link.seconds);
    response.writeHead(307, { location, 'cache-control': 'no-store' }).end();
    return;
  }
  const blob = await blobs.open(link);
  if (blob === undefined) throw missingFile();
  await sendBlob(link, blob, download, context);
}

/**
 * Sets status and headers of an answer.
 *
 * @returns the part that is to be sent; undefined for the whole file
 * @throws UploadError for a range without a byte of the file
 */
function sendHead(
  { path }: Linked,
  { size, etag: md5, contentType }: BlobInfo,
  { response }: Download,
): ByteRange | 'nothing' | undefined {
  const { headers, method } = response.req;
  const etag = `"${md5}"`;
  response.setHeader('etag', etag);
  response.setHeader('cache-control', CACHE_CONTROL);
  response.setHeader('accept-ranges', 'bytes');
  const status = judgeConditions(headers, etag);
  if (status !== undefined) {
    response.statusCode = status;
    return 'nothing';
  }
  // RFC 9110, section 14.2: only GET has ranges.
  const range =
    method === 'GET' && isRangeValid(headers, etag) ? toRange(headers.range, size) : undefined;
  if (range === 'none') {
    throw new UploadError('InvalidRange', {
      status: 416,
      message: `The file has ${size} bytes, and none in the range.`,
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  setContentHeaders(response, contentType, path);
  if (range === undefined) {
    response.setHeader('content-length', size);
    return undefined;
  }
  response.statusCode = 206;
  response.setHeader('content-length', range.end - range.start + 1);
  response.setHeader('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return range;
}

function setContentHeaders(response: ServerResponse, contentType: string, path: string): void {
  response.setHeader('content-type', contentType);
  response.setHeader('content-disposition', toDisposition(path));
  for (const [name, value] of Object.entries(GUARD)) response.setHeader(name, value);
}

async function sendBlob(link: Linked, blob: OpenBlob, download: Download, context: StorageContext) {
  const { response, requestId } = download;
  let part: ByteRange | 'nothing' | undefined = 'nothing';
  try {
    part = response.destroyed ? 'nothing' : sendHead(link, blob.info, download);
  } finally {
    if (part === 'nothing') await blob.close();
  }
  if (part === 'nothing') {
    response.end();
    return;
  }
  try {
    await blob.sendTo(response, part);
  } catch (error) {
    if (error instanceof BlobDamagedError && !response.headersSent && !response.destroyed) {
      for (const name of FILE_HEADERS) response.removeHeader(name);
      throw error;
    }
    // What broke is told by the connection, which ends too early; a client may go whenever it likes.
    if (!isDeparture(error)) context.onError(error, requestId);
  }
}

function isDeparture(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** What a failure of the store means to whoever uploads or downloads (D27). */
export function toUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error;
  if (error instanceof BlobDamagedError) {
    const message = 'The file is damaged. Give the request ID to the operator.';
    return new UploadError('InternalError', { cause: error, message });
  }
  if (!(error instanceof StoreUnavailableError)) {
    return new UploadError('InternalError', { cause: error });
  }
  const { retryAfter } = rowOf('SERVICE_UNAVAILABLE');
  return new UploadError('ServiceUnavailable', {
    cause: error,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
