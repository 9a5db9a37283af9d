import {
  createGatewayRouter,
  type GatewayCall,
  type GatewayInput,
  type GatewayRouter,
  type ServiceResponse,
} from '@berth/server-stubs';
import { type EnvOption, GatewayError, isLoopback, LIMITS } from '@berth/server-stubs/contract';
import { isIpAddress } from '../host.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Prism } from '../prism/prism.ts';
import type { Services } from '../services/create-services.ts';
import { omitMockHeaders } from '../services/run-code.ts';
import { unknownService } from '../services/service.ts';
import type { Auth } from './auth.ts';
import { prefersPrism, respondAsDocumented } from './respond.ts';
import { toRouterOptions } from './responses.ts';

/** Creates the gateway, whose calls are for hosted services. */
export function createMockGateway(
  options: ResolvedOptions,
  auth: Auth,
  prism: Prism,
  services: Services,
): GatewayRouter {
  async function handle(input: GatewayInput, call: GatewayCall, isUpgrade: boolean) {
    const running = await services.refresh();
    const service = running.get(input.name);
    if (!running.has(input.name)) {
      const names = [...running.keys()];
      throw unknownService(input.name, names, 'with --services or the services option');
    }
    const usesPrism = service === undefined || (!service.handlesPrefer && prefersPrism(call));
    if (usesPrism) return respondAsDocumented(prism, 'gateway', call);
    const forwarded = { ...input, headers: omitMockHeaders(input.headers), isUpgrade };
    return awaitService(call, (signal) => service.serve({ ...forwarded, signal }, call));
  }

  return createGatewayRouter(
    {
      // A service only opens a WebSocket if the caller asks for one.
      call: (input, call) => handle(input, call, false) as Promise<ServiceResponse>,
      webSocket: (input, call) => handle(input, call, true),
    },
    { ...toRouterOptions(options), env: toEnvOption(options), security: auth.gateway },
  );
}

/** D13: a service has a minute to send its response headers. The body has no time limit. */
async function awaitService<Value>(
  call: GatewayCall,
  serve: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> {
  // The caller may have disconnected while a changed file was read: listeners on an aborted signal are not called.
  call.signal.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => aborted.reject(signal.reason));
  call.signal.addEventListener('abort', () => controller.abort(call.signal.reason));
  const timer = setTimeout(
    () => controller.abort(new GatewayError('SERVICE_TIMEOUT')),
    LIMITS.gatewayHeadersSeconds * 1_000,
  );
  try {
    // If `serve` throws at once, the race must still handle a later abort.
    return await Promise.race([aborted.promise, (async () => serve(signal))()]);
  } finally {
    clearTimeout(timer);
  }
}

/** D12: "a server with a single environment also accepts any loopback host". See `isLocalName` about IP addresses. */
function toEnvOption({ env, host }: ResolvedOptions): EnvOption {
  if (isLoopback(host)) return env;
  const name = isIpAddress(host) ? env : host;
  const labels = [env, name.split('.', 1)[0]].map((label) => label?.toLowerCase());
  // The router passes the first label, or an entire address.
  return (label) => labels.includes(label.toLowerCase()) || isLoopback(label) || isIpAddress(label);
}
