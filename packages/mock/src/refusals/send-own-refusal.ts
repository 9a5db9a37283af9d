import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCors } from '@berth/server-stubs';
import type { WireProfile } from '../contract/wire-profile.ts';
import type { FaultedCall } from '../faults/faulted-call.ts';
import { sendRefusal } from '../faults/send-refusal.ts';
import { CORS } from '../router-options.ts';
import type { SurfaceName } from '../surface-name.ts';
import { toRefusal } from './to-refusal.ts';

/** What the mock itself says in place of a deployment, by surface. */
export interface OwnRefusal {
  readonly code: Readonly<Record<SurfaceName, string>>;
  /** Default: that of the code. */
  readonly status?: number;
  readonly message: string;
}

/** Refuses a call in the shape of its surface. */
export function sendOwnRefusal(
  { code, status, message }: OwnRefusal,
  surface: SurfaceName,
  profile: WireProfile,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const error = toRefusal(surface, code[surface], {
    message,
    ...(status !== undefined && { status }),
  });
  const cors = createCors(surface, profile, CORS);
  sendRefusal(error, { request, cors, profile } as FaultedCall, response);
}
