/** What is sent in place of a router: errors before a call, or instead of one. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Call } from '@berth/server-stubs';
import { toResponse, toWireForm } from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';
import { hostNameOf } from './host.ts';
import { type CallRecord, describeError } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import { type Refusal, refusalFor, type SurfaceName } from './surface.ts';
import { corsOf } from './surfaces/router-options.ts';

/** Refuses a call with an error of its surface, which is logged as the reason. */
export function refuse(
  error: Refusal,
  record: CallRecord,
  response: ServerResponse,
  options: ResolvedOptions,
): void {
  const { surface, id } = record;
  record.reason = describeError(error);
  const headers = {
    ...corsOf(options, surface).response(response.req.headers.origin),
    ...(error.status === 401 && { 'www-authenticate': toChallenge(surface, options.wireProfile) }),
  };
  sendRefusal(error, response, options.wireProfile, headers, id);
}

/** RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field". */
function toChallenge(surface: SurfaceName, { storageHeaders }: WireProfile): string {
  return surface === 'storage'
    ? `ApiKey realm="mock", in="header", name="${storageHeaders.authorization}"`
    : 'Bearer realm="mock"';
}

/** Refuses a call with the host name of another site. */
export function refuseHost(
  record: CallRecord,
  response: ServerResponse,
  options: ResolvedOptions,
): void {
  const message = `Call the mock as localhost or by its IP address, not as ${hostNameOf(response.req)}, or listen on that name with --host.`;
  const error = refusalFor('host', record.surface, { status: 421, message });
  refuse(error, record, response, options);
}

/** Ends a call after an internal error, in the format of its surface. */
export function fail(
  error: Error,
  surface: SurfaceName,
  response: ServerResponse,
  profile: WireProfile,
): void {
  process.emitWarning(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const message = 'Internal error in the mock: see its warnings for details.';
  sendRefusal(refusalFor('failed', surface, { status: 500, message }), response, profile, CLOSE);
}

const CLOSE = { connection: 'close' };

/**
 * Sends an error. The request body is not read: Node discards the rest of it, so that the connection can be kept alive.
 *
 * @param headers those of every response on the surface
 */
function sendRefusal(
  error: Refusal,
  response: ServerResponse,
  profile: WireProfile,
  headers: OutgoingHttpHeaders = {},
  requestId: string = crypto.randomUUID(),
): void {
  const { req: request } = response;
  const rawPath = request.url?.split('?', 1)[0] ?? '/';
  const call = { request, requestId, rawPath } as unknown as Call;
  const { status, headers: errorHeaders, body } = error[toResponse](call);
  const text = typeof body === 'string' ? body : JSON.stringify(toWireForm(body, profile));
  const all = {
    'content-type': 'application/json',
    ...headers,
    ...errorHeaders,
    'content-length': Buffer.byteLength(text),
  };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(status).end(request.method === 'HEAD' ? undefined : text);
}
