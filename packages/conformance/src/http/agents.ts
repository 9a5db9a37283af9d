import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';

export interface Agents {
  http: HttpAgent;
  https: HttpAgent;
}

/**
 * Creates the agents for a run. Unless `keepAlive` is set, each call has its own connection: if the other side
 * closed a kept-alive connection at the wrong moment, nobody would be at fault, and a POST could not be retried
 * safely.
 *
 * @param ca certificates (PEM) to trust instead of the default ones
 * @param keepAlive make all calls on one connection, as long as the target keeps it open
 */
export function createAgents({
  ca,
  keepAlive = false,
}: {
  ca?: string | undefined;
  keepAlive?: boolean;
}): Agents {
  const options = keepAlive ? { keepAlive, maxSockets: 1 } : { keepAlive };
  return {
    http: new HttpAgent(options),
    https: new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }),
  };
}

/**
 * Returns the name that a certificate must have: the host in the URL, whatever the `Host` header
 * contains. Returns an empty string for an IP address.
 */
export function toServerName(hostname: string): string {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}
