import type { Exchange } from '../../http/exchange.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { jsonPost } from './gateway-methods.ts';

/** An error of the gateway itself. */
export interface Provoked {
  /** Names the case: `GET of a missing service` */
  what: string;
  exchange: Exchange;
}

/**
 * Makes calls that the contract has the gateway refuse, none of which a service answers, and returns
 * the answers that are refusals. Without any the check is not reached.
 */
export async function provokeErrors(t: Trial): Promise<Provoked[]> {
  const service = t.uniqueName();
  const { forbiddenService } = t.settings;
  const calls: Record<string, GatewayCall> = {
    'GET of a missing service': { service },
    'GET of a path of a missing service': { service, path: '/a/b?c=d' },
    'POST to a missing service': { service, ...jsonPost },
    'GET without credentials': { service, credentials: 'none' },
    'POST without credentials': { service, ...jsonPost, credentials: 'none' },
    'GET with a wrong token': { service, credentials: { Authorization: 'Bearer wrong' } },
    'GET with credentials of no scheme': { service, credentials: { Authorization: 'wrong' } },
    'GET of a name of one letter': { service: 'a' },
    'POST to a name that begins with a digit': { service: `1${service}`, ...jsonPost },
    ...(forbiddenService ? { 'GET of the forbidden service': { service: forbiddenService } } : {}),
  };
  const provoked: Provoked[] = [];
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    if (status >= 400) provoked.push({ what, exchange });
  }
  t.reach(provoked.length > 0, 'the gateway refuses nothing');
  return provoked;
}
