/** What all surfaces send and log: CORS, errors before a call or instead of one, and why a call was rejected. */
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { CorsOptions } from '@berth/server-stubs';
import {
  type Cors,
  createCors,
  hasResponse,
  notAllowed,
  splitTarget,
} from '@berth/server-stubs/contract';
import {
  type HandlerResponse,
  type Listener,
  type RouterOptions,
  toResponse,
} from '@berth/server-stubs/runtime';
import { isLoopbackOrigin } from '../host.ts';
import { LOGGING, type RecordedRequest, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { type SurfaceName, toFetchResponse } from './surface.ts';
import { type SurfaceError, toChallenge, toErrorOfKind } from './surface-errors.ts';

export function toCors({ origins }: ResolvedOptions): CorsOptions {
  return { origins: origins?.includes('*') ? '*' : (origins ?? isLoopbackOrigin) };
}

export function corsOf(options: ResolvedOptions, surface: SurfaceName): Cors {
  return createCors(surface, options.wireProfile, toCors(options));
}

export function toRouterOptions(options: ResolvedOptions) {
  return { cors: toCors(options), wireProfile: options.wireProfile, ...LOGGING };
}

/** Options of the routers that only follow a document: those of added operations, and of standalone documents. */
export function toDocumentOptions(options: ResolvedOptions, surface: SurfaceName): RouterOptions {
  const cors = corsOf(options, surface);
  return {
    ...LOGGING,
    headers: ({ request, requestId }) => ({
      ...cors.response(request.headers.origin),
      'access-control-expose-headers': '*',
      'x-request-id': requestId,
    }),
  };
}

/** Responds to a preflight or a wrong method. Without `methods`, the path is unknown, but browsers must be able to read the 404. */
export function allow(methods: readonly string[], options: ResolvedOptions): Listener {
  return (request, response) => {
    const { surface, id } = recordOf(request);
    const { method = '', headers } = request;
    if (method !== 'OPTIONS') {
      const error = toErrorOfKind(surface, 'method-not-allowed', notAllowed(method, methods));
      return send(error, response, options);
    }
    const preflight = corsOf(options, surface).preflight(headers);
    const allow = methods.join(', ') || preflight['access-control-allow-methods'];
    const allowed = { allow, 'access-control-allow-methods': allow };
    response.writeHead(204, { ...preflight, ...allowed, 'x-request-id': id }).end();
  };
}

/** Sends a response without a router, or an error of the call's surface, which is logged as the reason. */
export function send(
  sent: HandlerResponse | SurfaceError,
  response: ServerResponse,
  options: ResolvedOptions,
): Promise<void> {
  const { req: request } = response;
  const { surface, id: requestId } = recordOf(request);
  const headers = {
    ...corsOf(options, surface).response(request.headers.origin),
    ...toChallenge(surface, sent.status, options.wireProfile),
  };
  const { path: rawPath } = splitTarget(request.url ?? '/');
  const call = { request, requestId, rawPath };
  const result = hasResponse(sent) ? sent[toResponse](call) : sent;
  LOGGING.onResponse(result, { request }, sent);
  // Node discards the rest of the request's body.
  return writeResponse(response, toFetchResponse(result, headers, request, options.wireProfile));
}

export const INTERNAL_ERROR = 'Internal error in the mock: see its warnings for details.';

/** Ends a call after an internal error, in the format of its surface. */
export function sendInternalError(
  error: Error,
  response: ServerResponse,
  options: ResolvedOptions,
): void {
  process.emitWarning(error);
  const { record } = response.req as RecordedRequest;
  if (record === undefined || response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.setHeader('connection', 'close');
  const details = { status: 500, message: INTERNAL_ERROR };
  void send(toErrorOfKind(record.surface, 'handler-failed', details), response, options);
}

export async function writeResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
): Promise<void> {
  const content = body === null ? undefined : await buffer(body);
  // An invalid or aborted request may have ended the call, during a delay for example.
  if (response.headersSent) return;
  response.statusCode = status;
  response.setHeaders(headers);
  response.end(content);
}
