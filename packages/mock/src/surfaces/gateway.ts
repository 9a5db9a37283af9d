import {
  createGatewayRouter,
  type GatewayCall,
  type GatewayHandler,
  type GatewayInput,
  type GatewayRouter,
  type WebSocketHandler,
} from '@berth/server-stubs';
import { type EnvOption, HttpError, isLoopback } from '@berth/server-stubs/contract';
import type { Context } from '../context.ts';
import { recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Preferences, readPreferences } from '../prism/prism.ts';
import { type RunningService, unknownService } from '../services/service.ts';
import { GATEWAY_CREDENTIALS } from './auth.ts';
import { LOGGING, toRouterOptions } from './responses.ts';

/** The built-in service for which Prism responds with the examples of the contract, unless the user defines it. */
const HELLO = 'hello';

/** Creates the gateway. Hosted services respond to their calls, and Prism to those of `hello`. */
export function createMockGateway({ services, contract, options, auth }: Context): GatewayRouter {
  async function respondWithPrism(call: GatewayCall, preferences?: Preferences) {
    const { status, headers, content } = await contract.respond('gateway', call, preferences);
    return { status, headers, ...(content && { body: content }) };
  }

  const hello: RunningService = { call: (_, call) => respondWithPrism(call) };

  async function findService({ name }: GatewayInput, { request }: GatewayCall) {
    recordOf(request).identify(undefined, name);
    const service = (await services.find(name)) ?? (name === HELLO ? hello : undefined);
    if (service !== undefined) return service;
    throw unknownService(name, [HELLO, ...services.names()]);
  }

  const handle: GatewayHandler = async (input, call) => {
    const service = await findService(input, call);
    const { prefer } = call.request.headers;
    const preferences = service.handlesPrefer ? undefined : readPreferences(prefer);
    if (preferences === undefined) return service.call(input, call);
    return respondWithPrism(call, preferences);
  };

  const webSocket: WebSocketHandler = async (input, call) => {
    const service = await findService(input, call);
    const { upstreamStatus } = options.wireProfile.gatewayHeaders;
    return service.open?.(input, call, upstreamStatus) ?? service.call(input, call);
  };

  const router = createGatewayRouter(
    { call: handle, webSocket },
    {
      ...toRouterOptions(options),
      onFault(error, call) {
        LOGGING.onFault(error, call);
        if (error.kind !== 'unauthorized') return error;
        return new HttpError('unauthorized', GATEWAY_CREDENTIALS, error);
      },
      env: toEnvOption(options),
      security: auth.gateway,
    },
  );
  return contract.extend(router);
}

/**
 * Returns the router option for the hosts that belong to the mock's environment. D12: "a server with
 * a single environment also accepts any loopback host". A mock that is exposed to the network also accepts any IP
 * address, because it does not know which one callers use.
 */
function toEnvOption({ env, host }: ResolvedOptions): EnvOption {
  if (isLoopback(host)) return env;
  const labels = [env, host.split('.', 1)[0]].map((label) => label?.toLowerCase());
  // The router passes the first label, or a complete loopback host.
  return (label) =>
    labels.includes(label.toLowerCase()) || isLoopback(label) || /^(\d{1,3}$|\[)/.test(label);
}
