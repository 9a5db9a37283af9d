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
import type { Auth } from './auth.ts';
import { preferencesOf, respondByPrism } from './documented.ts';
import { toRouterOptions } from './router-options.ts';

/** Creates the gateway. Hosted services respond to their calls, and Prism to all others. */
export function createGateway(context: Context, auth: Auth): GatewayRouter {
  const { services } = context;

  const call: GatewayHandler = (input, call) => {
    noteService(input, call);
    // A service that is a document has responses of its own to choose from.
    const isDocument = services.find(input.name)?.document !== undefined;
    const preferences = isDocument ? undefined : preferencesOf(call, 'gateway');
    const response = preferences ? undefined : services.respond(input, call);
    if (response !== undefined) return response;
    assertExists(input);
    return respondByPrism(context, call, 'gateway', preferences);
  };

  function assertExists({ name }: GatewayInput): void {
    if (services.has(name)) return;
    const known = services.names().join(', ') || 'none';
    throw new GatewayError('SERVICE_NOT_FOUND', {
      message: `The hosted service ${name} does not exist; this mock has: ${known}.`,
    });
  }

  const webSocket: WebSocketHandler = async (input, call) => {
    const record = noteService(input, call);
    const response = await services.open(input, call);
    if (response !== undefined) {
      record.status = response.status;
      return response;
    }
    assertExists(input);
    throw new GatewayError('SYS_ERR', {
      status: 501,
      message: `This mock does not define a WebSocket for the service ${input.name}.`,
    });
  };

  return context.contract.extend(
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

function noteService({ name }: GatewayInput, { request, operationId }: GatewayCall) {
  const record = recordOf(request);
  record.service = name;
  record.operationId = operationId;
  return record;
}

function toWords({ kind }: HttpError): string | undefined {
  return kind === 'unauthorized'
    ? 'The Authorization header must be "Bearer <ACCESS_TOKEN>" or a TC3-HMAC-SHA256 signature.'
    : undefined;
}

/**
 * Returns the router option for the hosts that belong to the mock's environment. D12: "a server that
 * has a single environment also accepts any loopback host". A mock that is exposed to the network also
 * accepts any IP address, because it does not know which one callers use.
 */
function toEnvOption({ env, host }: Pick<ResolvedOptions, 'env' | 'host'>): EnvOption {
  if (isLoopback(host)) return env;
  const own = [env, host.split('.', 1)[0]].map((label) => label?.toLowerCase());
  // The router passes the first label, or a complete loopback host.
  return (label) =>
    own.includes(label.toLowerCase()) || isLoopback(label) || /^(\d{1,3}$|\[)/.test(label);
}
