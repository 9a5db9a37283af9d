import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { toAnswer, UploadError } from '@berth/server-stubs';
import parseRange from 'range-parser';
import type { Context } from '../context.ts';
import { storageErrors } from '../contract/defaults.ts';
import type { StoredFile } from '../files/file-store.ts';
import { recordOf } from '../session/call-record.ts';
import { corsOf } from './router-options.ts';

/** The temporary links: they download what was uploaded. */
export function createLinkListener(context: Context): RequestListener {
  const cors = corsOf(context, 'link');
  const allow = cors.preflight(undefined)['access-control-allow-methods'] as string;

  return (request, response) => {
    response.setHeader('x-request-id', recordOf(request).id || randomUUID());
    const {
      method,
      headers: { origin },
    } = request;
    // D11: "OPTIONS is the CORS preflight (204)".
    const headers =
      method === 'OPTIONS' ? { ...cors.preflight(origin), allow } : cors.answer(origin);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    try {
      follow(request, response, allow);
    } catch (error) {
      if (error instanceof UploadError) sendLinkError(error, response);
      else throw error;
    }
  };
}

function follow(request: IncomingMessage, response: ServerResponse, allow: string): void {
  const { method, url = '' } = request;
  const { links, files } = recordOf(request).session;
  if (method !== 'GET' && method !== 'HEAD') {
    const message = `A link takes GET and HEAD, not ${method}.`;
    throw new UploadError('AccessDenied', { status: 405, message, headers: { allow } });
  }
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = '', query] = target.split(/\?(.*)/s, 2);
  const verdict = links.check(path, query);
  if (verdict === 'mismatch') {
    const message = 'The link is not one that batchGetTempUrls returned.';
    throw new UploadError('SignatureDoesNotMatch', { message });
  }
  if (verdict === 'expired') {
    const message = 'The link has expired: get a new one with batchGetTempUrls.';
    throw new UploadError('AccessDenied', { message });
  }
  const file = files.get(verdict.key);
  if (file === undefined) {
    // The table of the upload target has no code for it.
    const { code, message } = storageErrors.get('STORAGE_FILE_NONEXIST');
    throw new UploadError(code, { status: 404, message });
  }
  sendFile(file, request, response);
}

/**
 * An uploaded page is anybody's: a browser shows it, but in an origin of its own and without its
 * scripts, and guesses no type (CSP3, `sandbox`; Fetch Standard, `X-Content-Type-Options`).
 */
const GUARD = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/**
 * Sends the content of a file, or one part of it (RFC 9110, section 14). Several ranges at once, and a
 * unit other than bytes, bring the whole file.
 */
function sendFile(
  { size, contentType, etag, modified, content }: StoredFile,
  { headers: { range }, method }: IncomingMessage,
  response: ServerResponse,
): void {
  const ranges = range === undefined ? -2 : parseRange(size, range);
  if (ranges === -1) {
    response.writeHead(416, { 'content-range': `bytes */${size}`, 'content-length': 0 }).end();
    return;
  }
  const [part, ...others] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges;
  const isPart = part !== undefined && others.length === 0;
  const { start, end } = isPart ? part : { start: 0, end: size - 1 };
  const headers = {
    ...GUARD,
    'content-type': contentType,
    etag,
    'last-modified': modified.toUTCString(),
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
    ...(isPart && { 'content-range': `bytes ${start}-${end}/${size}` }),
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(isPart ? 206 : 200);
  const bytes = method === 'HEAD' ? undefined : content.read(start, end);
  if (bytes === undefined || Buffer.isBuffer(bytes)) response.end(bytes);
  else pipeline(bytes, response, () => {});
}

/** Answers with an XML `Error`, as the upload target does. */
function sendLinkError(error: UploadError, response: ServerResponse): void {
  const { req: request } = response;
  const requestId = String(response.getHeader('x-request-id') ?? randomUUID());
  const rawPath = decode((request.url ?? '').split('?', 1)[0] as string);
  const { status, headers = {}, body } = error[toAnswer]({ request, requestId, rawPath });
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  const text = String(body);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(status).end(text);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
