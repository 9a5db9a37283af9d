import { GatewayError } from '../errors/gateway-error.ts';
import { hostOf, isLoopback } from '../http/host.ts';
import type { EnvOption } from '../router-options.ts';
import type { Call } from '../runtime/index.ts';

/**
 * The environment that a call is for.
 *
 * D12: "The environment is the first label of the host name"; "A server of one environment also takes
 * any loopback host; an unknown environment is `INVALID_HOST`."
 *
 * @throws GatewayError INVALID_HOST
 */
export function envOf({ request }: Pick<Call, 'request'>, env: EnvOption | undefined): string {
  const host = hostOf(request);
  if (host === undefined) {
    throw new GatewayError('INVALID_HOST', {
      message: 'The header Host is missing, stands twice, or is no host name.',
    });
  }
  if (host !== lastHost) {
    lastHost = host;
    isLastOwn = isLoopback(host);
    lastLabel = isLastOwn ? host : (host.split('.', 1)[0] as string);
  }
  const isOwn = isLastOwn;
  const label = lastLabel;
  if (env === undefined) return label;
  if (typeof env === 'function') {
    if (env(label)) return label;
  } else if (isOwn || label === env.toLowerCase()) {
    return env;
  }
  throw new GatewayError('INVALID_HOST', {
    message: `The host ${host} belongs to no environment of this gateway.`,
  });
}

// Calls repeat themselves: most of those to one server name the same host.
let lastHost: string | undefined;
let lastLabel = '';
let isLastOwn = false;
