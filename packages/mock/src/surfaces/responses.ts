/** What all surfaces send and log: CORS, errors that no router sends, and why a call was rejected. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type Cors,
  createCors,
  HttpError,
  hasResponse,
  notAllowed,
  splitTarget,
  toWireForm,
} from '@berth/server-stubs/contract';
import {
  type Call,
  type Listener,
  type TableRouterOptions,
  toResponse,
} from '@berth/server-stubs/runtime';
import { callOf, findCall, ROUTER_HOOKS } from '../call.ts';
import type { ResolvedOptions } from '../options.ts';
import {
  type SurfaceError,
  type SurfaceName,
  toChallenge,
  toErrorWithCode,
  toSurfaceError,
} from '../surface.ts';

export function corsOf({ cors, wireProfile }: ResolvedOptions, surface: SurfaceName): Cors {
  return createCors(surface, wireProfile, cors);
}

export function toRouterOptions({ cors, wireProfile }: ResolvedOptions) {
  return { cors, wireProfile, ...ROUTER_HOOKS };
}

/** Options of the routers that only follow a document: those of added operations, and of standalone documents. */
export function toTableOptions(options: ResolvedOptions, surface: SurfaceName): TableRouterOptions {
  const cors = corsOf(options, surface);
  return {
    ...ROUTER_HOOKS,
    respondToOptions: ({ request }) => ({
      status: 204,
      headers: allowMethods(cors.preflight(request.headers), [...METHODS, 'OPTIONS']),
    }),
    headers({ request, requestId }) {
      const common = cors.response(request.headers.origin);
      const exposed = `${common['access-control-expose-headers']}, *`;
      return { ...common, 'access-control-expose-headers': exposed, 'x-request-id': requestId };
    },
  };
}

/** Responds to a preflight, or rejects the method, if a draft adds methods to a path. */
export function handleOtherMethods(methods: readonly string[], options: ResolvedOptions): Listener {
  return (request, response) => {
    const { surface, id } = callOf(request);
    const { method = '', headers } = request;
    if (method !== 'OPTIONS') {
      return sendError(toSurfaceError(surface, notAllowed(method, methods)), response, options);
    }
    const allowed = allowMethods(corsOf(options, surface).preflight(headers), methods);
    response.writeHead(204, { ...allowed, 'x-request-id': id }).end();
  };
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

function allowMethods(preflight: Readonly<Record<string, string>>, methods: readonly string[]) {
  const allow = methods.join(', ');
  return { ...preflight, allow, 'access-control-allow-methods': allow };
}

export const INTERNAL_ERROR = 'Internal error in the mock: see its warnings for details.';

/**
 * Sends an error without a router, in the format of its surface, and logs it as the reason. An error that does not
 * define its response is a bug in the mock.
 */
export function sendError(error: unknown, response: ServerResponse, options: ResolvedOptions) {
  const { req: request } = response;
  const call = findCall(request);
  const isBug = !hasResponse(error);
  if (isBug) process.emitWarning(error as Error);
  if (call === undefined || (isBug && response.headersSent)) return void response.destroy();
  const { surface, id: requestId } = call;
  const { path: rawPath } = splitTarget(request.url ?? '/');
  const responder = isBug ? toInternalError(surface) : error;
  const { status, headers, body } = responder[toResponse]({ request, requestId, rawPath } as Call);
  call.recordResponse(status, responder);
  // An invalid or aborted request may have ended the call, during a delay for example.
  if (response.headersSent) return;
  const text =
    typeof body === 'string' ? body : JSON.stringify(toWireForm(body, options.wireProfile));
  const all = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...corsOf(options, surface).response(request.headers.origin),
    ...toChallenge(surface, status, options.wireProfile),
    ...(isBug && { connection: 'close' }),
    ...headers,
  };
  // Node discards any unread part of the request's body.
  response.writeHead(status, all as OutgoingHttpHeaders).end(text);
}

function toInternalError(surface: SurfaceName): SurfaceError {
  const { code } = toSurfaceError(surface, new HttpError('handler-failed', ''));
  return toErrorWithCode(surface, code, { message: INTERNAL_ERROR });
}
