import type { IncomingMessage } from 'node:http';
import { findHostRefusal } from '../refusals/find-host-refusal.ts';
import type { OwnRefusal } from '../refusals/send-own-refusal.ts';
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
 * A call that this mock has passed on before has come round (RFC 9110, section 7.6.3). And no page whose
 * name leads to this machine is to reach a deployment that it cannot reach itself, whatever `origins` allows.
 */
export function findProxyRefusal(
  request: IncomingMessage,
  { via, context }: Pick<ProxyParts, 'via' | 'context'>,
): (OwnRefusal & { readonly status: number }) | undefined {
  if (request.headers.via?.includes(via)) {
    const message = 'The deployment is this mock itself: let --proxy lead to another address.';
    return { code: OUT_OF_REACH, status: 502, message };
  }
  return findHostRefusal(request, { host: context.options.host });
}
