import { GATEWAY_SERVER } from '../generated/contract.gen.ts';

/** Where the gateway is: an environment with the deployment's domain, or a whole base URL. */
export type GatewayAddress =
  | {
      /** Identifier of the environment, the first label of the host name (D12). */
      readonly envId: string;
      /** Domain of the deployment's gateway, such as `gateway.example.com`. */
      readonly gatewayDomain: string;
      readonly baseUrl?: undefined;
    }
  | {
      /** Whole address of the gateway, such as `http://127.0.0.1:4010`. It wins over `envId`. */
      readonly baseUrl: string;
      readonly envId?: string;
      readonly gatewayDomain?: string;
    };

/** The base URL of an address. */
export function toGatewayUrl({ baseUrl, envId, gatewayDomain }: GatewayAddress): string {
  if (baseUrl !== undefined) return baseUrl;
  // Anything but one label would send the credentials to another host.
  if (
    !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(envId ?? '') ||
    !/^[^/]+$/.test(gatewayDomain ?? '')
  ) {
    throw new TypeError('Give baseUrl, or a host as gatewayDomain and one label as envId.');
  }
  return GATEWAY_SERVER.replace('{envId}', envId).replace('{gatewayDomain}', gatewayDomain);
}
