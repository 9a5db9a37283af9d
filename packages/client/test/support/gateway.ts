import { createGatewayClient, type GatewayClientOptions } from '@berth/client';
import { fakeFetch } from './fake-fetch.ts';

/** Creates a gateway client for a server in a test, whose retries do not wait. */
export function gatewayAt(baseUrl: string, options: Partial<GatewayClientOptions> = {}) {
  return createGatewayClient({ retry: { delay: 1 }, ...options, baseUrl } as GatewayClientOptions);
}

/** Returns a hosted service of {@link gatewayAt}. */
export function serviceAt(
  baseUrl: string,
  options: Partial<GatewayClientOptions> = {},
  name = 'x',
) {
  return gatewayAt(baseUrl, options).service(name);
}

/** Creates a gateway client with prepared responses, and records its requests. */
export function gatewayWith(
  responses: (Response | Error)[],
  options: Partial<GatewayClientOptions> = {},
) {
  const { fetch, requests } = fakeFetch(...responses);
  const gateway = gatewayAt('https://g.example', { fetch, retry: false, ...options });
  return { gateway, service: gateway.service('x'), requests };
}
