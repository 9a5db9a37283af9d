import type { IncomingMessage } from 'node:http';
import { originOf } from '../http/origin-of.ts';
import type { OwnRefusal } from '../refusals/send-own-refusal.ts';
import { INVALID } from '../refusals/to-refusal.ts';
import { isLoopback, isOwnHost } from '../routing/host.ts';
import type { ProxyParts } from './proxy-parts.ts';

/** By surface, that a deployment gives no answer. */
export const OUT_OF_REACH = {
  gateway: 'BAD_GATEWAY',
  storage: 'SERVICE_UNAVAILABLE',
  upload: 'ServiceUnavailable',
  link: 'ServiceUnavailable',
};

/**
 * Why a call is not to be passed on; undefined where it is.
 *
 * A call that this mock has passed on before has come round (RFC 9110, section 7.6.3). And a page may let
 * its own name lead to this machine (DNS rebinding), to reach a deployment that it cannot reach itself:
 * where the mock listens for this machine alone, it takes no name that others can have.
 */
export function findProxyRefusal(
  request: IncomingMessage,
  { via, context }: Pick<ProxyParts, 'via' | 'context'>,
): (OwnRefusal & { readonly status: number }) | undefined {
  if (request.headers.via?.includes(via)) {
    const message = 'The deployment is this mock itself: let --proxy lead to another address.';
    return { code: OUT_OF_REACH, status: 502, message };
  }
  const { host } = context.options;
  const origin = originOf(request);
  if (origin === undefined || !isLoopback(host)) return undefined;
  const { hostname } = new URL(origin);
  // A name without a dot is one of the local network, such as that of a container.
  if (isOwnHost(hostname, host) || !hostname.includes('.')) return undefined;
  return {
    code: { ...INVALID, gateway: 'INVALID_HOST' },
    status: 421,
    message: `Call the mock as localhost or by its address, not as ${hostname}; or listen on that name with --host.`,
  };
}
