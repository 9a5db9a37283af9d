import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { INVALID, type SurfaceName, toRefusal } from '../contract/surface.ts';
import { sendRefusal } from '../faults/do-faults.ts';
import type { ResolvedOptions } from '../options.ts';
import { isLoopback, isOwnHost, originOf } from '../util/host.ts';
import { corsOf } from './router-options.ts';

/** Errors of the mock itself, in place of a deployment's, by surface. */
export interface OwnRefusal {
  readonly code: Readonly<Record<SurfaceName, string>>;
  /** Default: that of the code. */
  readonly status?: number;
  readonly message: string;
}

/**
 * Refuses a call in the format of its surface. A preflight is accepted, because its refusal would be visible
 * to nobody; the call that follows it is refused.
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
      // A browser that caches it would not ask the deployment.
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
 * Refuses a call with the host name of another site. A page may point its own host name at this machine (DNS
 * rebinding), and would then have the same origin as the mock: a mock that listens on this machine only
 * accepts no name that others can have, except those of `origins`.
 */
export function findHostRefusal(
  request: IncomingMessage,
  { host, origins = [] }: Partial<Pick<ResolvedOptions, 'origins'>> & { readonly host: string },
): (OwnRefusal & { readonly status: number }) | undefined {
  if (!isLoopback(host.toLowerCase()) || origins.includes('*')) return undefined;
  const name = nameOf(request);
  // A name without a dot belongs to the local network, such as that of a container.
  if (isOwnHost(name, host) || !name.includes('.')) return undefined;
  if (origins.some((origin) => new URL(origin).hostname === name)) return undefined;
  return {
    code: { ...INVALID, gateway: 'INVALID_HOST' },
    status: 421,
    message: `Call the mock as localhost or by its address, not as ${name}; or listen on that name with --host.`,
  };
}

/** Browsers also accept names that are not valid elsewhere, such as `a~b.example`. */
function nameOf(request: IncomingMessage): string {
  const origin = originOf(request);
  return origin === undefined ? (request.headers.host ?? '') : new URL(origin).hostname;
}

/**
 * Whether a call comes from a browser. It sends neither `Sec-Fetch-Site` to a name without TLS nor `Origin`
 * with a GET of the same origin, but always its own name.
 */
export function isFromBrowser({ headers }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true
  );
}
