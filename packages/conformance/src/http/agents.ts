import { type ClientRequest, Agent as HttpAgent, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { NetworkFault } from './health.ts';

interface AgentOptions {
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
  https: HttpAgent;
  /**
   * A proxy that opens no tunnel to `http` targets: calls of those go to it with the whole URL in the
   * request line. Set where that was found out.
   */
  forwarder?: URL;
}

/**
 * Each call has a connection of its own: a kept one that the other side closes at the wrong moment
 * would be an error of nobody, and a POST could not be repeated without doubt.
 *
 * Calls through a proxy go through a tunnel, those to `http` targets too, because a proxy that forwards
 * them may write paths and `Host` anew.
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
    http: new Tunnel(proxy, { keepAlive: false }),
    https: new Tunnel(proxy, tls),
  };
}

/** The proxy opens no tunnel. What it answers says nothing about the target. */
export class TunnelRefused extends NetworkFault {
  /** Status of the proxy; 0 where it closed the connection. */
  readonly status: number;

  constructor(status: number) {
    const how = status === 0 ? 'closed the connection' : `answered CONNECT with ${status}`;
    super(`the proxy ${how}`, 'PROXY');
    this.status = status;
  }
}

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

class Tunnel extends HttpsProxyAgent<string> {
  readonly #tls: object;

  constructor(proxy: string, tls: object) {
    super(proxy, tls);
    this.#tls = tls;
  }

  /** Its parent uses the authorities for the proxy alone, and forgets the address inside a tunnel. */
  #complete(options: ConnectOptions): ConnectOptions {
    const { host = '' } = options;
    if (!options.secureEndpoint) return options;
    const checkIdentity = (name: string, certificate: PeerCertificate) =>
      checkServerIdentity(isIP(host) === 0 ? name : host, certificate);
    return { ...this.#tls, ...options, checkServerIdentity: checkIdentity };
  }

  override async connect(request: ClientRequest, options: ConnectOptions) {
    let status = 0;
    let isConnected = false;
    request.once('proxyConnect', (answer: { statusCode: number }) => {
      status = answer.statusCode;
    });
    try {
      const socket = await super.connect(request, this.#complete(options));
      isConnected = status === 200;
      if (isConnected) return socket;
      socket.destroy();
    } catch (error) {
      if (!/^Proxy connection ended/.test((error as Error).message)) throw error;
    }
    throw new TunnelRefused(status);
  }
}

/** Whom a certificate has to name: the host of the URL, whatever `Host` says. Addresses are no names. */
export function toServerName(hostname: string): string {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}

/** The options of a call to an `http` target, as they are sent to a proxy that forwards it. */
export function toForwarded<Options extends RequestOptions & { headers: string[] }>(
  options: Options,
  origin: string,
  proxy: URL,
): Options {
  const { username, password, protocol, hostname, port } = proxy;
  const pair = [username, password].map(decodeURIComponent).join(':');
  const credentials = `Basic ${Buffer.from(pair).toString('base64')}`;
  return {
    ...options,
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: origin + options.path,
    headers: [...options.headers, ...(username ? ['Proxy-Authorization', credentials] : [])],
    agent: false,
  };
}
