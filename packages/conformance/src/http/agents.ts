import { type ClientRequest, Agent as HttpAgent, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { NetworkFault } from './health.ts';

interface AgentOptions {
  /** CA certificates (PEM) to trust instead of the default ones. */
  ca?: string | undefined;
  insecure?: boolean | undefined;
  /** URL of an HTTP proxy, with credentials if needed. */
  proxy?: string | undefined;
  /** Make all calls on one connection, as long as the target keeps it open. */
  keepAlive?: boolean | undefined;
}

export interface Agents {
  http: HttpAgent;
  https: HttpAgent;
  /**
   * A proxy that opens no tunnels to `http` targets. Such requests are sent to it with an absolute URL in the
   * request line. Set once that is known.
   */
  forwarder?: URL;
}

/**
 * Creates the agents for a run. Unless `keepAlive` is set, each call has its own connection: if the other side closed a kept-alive
 * connection at the wrong moment, nobody would be at fault, and a POST could not be retried safely.
 *
 * Calls through a proxy use a tunnel, even to `http` targets, because a proxy that forwards them may
 * rewrite paths and `Host`.
 */
export function createAgents({ ca, insecure, proxy, keepAlive = false }: AgentOptions): Agents {
  const plain = keepAlive ? { keepAlive, maxSockets: 1 } : { keepAlive };
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
    ...plain,
  };
  if (proxy === undefined) return { http: new HttpAgent(plain), https: new HttpsAgent(tls) };
  return { http: new Tunnel(proxy, plain), https: new Tunnel(proxy, tls) };
}

/** Thrown if the proxy refuses to open a tunnel. Its response proves nothing about the target. */
export class TunnelRefused extends NetworkFault {
  /** The proxy's status; 0 if it closed the connection. */
  readonly status: number;

  constructor(status: number) {
    const how = status === 0 ? 'closed the connection' : `responded to CONNECT with ${status}`;
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

  /** The base class uses the CAs only for the proxy, and forgets the address inside a tunnel. */
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
    request.once('proxyConnect', (response: { statusCode: number }) => {
      status = response.statusCode;
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

/**
 * Returns the name that a certificate must have: the host in the URL, whatever the `Host` header
 * contains. Returns an empty string for an IP address.
 */
export function toServerName(hostname: string): string {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}

/** Returns the options for a call to an `http` target through a forwarding proxy. */
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
