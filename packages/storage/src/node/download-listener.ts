import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { UploadRouterOptions } from '@berth/server-stubs';
import {
  createCors,
  decodeText,
  splitTarget,
  toResponse,
  type UploadError,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import { toWireProfile } from '@berth/spec/wire-profile';
import type { Download } from '../download.ts';
import { FILES_PATH } from '../grants.ts';
import { toUploadError } from '../store-errors.ts';

export interface DownloadListenerOptions extends Pick<UploadRouterOptions, 'cors' | 'wireProfile'> {
  /** The `download` function of a storage API. */
  readonly download: (request: IncomingMessage, response: ServerResponse) => Promise<Download>;
  /** Returns the request ID. Default: a new UUID. */
  readonly requestId?: ((request: IncomingMessage) => string | undefined) | undefined;
  /** Called with the error of each rejected download. Must not throw. */
  readonly onRejected?: ((error: UploadError, response: ServerResponse) => void) | undefined;
  /** Called with each store failure. Must not throw. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/**
 * Creates the listener for links, for Express and `node:http`. It passes any path that does not start with
 * `/files/` to `next`, if there is one.
 *
 * @example
 * app.use(createDownloadListener({ download, onError: console.error }));
 */
export function createDownloadListener(options: DownloadListenerOptions) {
  const { download, onError, onRejected } = options;
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
      await send(await download(request, response), response);
    } catch (error) {
      const rejection = toUploadError(error);
      // It is not an error if the client disconnects.
      if (rejection.cause !== undefined && !isDisconnect(rejection.cause)) {
        onError(rejection.cause, requestId);
      }
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
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
  if (blob === undefined) {
    response.end();
    return;
  }
  try {
    if (blob.sendTo !== undefined) return await blob.sendTo(response, range);
    const content = blob.read(range);
    if (content instanceof Uint8Array) response.end(content);
    else await pipeline(content, response);
  } catch (error) {
    // They describe the file, and not the error that is sent instead.
    if (!response.headersSent) for (const name in headers) response.removeHeader(name);
    throw error;
  }
}

function setHeaders(response: ServerResponse, headers: HandlerResponse['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

function isDisconnect(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
