import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '@berth/server-stubs/contract';

import type { Context } from '../context.ts';
import { refusalFor, type SurfaceName, sendRefusal } from '../contract/surface.ts';
import { isOwnHost, originOf } from '../util/host.ts';
import { corsOf } from './router-options.ts';

/**
 * Rejects a call from a browser with another site's host name. A page may point its own host name at this
 * machine (DNS rebinding) and would then have the same origin as the mock. A mock that listens only on this
 * machine therefore rejects every host name that another machine could have, unless it is in `origins`.
 * Preflights are accepted, because nobody would see why they were rejected. The call that follows is rejected
 * instead.
 *
 * @returns whether the call was rejected
 */
export function refuseForeignHost(
  request: IncomingMessage,
  surface: SurfaceName,
  context: Context,
  response: ServerResponse,
): boolean {
  const name = findForeignName(request, context.options);
  if (name === undefined) return false;
  const cors = corsOf(context, surface);
  if (isPreflight(request)) {
    // A browser that cached it would not ask again after the host has changed.
    const headers = { 'access-control-max-age': '0', 'x-request-id': randomUUID() };
    response.writeHead(204, { ...cors.preflight(request.headers), ...headers }).end();
    return true;
  }
  const message = `Call the mock as localhost or by its IP address, not as ${name}, or listen on that name with --host.`;
  const error = refusalFor('host', surface, { status: 421, message });
  sendRefusal(error, response, context.profile, cors.response(request.headers.origin));
  return true;
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function findForeignName(
  request: IncomingMessage,
  { host, origins = [] }: Context['options'],
): string | undefined {
  if (!isFromBrowser(request) || !isLoopback(host) || origins.includes('*')) return undefined;
  const name = nameOf(request);
  // A name without a dot belongs to the local network, for example a container's name.
  if (isOwnHost(name, host) || !name.includes('.')) return undefined;
  return origins.some((origin) => new URL(origin).hostname === name) ? undefined : name;
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
function isFromBrowser({ headers }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true
  );
}
