import type { IncomingMessage } from 'node:http';
import type { Call, CorsOptions } from '@berth/server-stubs';
import { type Cors, createCors } from '@berth/server-stubs/contract';
import {
  type ErrorWithResponse,
  type HandlerResponse,
  type HttpError,
  type RouterOptions,
  toResponse,
  UpgradeResponse,
} from '@berth/server-stubs/runtime';
import { isLoopbackOrigin } from '../host.ts';
import { describeError, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import type { SurfaceName } from '../surface.ts';

/** Returns the options that determine which pages may read a mock's responses. */
function toCors({ origins }: ResolvedOptions): CorsOptions {
  return { origins: origins?.includes('*') ? '*' : (origins ?? isLoopbackOrigin) };
}

export function corsOf(options: ResolvedOptions, surface: SurfaceName): Cors {
  return createCors(surface, options.wireProfile, toCors(options));
}

/** Options of the routers of the contract. */
export function toRouterOptions(options: ResolvedOptions) {
  return { cors: toCors(options), wireProfile: options.wireProfile, ...LOGGING };
}

/** What all routers tell the log. */
export const LOGGING = {
  requestId: (request: IncomingMessage) => recordOf(request).id,
  onFault(error: HttpError, { request, operationId }: Call) {
    const record = recordOf(request);
    record.operationId ??= operationId || undefined;
    // Other errors get a code and a message of the contract.
    if (error.violations.length > 0) record.reason = error.message;
    return error;
  },
  onError(error: unknown, { request }: Call) {
    // An aborted request is not a bug in the mock.
    if (request.complete) process.emitWarning(error as Error);
  },
  onResponse(
    { status }: HandlerResponse,
    { request, response, operationId }: Call,
    error?: ErrorWithResponse,
  ) {
    const record = recordOf(request);
    record.operationId ??= operationId || undefined;
    if (error instanceof Error) record.reason ??= describeError(error);
    if (response instanceof UpgradeResponse) record.status = status;
  },
};

/** Options of the routers that only follow a document: those of drafts, and of standalone documents. */
export function toDocumentOptions(
  options: ResolvedOptions,
  surface: SurfaceName,
  toError: (error: HttpError) => ErrorWithResponse = (error) => error,
): RouterOptions {
  const cors = corsOf(options, surface);
  return {
    ...LOGGING,
    headers: ({ request, requestId }) => ({
      ...cors.response(request.headers.origin),
      'access-control-expose-headers': '*',
      'x-request-id': requestId,
    }),
    toError: (error, call) => toPreflight(error, call, cors) ?? toError(error),
  };
}

/** Browsers must be able to read the error of an unknown path, too. */
function toPreflight({ headers }: HttpError, { request }: Call, cors: Cors) {
  if (request.method !== 'OPTIONS') return undefined;
  const preflight = cors.preflight(request.headers);
  const allow = headers.allow ?? preflight['access-control-allow-methods'];
  const allowed = { ...preflight, allow, 'access-control-allow-methods': allow };
  return { [toResponse]: () => ({ status: 204, headers: allowed }) };
}
