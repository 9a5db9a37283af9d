import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';

export interface AgentOptions {
  /** Certificates (PEM) of the authorities to trust instead of the usual ones. */
  ca?: string | undefined;
  /** Take any certificate. */
  insecure?: boolean | undefined;
  /** URL of an HTTP proxy, with its credentials if it wants any. */
  proxy?: string | undefined;
}

/** The agents of a run, one for each protocol. */
export interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
}

/**
 * Each call has a connection of its own: a kept one that the other side closes at the wrong moment
 * would be an error of nobody, and a POST could not be repeated without doubt.
 */
export function createAgents({ ca, insecure, proxy }: AgentOptions): Agents {
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
    keepAlive: false,
  };
  if (proxy === undefined) {
    return { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent(tls) };
  }
  return {
    http: new HttpProxyAgent(proxy, { keepAlive: false }) as HttpAgent,
    https: new HttpsProxyAgent(proxy, tls) as unknown as HttpsAgent,
  };
}
