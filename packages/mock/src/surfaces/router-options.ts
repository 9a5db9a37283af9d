import type { IncomingMessage } from 'node:http';
import type { Call, CorsOptions, HttpError } from '@berth/server-stubs';
import { type Cors, createCors } from '@berth/server-stubs/contract';
import { type HandlerResponse, UpgradeResponse } from '@berth/server-stubs/runtime';
import type { Context } from '../context.ts';
import type { SurfaceName } from '../contract/surface.ts';
import type { ResolvedOptions } from '../options.ts';
import { recordOf } from '../session/call-record.ts';
import { isLoopbackOrigin } from '../util/host.ts';
import { createRefusalExplainer } from './explain-refusal.ts';

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
    // For a delayed call, the log has already sent it.
    requestId: (request: IncomingMessage) => recordOf(request).id || undefined,
    onFault: createRefusalExplainer(words),
    onError(error: unknown, { request }: Call) {
      // An aborted request is not a bug in the mock.
      if (request.complete) process.emitWarning(error as Error);
    },
    onResponse({ status }: HandlerResponse, { request, response, operationId, requestId }: Call) {
      const record = recordOf(request);
      record.operationId ??= operationId || undefined;
      record.id = requestId;
      if (response instanceof UpgradeResponse) record.status = status;
    },
  };
}
