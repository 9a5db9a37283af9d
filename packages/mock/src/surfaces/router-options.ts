import type { IncomingMessage } from 'node:http';
import type { Call, CorsOptions } from '@berth/server-stubs';
import { type Cors, createCors } from '@berth/server-stubs/contract';
import {
  type HandlerResponse,
  HttpError,
  type RouterOptions,
  toResponse,
  UpgradeResponse,
} from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { isLoopbackOrigin } from '../host.ts';
import { findReason, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import type { DocumentedSurface, SurfaceName } from '../surface.ts';

/** What the options of routers depend on. */
export interface RouterParts {
  readonly options: Pick<ResolvedOptions, 'origins'>;
  readonly profile: WireProfile;
}

/** Returns the options that determine which pages may read a mock's responses. */
function toCors({ origins }: Pick<ResolvedOptions, 'origins'>): CorsOptions {
  return { origins: origins?.includes('*') ? '*' : (origins ?? isLoopbackOrigin) };
}

export function corsOf({ profile, options }: RouterParts, surface: SurfaceName): Cors {
  return createCors(surface, profile, toCors(options));
}

export function toRouterOptions(
  context: RouterParts,
  words?: (error: HttpError, call: Call) => string | undefined,
) {
  return {
    cors: toCors(context.options),
    wireProfile: context.profile,
    requestId: (request: IncomingMessage) => recordOf(request).id,
    onFault(error: HttpError, call: Call) {
      const record = recordOf(call.request);
      record.operationId ??= call.operationId || undefined;
      // Other errors get a code and a message of the contract.
      if (error.violations.length > 0) record.reason = error.message;
      const message = words?.(error, call);
      if (message === undefined) return error;
      return new HttpError(error.kind, message, { ...error, cause: error.cause });
    },
    onError(error: unknown, { request }: Call) {
      // An aborted request is not a bug in the mock.
      if (request.complete) process.emitWarning(error as Error);
    },
    onResponse({ status, body }: HandlerResponse, { request, response, operationId }: Call) {
      const record = recordOf(request);
      record.operationId ??= operationId || undefined;
      if (status >= 400) record.reason ??= findReason(body);
      if (response instanceof UpgradeResponse) record.status = status;
    },
  };
}

/** Options for the router of a document that is a hosted service: the gateway adds the headers. */
export function toServiceOptions(parts: RouterParts): RouterOptions {
  const { cors: _, wireProfile: __, ...options } = toRouterOptions(parts);
  return options;
}

/** Options of the routers that only follow a document: those of drafts, and of documents beside the contract. */
export function toDocumentOptions(
  parts: RouterParts,
  surface: DocumentedSurface,
  toError: NonNullable<RouterOptions['toError']>,
): RouterOptions {
  const cors = corsOf(parts, surface);
  return {
    ...toServiceOptions(parts),
    headers: ({ request, requestId }) => ({
      ...cors.response(request.headers.origin),
      'access-control-expose-headers': '*',
      'x-request-id': requestId,
    }),
    toError: (error, call) => toPreflight(error, call, cors) ?? toError(error, call),
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
