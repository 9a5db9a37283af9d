import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { toAnswer, UploadError } from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { storageErrors } from '../contract/defaults.ts';
import { recordOf } from '../record/recorded-request.ts';
import { corsOf } from '../router-options.ts';
import { sendFile } from './send-file.ts';

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
