import { withBudget } from './budget.ts';
import type { ServiceOptions } from './call-options.ts';
import type { GatewayContext } from './context.ts';
import { networkError, optionsError } from './errors.ts';
import { type Sender, toRecord } from './fetch.ts';
import { discard } from './streams.ts';
import { isPage } from './urls.ts';

/** Options for `connect`. `signal` ends the handshake, or closes the open socket. Browsers cannot send `headers`. */
export interface ConnectOptions extends Omit<ServiceOptions, 'retry' | 'idempotent'> {
  /** Subprotocols, the preferred one first. Default: none. */
  readonly protocols?: readonly string[] | undefined;
}

/** Prefix of the subprotocol that holds the token of a browser. */
const BEARER_PROTOCOL = 'berth.bearer.';

/** How long to wait for the reason of a failed handshake, in milliseconds. */
const REASON_TIMEOUT = 5_000;

export async function connectSocket(context: GatewayContext, url: string, options: ConnectOptions) {
  const { sender, session } = context;
  const { protocols = [], ...callOptions } = options;
  const headers = { ...sender.headers, ...toRecord(options.headers) };
  const request = { method: 'GET', url, headers, body: null };
  return withBudget(callOptions, sender.limits, request, async ({ signal }) => {
    let signed = await session?.sign(request);
    for (let isLast = false; ; isLast = true) {
      signal.throwIfAborted();
      const socket = createSocket(url, protocols, (signed ?? request).headers);
      const close = () => socket.close();
      signal.addEventListener('abort', close);
      socket.addEventListener('close', () => signal.removeEventListener('abort', close));
      try {
        await opened(socket);
        return socket;
      } catch (cause) {
        signal.throwIfAborted();
        await throwReason(context, url, { ...callOptions, headers, signal });
        // The call for the reason renews credentials that the gateway rejects.
        const renewed = await session?.sign(request);
        if (isLast || renewed?.renewals === signed?.renewals) {
          throw networkError('The WebSocket did not open', request, cause);
        }
        signed = renewed;
      }
    }
  });
}

/**
 * Asks why a handshake failed, because platforms hide its response. The gateway rejects a GET of the same path for the
 * same reason; if it forwards the GET, that does no harm (RFC 9110, section 9.2.1).
 */
async function throwReason(
  { fetch, toGatewayError }: GatewayContext,
  url: string,
  options: ServiceOptions,
): Promise<void> {
  const init = { ...options, timeout: REASON_TIMEOUT, retry: false } as const;
  const response = await fetch(url, init).catch(() => undefined);
  if (!response || response.ok) return discard(response?.body);
  const error = await toGatewayError(response, { url });
  if (error.kind === 'gateway') throw error;
}

function opened(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the platform does not report why'));
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', fail);
    socket.addEventListener('close', fail);
  });
}

function createSocket(
  url: string,
  protocols: readonly string[],
  headers: Sender['headers'],
): WebSocket {
  // In a page, a WebSocket cannot have headers.
  const init = isPage()
    ? [...protocols, ...toBearerProtocol(headers.authorization)]
    : ({ protocols, headers } as unknown as string[]);
  try {
    return new WebSocket(url.replace(/^http/, 'ws'), init);
  } catch (cause) {
    throw optionsError('The WebSocket did not open', cause);
  }
}

function toBearerProtocol(authorization: string | undefined): string[] {
  if (authorization === undefined) return [];
  // Only these characters are valid (RFC 6455, section 4.1), and the platform's error would quote the token.
  const [, token] = /^Bearer ([\w!#$%&'*+.^`|~-]+)$/.exec(authorization) ?? [];
  if (token) return [BEARER_PROTOCOL + token];
  throw optionsError('A browser WebSocket cannot send these credentials.');
}
