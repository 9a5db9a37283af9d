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

const PROXIES = [
  ['proxy', '--proxy'],
  ['proxyGateway', '--proxy-gateway'],
  ['proxyStorage', '--proxy-storage'],
] as const;

/**
 * The addresses of a deployment; undefined where none is given.
 *
 * @throws TypeError with a sentence for the user
 */
export function toProxyOption(flags: ProxyFlags): ProxyTargets | undefined {
  const { proxy, proxyGateway: gateway = proxy, proxyStorage: storage = proxy } = flags;
  if (flags.replay !== undefined) {
    const given = PROXIES.filter(([name]) => flags[name] !== undefined).map(([, flag]) => flag);
    if (given.length > 0) {
      throw new TypeError(`--replay needs no deployment: leave out ${given.join(', ')}.`);
    }
  }
  if (gateway !== undefined && storage !== undefined) {
    return toProxyTargets(
      { gateway, storage },
      {
        gateway: flags.proxyGateway === undefined ? '--proxy' : '--proxy-gateway',
        storage: flags.proxyStorage === undefined ? '--proxy' : '--proxy-storage',
      },
    );
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
