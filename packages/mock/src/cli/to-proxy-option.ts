import { type ProxyTargets, toProxyTargets } from '../proxy/targets.ts';

/** What the command line says about proxies and recordings. */
export interface ProxyFlags {
  proxy?: string;
  proxyGateway?: string;
  proxyStorage?: string;
  record?: string;
  replay?: string;
  failOnViolations?: boolean;
}

/**
 * The addresses of a deployment; undefined where none is given.
 *
 * @throws TypeError with a sentence for the user
 */
export function toProxyOption(flags: ProxyFlags): ProxyTargets | undefined {
  const { proxy, proxyGateway: gateway = proxy, proxyStorage: storage = proxy } = flags;
  if (gateway !== undefined && storage !== undefined) {
    if (flags.replay !== undefined) {
      throw new TypeError('--replay needs no deployment: leave out --proxy.');
    }
    return toProxyTargets({ gateway, storage });
  }
  if (gateway !== undefined || storage !== undefined) {
    throw new TypeError(
      '--proxy-gateway and --proxy-storage belong together; --proxy is for both.',
    );
  }
  if (flags.record !== undefined) throw new TypeError('--record needs --proxy.');
  if (flags.failOnViolations) throw new TypeError('--fail-on-violations needs --proxy.');
  return undefined;
}
