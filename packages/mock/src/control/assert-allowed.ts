import type { IncomingMessage } from 'node:http';
import { originOf } from '../http/origin-of.ts';
import { isOwnHost } from '../routing/host.ts';
import { Problem } from './problem.ts';

/**
 * Keeps pages of other sites away from the control API.
 *
 * A page may let its own name lead to this machine (DNS rebinding), so only names are taken that nobody
 * else can have: loopback ones, the host that the mock listens on, and addresses where it listens on all.
 * And a browser says where a call comes from: only the mock's own pages may make one.
 *
 * @param listenHost the host that the mock was told to listen on
 * @throws Problem 421 for another host, 403 for another origin
 */
export function assertAllowed(request: IncomingMessage, listenHost: string): void {
  const origin = originOf(request);
  if (origin === undefined || !isOwnHost(new URL(origin).hostname, listenHost)) {
    throw new Problem(
      421,
      `Call the mock as localhost or by its address, not as ${nameOf(request)}.`,
      {
        field: 'Host',
      },
    );
  }
  const { headers, method } = request;
  const site = headers['sec-fetch-site'];
  // A person who opens an address, or follows a link to it, may read it.
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && method === 'GET';
  const isForeign = site !== undefined && site !== 'same-origin' && !isVisit;
  if (isForeign || (headers.origin !== undefined && headers.origin !== origin)) {
    throw new Problem(403, 'Pages of other origins may not use the control API.', {
      field: isForeign ? 'Sec-Fetch-Site' : 'Origin',
    });
  }
}

function nameOf({ headers }: IncomingMessage): string {
  return headers.host === undefined ? 'nothing' : JSON.stringify(headers.host.slice(0, 100));
}
