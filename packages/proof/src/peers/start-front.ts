import type { ConformanceOptions } from '@berth/conformance';
import type { MutatedRequest } from '../proxy/messages.ts';
import { type MutatingProxy, startMutatingProxy } from '../proxy/start-mutating-proxy.ts';

/**
 * Starts the host of the environment in front of a gateway. Other tools cannot call a server on this machine
 * by another host name.
 *
 * @param service hosted service that is called under every name. Default: the name decides
 */
export async function startFront(
  { gatewayUrl = '', gatewayHost = '' }: ConformanceOptions,
  service?: string,
): Promise<MutatingProxy> {
  const front = await startMutatingProxy();
  const hooks = {
    request(call: MutatedRequest) {
      if (!call.isGateway) return;
      call.headers.set('Host', gatewayHost);
      if (service) call.target = call.target.replace(/(?<=^\/v1\/cloudrun\/)[^/?]+/, service);
    },
  };
  front.setUp(() => gatewayUrl, hooks);
  return front;
}
