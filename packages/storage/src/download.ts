import { CORS, UploadError } from '@berth/server-stubs/contract';
import { create } from 'content-disposition';
import parseRange from 'range-parser';
import type { BlobInfo, BlobKey, ByteRange, OpenBlob } from './blob-store.ts';
import { messageOf, type StorageContext } from './context.ts';
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
  const { blobs, bucketOf, links, inline, authorizeUse } = context;

  return (request: DownloadRequest): Promise<Download> =>
    follow(request).catch((error) => {
      throw toUploadError(error);
    });

  async function follow(request: DownloadRequest): Promise<Download> {
    const { method, url = '', headers } = request;
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
    if (bucketOf(link.env) !== link.bucket) throw missingFile();
    const { id, env, caller } = link;
    if (caller !== undefined) await authorizeUse?.({ kind: 'link', id, env, caller }, request);
    if (method === 'HEAD') {
      const info = await blobs.stat(link);
      if (info === undefined) throw missingFile();
      return toDownload(link, info, headers, true);
    }
    const blob = await blobs.open(link);
    if (blob === undefined) throw missingFile();
    let isOpen = false;
    try {
      const download = toDownload(link, blob.info, headers, false);
      isOpen = download.status === 200 || download.status === 206;
      return isOpen ? { ...download, blob } : download;
    } finally {
      if (!isOpen) await blob.close();
    }
  }

  /** @throws UploadError if the range contains no byte of the file */
  function toDownload(
    { path }: BlobKey,
    { size, etag: tag, contentType }: BlobInfo,
    requestHeaders: DownloadHeaders,
    isHead: boolean,
  ): Download {
    const etag = `"${tag}"`;
    const versions = { etag, 'cache-control': CACHE_CONTROL, 'accept-ranges': 'bytes' };
    const status = evaluateConditions(requestHeaders, etag);
    if (status !== undefined) return { status, headers: versions };
    // RFC 9110, sections 13.1.5 and 14.2: ranges only apply to GET. Unless `If-Range` names this version, the complete
    // file is sent, so that a client never combines parts of two versions.
    const { 'if-range': version = etag, range: requested } = requestHeaders;
    const range = !isHead && version === etag ? toRange(requested, size) : undefined;
    if (range === 'none') {
      throw new UploadError('InvalidRange', {
        status: 416,
        message: `The range is outside the file, which has ${size} bytes.`,
        headers: { ...versions, 'content-range': `bytes */${size}` },
      });
    }
    const headers = {
      ...versions,
      ...GUARD,
      'content-type': contentType,
      ...(!inline && { 'content-disposition': toDisposition(path) }),
    };
    if (range === undefined) {
      return { status: 200, headers: { ...headers, 'content-length': String(size) } };
    }
    const { start, end } = range;
    return {
      status: 206,
      headers: {
        ...headers,
        'content-length': String(end - start + 1),
        'content-range': `bytes ${start}-${end}/${size}`,
      },
      range,
    };
  }
}

/** The upload target's error table has no code for this. */
function missingFile(): UploadError {
  const code = 'STORAGE_FILE_NONEXIST';
  return new UploadError(code, { status: 404, message: messageOf(code) });
}

/** Request headers, by lowercase name. */
export interface DownloadHeaders {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/** Anything but printable ASCII, and what is special in quoted strings or to clients that decode twice. */
const NOT_PLAIN = /[^\x20-\x7E]|["\\%]/gu;

/**
 * RFC 9110, section 13.2.2. Conditions on time are ignored, because files have no modification date (sections 13.1.3 and
 * 13.1.4).
 */
export function evaluateConditions(headers: DownloadHeaders, etag: string): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  // RFC 9110, section 13.1.1: strong comparison, in which a weak tag never matches.
  if (match !== undefined && !lists(match, etag, false)) return 412;
  return noneMatch !== undefined && lists(noneMatch, etag, true) ? 304 : undefined;
}

function lists(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}

/** A name that is not plain ASCII is sent twice: encoded, and as an approximation (RFC 6266, appendix D). */
export function toDisposition(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return create(name, { fallback: name.replace(NOT_PLAIN, '_') });
}

/**
 * RFC 9110, section 14.2: a server may ignore the header. This one ignores units other than bytes, invalid
 * ranges, multiple ranges that cannot be merged into one, and any range of an
 * empty file.
 */
export function toRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  // Range units are case-insensitive (RFC 9110, section 14.1).
  if (header === undefined || size === 0 || !/^bytes=/i.test(header)) return undefined;
  // RFC 9110, section 14.1.1: a range is "invalid if the last-pos value is present and less than first-pos".
  const pairs = [...header.matchAll(/(\d+)-(\d+)/g)];
  if (pairs.some(([, first, last]) => Number(first) > Number(last))) return undefined;
  const ranges = parseRange(size, widen(header, size), { combine: true });
  if (ranges === -1) return 'none';
  return ranges === -2 || ranges.length !== 1 ? undefined : ranges[0];
}

/**
 * RFC 9110, section 14.1.2: "If the selected representation is shorter than the specified suffix-length,
 * the entire representation is used." range-parser treats such a range as unsatisfiable.
 */
function widen(header: string, size: number): string {
  return header.replace(/([=,]\s*)-(\d+)/g, (part, before: string, length: string) =>
    Number(length) > size ? `${before}0-` : part,
  );
}
