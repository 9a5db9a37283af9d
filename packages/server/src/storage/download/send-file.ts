import type { ServerResponse } from 'node:http';
import { UploadError } from '@berth/server-stubs';
import { BlobDamagedError } from '../../blobs/blob-errors.ts';
import type { BlobInfo, BlobKey, ByteRange, OpenBlob } from '../../blobs/blob-store.ts';
import type { StorageContext } from '../storage-context.ts';
import { type Download, missingFile } from './answer-error.ts';
import { isRangeValid, judgeConditions } from './judge-conditions.ts';
import { toDisposition } from './to-disposition.ts';
import { toRange } from './to-range.ts';

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

type Linked = BlobKey & { readonly seconds: number };

/**
 * Sends a file, a part of it, or what its conditions ask for (RFC 9110, sections 13 and 14).
 *
 * @throws UploadError
 */
export async function sendFile(link: Linked, download: Download, context: StorageContext) {
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

function isDeparture(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
