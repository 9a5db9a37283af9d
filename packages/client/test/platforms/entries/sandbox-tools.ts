import type { OpenWebSocket } from '@berth/client';
import type { Tools } from '../platform-case.ts';

/** WebSockets in browsers and Workers take no headers, so the token is sent as a subprotocol (D14). */
const openWebSocket: OpenWebSocket = (url, protocols, { authorization = '' }) =>
  new WebSocket(url, [...protocols, authorization.replace('Bearer ', 'berth.bearer.')]);

/** What a page and a Worker provide. */
export const SANDBOX_TOOLS: Tools = {
  openWebSocket,
  // Whatever a program adds, the platform ignores it.
  trustingFetch: (ca) => (url, init) =>
    fetch(url, { ...init, tls: { ca }, client: {}, dispatcher: {} } as RequestInit),
  // Throws if it is used in any way.
  createAgent: () =>
    new Proxy(
      {},
      {
        get(_, property) {
          throw new Error(`The agent was asked for ${String(property)}.`);
        },
      },
    ),
};
