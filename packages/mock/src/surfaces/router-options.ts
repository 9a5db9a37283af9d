import type { IncomingMessage } from 'node:http';
import {
  type Answer,
  type Call,
  type Cors,
  type CorsOptions,
  createCors,
  type Fault,
  type Violation,
} from '@berth/server-stubs';
import type { Context } from '../context.ts';
import type { SurfaceName } from '../contract/surface.ts';
import { FAULT_HEADER } from '../faults/do-faults.ts';
import type { ResolvedOptions } from '../options.ts';
import { recordOf } from '../session/call-record.ts';
import { isRecorded } from '../session/record-answer.ts';
import { isLoopbackOrigin } from '../util/host.ts';
import { SESSION_HEADER } from '../util/session-name.ts';
import { createFaultExplainer } from './explain-fault.ts';

/** Request headers of the mock itself; a browser asks for them in its preflight. */
const CORS = { headers: ['Prefer', SESSION_HEADER, FAULT_HEADER] };

/** Which pages may read the answers of a mock. */
function toCors({ origins }: Pick<ResolvedOptions, 'origins'>): CorsOptions {
  if (origins?.includes('*')) return { ...CORS, origins: '*' };
  return { ...CORS, origins: origins ?? isLoopbackOrigin };
}

/** The cross-origin headers of what the mock itself answers on a surface. */
export function corsOf(
  { profile, options }: Pick<Context, 'profile' | 'options'>,
  surface: SurfaceName,
): Cors {
  return createCors(surface, profile, toCors(options));
}

/** The routes of an own document; nothing where the surface is the contract's. */
export function toRoutes({ contract: { routes } }: Context, surface: SurfaceName) {
  const own = surface === 'gateway' ? routes.gateway : routes.storage;
  return own && { routes: own };
}

/** What the routers of all surfaces have in common. */
export function toRouterOptions(
  context: Context,
  surface: SurfaceName,
  words?: (fault: Fault, call: Call) => string | undefined,
) {
  return {
    cors: toCors(context.options),
    wireProfile: context.profile,
    ...toRoutes(context, surface),
    // Of a call that waits, the log has told it already.
    requestId: (request: IncomingMessage) => recordOf(request).id || undefined,
    // The mock says itself where one of its answers breaks the contract, and sends it all the same.
    responses: 'log' as const,
    onFault: createFaultExplainer(context, words),
    onViolation(violation: Violation, call: Call) {
      const record = recordOf(call.request);
      record.answerViolations = [...record.answerViolations, violation];
      process.emitWarning(
        `An answer of the mock (${surface}, ${call.operationId}) breaks the contract: ${violation.message}`,
        'MockWarning',
      );
    },
    onError(error: unknown, { request }: Call) {
      // A client that breaks off is no defect of the mock.
      if (request.complete) process.emitWarning(error as Error);
    },
    onAnswer({ status }: Answer, { request, response, operationId, requestId }: Call) {
      const record = recordOf(request);
      record.operationId ??= operationId || undefined;
      record.id = requestId;
      if (!isRecorded(response)) record.status = status;
    },
  };
}
