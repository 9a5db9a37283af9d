import { CORS, UploadError } from '@berth/server-stubs/contract';
import { create } from 'content-disposition';
import { type BlobInfo, BlobMissingError, type ByteRange, type OpenBlob } from './blob-store.ts';
import type { StorageContext } from './context.ts';
import { toUploadError } from './store-errors.ts';

/**
 * Uploaded pages are untrusted. With these headers, browsers treat them as a separate origin, run no
 * scripts, and do not sniff the type (CSP3, `sandbox`; Fetch Standard, `X-Content-Type-Options`).
 */
const GUARD = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/**
 * Clients may cache the file but must revalidate it each time, because the link expires and the file may
 * be changed or deleted. Shared caches must not store it.
 */
const CACHE_CONTROL = 'private, no-cache';

/** A request to a link's URL, such as an `IncomingMessage`. */
export interface DownloadRequest {
  readonly method?: string | undefined;
  /** Path and query, as sent. */
  readonly url?: string | undefined;
  readonly headers: DownloadHeaders;
}

/** Request headers, by lowercase name. */
export interface DownloadHeaders {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/** The response to a {@link DownloadRequest}. */
export interface Download {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The content; `undefined` if there is none. Close it if you do not send it. */
  readonly blob?: OpenBlob;
  /** The part to send. Default: everything. */
  readonly range?: ByteRange;
}

/**
 * Creates the handler for links. Errors have the format of the upload target (D27): 403 if a link has expired or its
 * signature is wrong, and 404 if the file was deleted.
 */
export function createDownload(context: StorageContext) {
  const { blobs, bucketOf, links, inline, authorizeUse, onError } = context;

  return async <Result>(
    request: DownloadRequest,
    requestId: string,
    send: (download: Download) => Result | Promise<Result>,
  ): Promise<Result> => {
    try {
      return await send(await open(request));
    } catch (error) {
      throw toUploadError(error, requestId, onError);
    }
  };

  async function open(request: DownloadRequest): Promise<Download> {
    const { method, url = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      const allow = CORS.allowMethods.link.join(', ');
      const message = `Links only support GET and HEAD, not ${method}.`;
      throw new UploadError('AccessDenied', { status: 405, message, headers: { allow } });
    }
    const link = await links.check(url);
    if (link === 'mismatch') {
      const message = 'The link is invalid: use it as batchGetTempUrls returned it.';
      throw new UploadError('SignatureDoesNotMatch', { message });
    }
    if (link === 'expired') {
      const message = 'The link has expired: request a new one with batchGetTempUrls.';
      throw new UploadError('AccessDenied', { message });
    }
    // Since the link was created, the environment may have been removed or given another bucket.
    if (bucketOf(link.env) !== link.bucket) throw new BlobMissingError(link);
    const { id, env, caller } = link;
    await authorizeUse?.({ kind: 'link', id, env, caller }, request);
    const disposition = inline ? undefined : toDisposition(link.path);
    if (method === 'HEAD') {
      const info = await blobs.stat(link);
      if (info === undefined) throw new BlobMissingError(link);
      return toDownload(request, info, disposition);
    }
    const blob = await blobs.open(link);
    if (blob === undefined) throw new BlobMissingError(link);
    try {
      const download = toDownload(request, blob.info, disposition);
      if (download.status === 200 || download.status === 206) return { ...download, blob };
      await blob.close();
      return download;
    } catch (error) {
      await blob.close();
      throw error;
    }
  }
}

/** @throws UploadError if the range cannot be satisfied */
function toDownload(
  request: DownloadRequest,
  { size, etag, contentType }: BlobInfo,
  disposition: string | undefined,
): Omit<Download, 'blob'> {
  const quotedEtag = `"${etag}"`;
  const cacheHeaders = {
    etag: quotedEtag,
    'cache-control': CACHE_CONTROL,
    'accept-ranges': 'bytes',
  };
  const status = evaluateConditions(request.headers, quotedEtag);
  if (status !== undefined) return { status, headers: cacheHeaders };
  const range = selectRange(request, quotedEtag, size);
  if (range === 'unsatisfiable') {
    throw new UploadError('InvalidRange', {
      status: 416,
      message: `The range is outside the file, which has ${size} bytes.`,
      headers: { ...cacheHeaders, 'content-range': `bytes */${size}` },
    });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const headers = {
    ...cacheHeaders,
    ...GUARD,
    'content-type': contentType,
    'content-length': String(end - start + 1),
    ...(disposition !== undefined && { 'content-disposition': disposition }),
  };
  if (range === undefined) return { status: 200, headers };
  const contentRange = `bytes ${start}-${end}/${size}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, range };
}

/**
 * RFC 9110, section 13.2.2. Conditions on time are ignored, because files have no modification date (sections 13.1.3 and
 * 13.1.4).
 */
function evaluateConditions(headers: DownloadHeaders, etag: string): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  // RFC 9110, section 13.1.1: strong comparison, in which a weak tag never matches.
  if (match !== undefined && !matchesTag(match, etag, false)) return 412;
  return noneMatch !== undefined && matchesTag(noneMatch, etag, true) ? 304 : undefined;
}

function matchesTag(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}

/**
 * RFC 9110, sections 13.1.5 and 14.2: ranges only apply to GET, and to the version that `If-Range` specifies, so that a
 * client never combines parts of two versions.
 */
function selectRange({ method, headers }: DownloadRequest, etag: string, size: number) {
  const ifRange = headers['if-range'];
  const isSelected = method === 'GET' && (ifRange === undefined || ifRange === etag);
  return isSelected ? toRange(headers.range ?? '', size) : undefined;
}

/**
 * RFC 9110, section 14.2: a server may ignore the header. This one ignores units other than bytes, invalid ranges,
 * multiple ranges, and any range of an empty file.
 */
function toRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  // Range units are case-insensitive (RFC 9110, section 14.1).
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header) ?? [];
  if (size === 0 || first + last === '') return undefined;
  // RFC 9110, section 14.1.1: a range is "invalid if the last-pos value is present and less than first-pos".
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  // RFC 9110, section 14.1.2, of a range without a first position: "If the selected representation is shorter than the
  // specified suffix-length, the entire representation is used."
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start < size ? { start, end } : 'unsatisfiable';
}

/** Characters outside printable ASCII, and those that are special in quoted strings or that some clients decode twice. */
const NOT_PLAIN = /[^\x20-\x7E]|["\\%]/gu;

/** A name that is not plain ASCII is sent twice: encoded, and as an approximation (RFC 6266, appendix D). */
function toDisposition(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return create(name, { fallback: name.replace(NOT_PLAIN, '_') });
}
