/** What is sent in place of a router: errors before a call, or instead of one. */
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Call } from '@berth/server-stubs';
import { toResponse } from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';
import { rawPathOf, toHostAdvice } from './host.ts';
import { type CallRecord, describeError, type RecordedRequest } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import {
  type SurfaceError,
  type SurfaceName,
  surfaceErrorFor,
  toFetchResponse,
} from './surface.ts';
import { corsOf } from './surfaces/router-options.ts';

/** Refuses a call with an error of its surface, which is logged as the reason. */
export function refuse(
  error: SurfaceError,
  record: CallRecord,
  response: ServerResponse,
  options: ResolvedOptions,
): Promise<void> {
  const { surface, id: requestId } = record;
  const { req: request } = response;
  record.reason = describeError(error);
  record.status = error.status;
  const headers = {
    ...corsOf(options, surface).response(request.headers.origin),
    ...(error.status === 401 && { 'www-authenticate': toChallenge(surface, options.wireProfile) }),
  };
  const rawPath = rawPathOf(request.url ?? '/');
  const result = error[toResponse]({ request, requestId, rawPath } as Call);
  // Node discards the rest of the request's body.
  return writeResponse(response, toFetchResponse(result, headers, request, options.wireProfile));
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
): Promise<void> {
  const message = toHostAdvice(response.req);
  const error = surfaceErrorFor('host', record.surface, { status: 421, message });
  return refuse(error, record, response, options);
}

export const INTERNAL_ERROR = 'Internal error in the mock: see its warnings for details.';

/** Ends a call after an internal error, in the format of its surface. */
export function fail(error: Error, response: ServerResponse, options: ResolvedOptions): void {
  process.emitWarning(error);
  const { record } = response.req as RecordedRequest;
  if (record === undefined || response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.setHeader('connection', 'close');
  const failure = surfaceErrorFor('failed', record.surface, {
    status: 500,
    message: INTERNAL_ERROR,
  });
  void refuse(failure, record, response, options);
}

/** Writes a Fetch response with a small body. */
export async function writeResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
): Promise<void> {
  const content = body === null ? undefined : await buffer(body);
  response.statusCode = status;
  response.setHeaders(headers);
  response.end(content);
}
