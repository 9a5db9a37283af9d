/** What all surfaces send and log: CORS, errors before a call or instead of one, and why a call was rejected. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { CorsOptions } from '@berth/server-stubs';
import {
  type Cors,
  createCors,
  hasResponse,
  notAllowed,
  splitTarget,
  toWireForm,
} from '@berth/server-stubs/contract';
import { type Listener, type RouterOptions, toResponse } from '@berth/server-stubs/runtime';
import { CALLS_BY_REQUEST, callOf, ROUTER_HOOKS } from '../call.ts';
import { isLoopbackOrigin } from '../host.ts';
import type { ResolvedOptions } from '../options.ts';
import { type SurfaceError, type SurfaceName, toChallenge, toErrorOfKind } from '../surface.ts';

export function toCors({ origins }: ResolvedOptions): CorsOptions {
  return { origins: origins?.includes('*') ? '*' : (origins ?? isLoopbackOrigin) };
}

export function corsOf(options: ResolvedOptions, surface: SurfaceName): Cors {
  return createCors(surface, options.wireProfile, toCors(options));
}

export function toRouterOptions(options: ResolvedOptions) {
  return { cors: toCors(options), wireProfile: options.wireProfile, ...ROUTER_HOOKS };
}

/** Options of the routers that only follow a document: those of added operations, and of standalone documents. */
export function toDocumentOptions(options: ResolvedOptions, surface: SurfaceName): RouterOptions {
  const cors = corsOf(options, surface);
  return {
    ...ROUTER_HOOKS,
    headers: ({ request, requestId }) => ({
      ...cors.response(request.headers.origin),
      'access-control-expose-headers': '*',
      'x-request-id': requestId,
    }),
  };
}

/** Responds to a preflight or a wrong method. Without `methods`, the path is unknown, but browsers must be able to read the 404. */
export function respondToOtherMethods(methods: string[], options: ResolvedOptions): Listener {
  return (request, response) => {
    const { surface, id } = callOf(request);
    const { method = '', headers } = request;
    if (method !== 'OPTIONS') {
      const error = toErrorOfKind(surface, 'method-not-allowed', notAllowed(method, methods));
      return sendError(error, response, options);
    }
    const preflight = corsOf(options, surface).preflight(headers);
    const allow = methods.join(', ') || preflight['access-control-allow-methods'];
    const allowed = { allow, 'access-control-allow-methods': allow };
    response.writeHead(204, { ...preflight, ...allowed, 'x-request-id': id }).end();
  };
}

/** Sends an error without a router, in the format of its surface, and logs it as the reason. */
function sendError(error: SurfaceError, response: ServerResponse, options: ResolvedOptions): void {
  const { req: request } = response;
  const { wireProfile } = options;
  const { surface, id: requestId } = callOf(request);
  const { path: rawPath } = splitTarget(request.url ?? '/');
  const sent = error[toResponse]({ request, requestId, rawPath });
  ROUTER_HOOKS.onResponse(sent, { request }, error);
  // An invalid or aborted request may have ended the call, during a delay for example.
  if (response.headersSent) return;
  const { body } = sent;
  const text = typeof body === 'string' ? body : JSON.stringify(toWireForm(body, wireProfile));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...corsOf(options, surface).response(request.headers.origin),
    ...toChallenge(surface, sent.status, wireProfile),
    ...sent.headers,
  };
  response.writeHead(sent.status, headers as OutgoingHttpHeaders);
  // Node discards the rest of the request's body.
  response.end(text);
}

export const INTERNAL_ERROR = 'Internal error in the mock: see its warnings for details.';

/** Responds with an error that ended a call before its router. Any but a `SurfaceError` is a bug in the mock. */
export function sendFailure(error: unknown, response: ServerResponse, options: ResolvedOptions) {
  if (hasResponse(error)) return sendError(error as SurfaceError, response, options);
  process.emitWarning(error as Error);
  const call = CALLS_BY_REQUEST.get(response.req);
  if (call === undefined || response.headersSent || response.destroyed) {
    return void response.destroy();
  }
  response.setHeader('connection', 'close');
  const details = { status: 500, message: INTERNAL_ERROR };
  sendError(toErrorOfKind(call.surface, 'handler-failed', details), response, options);
}
