import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { UploadRouterOptions } from '@berth/server-stubs';
import {
  createCors,
  decodeText,
  splitTarget,
  toResponse,
  UploadError,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import { toWireProfile } from '@berth/spec/wire-profile';
import type { Download } from '../download.ts';
import { FILES_PATH } from '../options.ts';

export interface DownloadListenerOptions extends Pick<UploadRouterOptions, 'cors' | 'wireProfile'> {
  /** The `download` function of a storage API. */
  readonly download: (
    request: IncomingMessage,
    requestId: string,
    send: (download: Download) => Promise<void>,
  ) => Promise<void>;
  /** Returns the request ID. Default: a new UUID. */
  readonly requestId?: ((request: IncomingMessage) => string | undefined) | undefined;
  /** Called with the error of each rejected download. Must not throw. */
  readonly onRejected?: ((error: UploadError, response: ServerResponse) => void) | undefined;
}

/**
 * Creates the listener for links, for Express and `node:http`. It passes any path that does not start with
 * `/files/` to `next`, if there is one.
 *
 * @example
 * app.use(createDownloadListener({ download }));
 */
export function createDownloadListener(options: DownloadListenerOptions) {
  const { download, onRejected } = options;
  const cors = createCors('link', toWireProfile(options.wireProfile), options.cors);
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    next?: () => void,
  ): Promise<void> => {
    const { method, headers, url = '' } = request;
    const { path } = splitTarget(url);
    if (next !== undefined && !path.startsWith(`${FILES_PATH}/`)) return next();
    const requestId = options.requestId?.(request) ?? randomUUID();
    setHeaders(response, { 'x-request-id': requestId });
    if (method === 'OPTIONS') {
      // OPTIONS is the CORS preflight (D11).
      const preflight = cors.preflight(headers);
      const allow = preflight['access-control-allow-methods'];
      response.writeHead(204, { ...preflight, allow }).end();
      return;
    }
    setHeaders(response, cors.response(headers.origin));
    try {
      await download(request, requestId, (found) => send(found, response));
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      const rejection =
        error instanceof UploadError ? error : new UploadError('InternalError', { cause: error });
      onRejected?.(rejection, response);
      const result = rejection[toResponse]({ requestId, rawPath: decodeText(path) ?? path });
      setHeaders(response, { ...result.headers, 'cache-control': 'no-store' });
      response.statusCode = result.status;
      response.end(method === 'HEAD' ? undefined : result.body);
    }
  };
}

async function send(
  { status, headers, blob, range }: Download,
  response: ServerResponse,
): Promise<void> {
  if (response.destroyed) return blob?.close();
  response.statusCode = status;
  setHeaders(response, headers);
  try {
    if (blob?.sendTo !== undefined) return await blob.sendTo(response, range);
    const content = blob?.read(range);
    const isStream = content !== undefined && !(content instanceof Uint8Array);
    // With `end: false`, a failure before the first chunk leaves the response intact.
    if (isStream) await pipeline(content, response, { end: false });
    response.end(isStream ? undefined : content);
  } catch (error) {
    if (isDisconnect(error, response)) return;
    // These headers describe the file, not the error response.
    if (!response.headersSent) for (const name in headers) response.removeHeader(name);
    throw error;
  }
}

function setHeaders(response: ServerResponse, headers: HandlerResponse['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

/** The code alone is not enough: a store may fail with it before anything is sent. */
function isDisconnect(error: unknown, { destroyed }: ServerResponse): boolean {
  return destroyed && (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
