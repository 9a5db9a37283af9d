import type { IncomingMessage } from 'node:http';
import type { Call, CorsOptions } from '@berth/server-stubs';
import { type Cors, createCors } from '@berth/server-stubs/contract';
import { type HandlerResponse, HttpError, UpgradeResponse } from '@berth/server-stubs/runtime';
import type { Context } from '../context.ts';
import type { SurfaceName } from '../contract/surface.ts';
import { isLoopbackOrigin } from '../host.ts';
import { findReason, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';

/** Returns the options that determine which pages may read a mock's responses. */
function toCors({ origins }: Pick<ResolvedOptions, 'origins'>): CorsOptions {
  return { origins: origins?.includes('*') ? '*' : (origins ?? isLoopbackOrigin) };
}

export function corsOf(
  { profile, options }: Pick<Context, 'profile' | 'options'>,
  surface: SurfaceName,
): Cors {
  return createCors(surface, profile, toCors(options));
}

export function toRouterOptions(
  context: Context,
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
