import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { INVALID, type SurfaceName, toRefusal } from '../contract/surface.ts';
import { sendRefusal } from '../faults/do-faults.ts';
import type { ResolvedOptions } from '../options.ts';
import { isLoopback, isOwnHost, originOf } from '../util/host.ts';
import { corsOf } from './router-options.ts';

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
  sendRefusal(error, { request, cors, profile: context.profile }, response);
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Refuses a call under the name of another site. A page may let its own name lead to this machine (DNS
 * rebinding), and would be of the same origin as the mock: one that listens for this machine alone takes
 * no name that others can have, except those of `origins`.
 */
export function findHostRefusal(
  request: IncomingMessage,
  { host, origins = [] }: Partial<Pick<ResolvedOptions, 'origins'>> & { readonly host: string },
): (OwnRefusal & { readonly status: number }) | undefined {
  if (!isLoopback(host.toLowerCase()) || origins.includes('*')) return undefined;
  const name = nameOf(request);
  // A name without a dot is one of the local network, such as that of a container.
  if (isOwnHost(name, host) || !name.includes('.')) return undefined;
  if (origins.some((origin) => new URL(origin).hostname === name)) return undefined;
  return {
    code: { ...INVALID, gateway: 'INVALID_HOST' },
    status: 421,
    message: `Call the mock as localhost or by its address, not as ${name}; or listen on that name with --host.`,
  };
}

/** Browsers also take names that are none of a host elsewhere, such as `a~b.example`. */
function nameOf(request: IncomingMessage): string {
  const origin = originOf(request);
  return origin === undefined ? (request.headers.host ?? '') : new URL(origin).hostname;
}

/**
 * Whether a browser made a call. It sends neither `Sec-Fetch-Site` to a name without TLS nor `Origin` with
 * a GET of the same origin, but always names itself.
 */
export function isFromBrowser({ headers }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true
  );
}
