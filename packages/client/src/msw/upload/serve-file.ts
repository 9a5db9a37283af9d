import { HttpResponse } from 'msw';
import { STORAGE_ERRORS } from '../../generated/msw.gen.ts';
import type { MswContext } from '../context.ts';
import { missingFile, uploadError } from './upload-error.ts';

/** A file by its temporary link, or one part of it (RFC 9110, section 14). */
export function serveFile(request: Request, { links, store }: MswContext): Response {
  const link = links.get(new URL(request.url).searchParams.get('sign') ?? '');
  if (!link) return uploadError('SignatureDoesNotMatch');
  // "An expired link answers 403" (D22).
  if (Date.now() >= link.expires) return uploadError('AccessDenied');
  const file = store.files.get(link.key);
  if (!file) {
    const code = 'STORAGE_FILE_NONEXIST' satisfies keyof typeof STORAGE_ERRORS;
    return missingFile(code, STORAGE_ERRORS[code].message);
  }
  const { bytes, contentType, etag } = file;
  const headers = new Headers({
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Content-Type': contentType || 'application/octet-stream',
    'X-Request-Id': crypto.randomUUID(),
  });
  const part = toPart(request.headers, bytes.length, etag);
  if (part && part.start >= bytes.length) {
    headers.set('Content-Range', `bytes */${bytes.length}`);
    return new HttpResponse(null, { status: 416, headers });
  }
  if (part) headers.set('Content-Range', `bytes ${part.start}-${part.end}/${bytes.length}`);
  const body = part ? bytes.slice(part.start, part.end + 1) : bytes;
  headers.set('Content-Length', String(body.length));
  const isHead = request.method === 'HEAD';
  return new HttpResponse(isHead ? null : body, { status: part ? 206 : 200, headers });
}

/** The one range that is asked for; several ranges, another unit, and another file bring it whole. */
function toPart(headers: Headers, size: number, etag: string) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.get('Range') ?? '') ?? [];
  if ((!from && !to) || (headers.get('If-Range') ?? etag) !== etag) return undefined;
  if (!from) return { start: Math.max(0, size - Number(to)), end: size - 1 };
  return { start: Number(from), end: Math.min(size - 1, to ? Number(to) : size - 1) };
}
