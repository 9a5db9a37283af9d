import {
  createGatewayRouter,
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayInput,
  type GatewayRouter,
  type HttpError,
  type WebSocketHandler,
} from '@berth/server-stubs';
import { type EnvOption, isLoopback } from '@berth/server-stubs/contract';
import type { Context } from '../context.ts';
import { recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { readPreferences } from '../prism/preferences.ts';
import { unknownService } from '../services/service.ts';
import type { Auth } from './auth.ts';
import { respondByPrism } from './documented.ts';
import { toRouterOptions } from './router-options.ts';

/** The built-in service that Prism answers with the examples of the contract, unless the user defines it. */
const HELLO = 'hello';

/** Creates the gateway. Hosted services respond to their calls, and Prism to those of `hello`. */
export function createGateway(context: Context, auth: Auth): GatewayRouter {
  const { services, contract, profile } = context;

  /** @returns undefined for `hello` */
  async function findService({ name }: GatewayInput, { request, operationId }: GatewayCall) {
    const record = recordOf(request);
    record.service = name;
    record.operationId = operationId;
    const service = await services.find(name);
    if (service !== undefined || name === HELLO) return service;
    throw unknownService(name, [HELLO, ...services.names()]);
  }

  const call: GatewayHandler = async (input, call) => {
    const service = await findService(input, call);
    // A service that is a document chooses from its responses itself.
    const preferences = service?.isDocument
      ? undefined
      : readPreferences(call.request.headers.prefer);
    if (service === undefined || preferences !== undefined) {
      return respondByPrism(contract.prism, call, 'gateway', profile, preferences);
    }
    return service.call(input, call);
  };

  const webSocket: WebSocketHandler = async (input, call) => {
    const service = await findService(input, call);
    if (service === undefined) {
      const message = `The built-in service ${HELLO} has no WebSocket: use echo.`;
      throw new GatewayError('SYS_ERR', { status: 501, message });
    }
    const { open = service.call } = service;
    const response = await open(input, call);
    recordOf(call.request).status = response.status;
    return response;
  };

  return contract.extend(
    createGatewayRouter(
      { call, webSocket },
      {
        ...toRouterOptions(context, toWords),
        env: toEnvOption(context.options),
        security: auth.gateway,
      },
    ),
  );
}

function toWords({ kind }: HttpError): string | undefined {
  return kind === 'unauthorized'
    ? 'The Authorization header must be "Bearer <ACCESS_TOKEN>" or a TC3-HMAC-SHA256 signature.'
    : undefined;
}

/**
 * Returns the router option for the hosts that belong to the mock's environment. D12: "a server with
 * a single environment also accepts any loopback host". A mock that is exposed to the network also accepts any IP
 * address, because it does not know which one callers use.
 */
function toEnvOption({ env, host }: Pick<ResolvedOptions, 'env' | 'host'>): EnvOption {
  if (isLoopback(host)) return env;
  const labels = [env, host.split('.', 1)[0]].map((label) => label?.toLowerCase());
  // The router passes the first label, or a complete loopback host.
  return (label) =>
    labels.includes(label.toLowerCase()) || isLoopback(label) || /^(\d{1,3}$|\[)/.test(label);
}
