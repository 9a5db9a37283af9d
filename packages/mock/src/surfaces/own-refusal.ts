import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { type Reason, refusalFor, type SurfaceName, sendRefusal } from '../contract/surface.ts';
import type { ResolvedOptions } from '../options.ts';
import { isOwnHost, originOf } from '../util/host.ts';
import { corsOf } from './router-options.ts';

/** An error that comes from the mock itself rather than from a deployment. */
export interface OwnRefusal {
  readonly reason: Reason;
  readonly status: number;
  readonly message: string;
}

/**
 * Rejects a call in its surface's format. Preflights are accepted, because nobody would see why they were
 * rejected. The call that follows is rejected instead.
 */
export function sendOwnRefusal(
  { reason, status, message }: OwnRefusal,
  surface: SurfaceName,
  context: Pick<Context, 'profile' | 'options'>,
  response: ServerResponse,
): void {
  const { req: request } = response;
  const { origin } = request.headers;
  const cors = corsOf(context, surface);
  if (!isPreflight(request)) {
    const error = refusalFor(reason, surface, { status, message });
    sendRefusal(error, response, cors.response(origin));
    return;
  }
  response.writeHead(204, {
    ...cors.preflight(origin),
    // If a browser cached it, it would not ask the deployment.
    'access-control-max-age': '0',
    'x-request-id': randomUUID(),
  });
  response.end();
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Rejects a call with another site's host name. A page may point its own host name at this machine (DNS
 * rebinding) and would then have the same origin as the mock. A mock that listens only on this machine
 * therefore rejects every host name that another machine could have, unless it is in `origins`.
 */
export function findHostRefusal(
  request: IncomingMessage,
  { host, origins = [] }: Partial<Pick<ResolvedOptions, 'origins'>> & { readonly host: string },
): OwnRefusal | undefined {
  if (!isLoopback(host) || origins.includes('*')) return undefined;
  const name = nameOf(request);
  // A name without a dot belongs to the local network, for example a container's name.
  if (isOwnHost(name, host) || !name.includes('.')) return undefined;
  if (origins.some((origin) => new URL(origin).hostname === name)) return undefined;
  return {
    reason: 'host',
    status: 421,
    message: `Call the mock as localhost or by its IP address, not as ${name}, or listen on that name with --host.`,
  };
}

/** Browsers also accept names that are not valid elsewhere, such as `a~b.example`. */
function nameOf(request: IncomingMessage): string {
  const origin = originOf(request);
  return origin === undefined ? (request.headers.host ?? '') : new URL(origin).hostname;
}

/**
 * Returns whether a call comes from a browser. Without TLS, browsers do not send `Sec-Fetch-Site` to a
 * host name, and they do not send `Origin` with a same-origin GET, but they always send their
 * `User-Agent`.
 */
export function isFromBrowser({ headers }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true
  );
}
