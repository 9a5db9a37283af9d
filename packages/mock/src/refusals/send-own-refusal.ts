import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import type { FaultedCall } from '../faults/faulted-call.ts';
import { sendRefusal } from '../faults/send-refusal.ts';
import { corsOf } from '../router-options.ts';
import type { SurfaceName } from '../surface-name.ts';
import { toRefusal } from './to-refusal.ts';

/** What the mock itself says in place of a deployment, by surface. */
export interface OwnRefusal {
  readonly code: Readonly<Record<SurfaceName, string>>;
  /** Default: that of the code. */
  readonly status?: number;
  readonly message: string;
}

/**
 * Refuses a call in the shape of its surface. The refusal of a preflight would be told to nobody: the call
 * that follows it is let come, and refused.
 */
export function sendOwnRefusal(
  { code, status, message }: OwnRefusal,
  surface: SurfaceName,
  context: Pick<Context, 'profile' | 'options'>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const cors = corsOf(context, surface);
  if (isPreflight(request)) {
    response.writeHead(204, {
      ...cors.preflight(request.headers.origin),
      // A browser that remembers it would not ask the deployment.
      'access-control-max-age': '0',
      'x-request-id': randomUUID(),
    });
    response.end();
    return;
  }
  const error = toRefusal(surface, code[surface], {
    message,
    ...(status !== undefined && { status }),
  });
  sendRefusal(error, { request, cors, profile: context.profile } as FaultedCall, response);
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
