import type { Session } from './auth.ts';
import { BerthError, isBerthError, networkError } from './errors.ts';
import {
  type CallOptions,
  type Limits,
  type Send,
  toLimits,
  toRecord,
  withLimit,
} from './fetch.ts';
import type { GatewayErrors } from './gateway-errors.ts';
import { parseJson, readErrorText } from './payload.ts';

/** Options for `connect`. */
export interface ConnectOptions extends Pick<CallOptions, 'timeout'> {
  /** Ends the handshake, or closes the open socket. */
  readonly signal?: AbortSignal | undefined;
  /** Subprotocols, the preferred one first. Default: none. */
  readonly protocols?: readonly string[] | undefined;
  /** Headers to send with the handshake. Browsers cannot send any. */
  readonly headers?: RequestInit['headers'];
}

/** Prefix of the subprotocol that holds the token of a browser. */
const BEARER_PROTOCOL = 'berth.bearer.';

/** How long to wait for the reason of a failed handshake, in milliseconds. */
const REASON_TIMEOUT = 5_000;

interface Handshake {
  readonly url: string;
  readonly send: Send;
  readonly session: Session | undefined;
  readonly headers: RequestInit['headers'];
  readonly limits: Limits;
  readonly errors: GatewayErrors;
}

/** Opens a WebSocket. If its token may be outdated, retries once with a new one. */
export async function connectSocket(
  handshake: Handshake,
  options: ConnectOptions,
): Promise<WebSocket> {
  const { url, session } = handshake;
  const { protocols = [], signal: user, timeout } = options;
  const headers = { ...toRecord(handshake.headers), ...toRecord(options.headers) };
  const call = { method: 'GET', url, headers, body: null };
  const limits = toLimits({ timeout }, handshake.limits);
  return withLimit(limits, user, call, async ({ signal }) => {
    for (let isLast = false; ; isLast = true) {
      const signed = await session?.sign(call);
      signal.throwIfAborted();
      const sent = signed?.headers ?? headers;
      const socket = createSocket(url.replace(/^http/, 'ws'), protocols, sent);
      const close = () => socket.close();
      signal.addEventListener('abort', close);
      socket.addEventListener('close', () => signal.removeEventListener('abort', close));
      try {
        await opened(socket);
        return socket;
      } catch (cause) {
        signal.throwIfAborted();
        const reason = await findReason(handshake, sent, signal);
        const failure = reason.error ?? networkError('The WebSocket did not open', call, cause);
        // Without any response, the reason may be the token.
        const mayBeToken = reason.error ? reason.error.status === 401 : !reason.status;
        if (isLast || !mayBeToken || !signed) throw failure;
        // Without a network, there is no new token either, and the handshake is the better error.
        const isNew = session?.renew(signed, undefined).catch(() => false);
        if (!(await isNew)) throw failure;
      }
    }
  });
}

/**
 * Asks why a handshake failed, because platforms hide its response. The gateway rejects a GET of the same path for the
 * same reason; if it forwards the GET, that does no harm (RFC 9110, section 9.2.1).
 */
async function findReason(
  { url, send, errors }: Handshake,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly status?: number; readonly error?: BerthError }> {
  try {
    const limits = { timeout: REASON_TIMEOUT, retry: false, signal } as const;
    const response = await send(url, { ...limits, headers });
    const { status } = response;
    if (response.ok) {
      response.body?.cancel().catch(() => {});
      return { status };
    }
    const error = errors.toError(response, parseJson(await readErrorText(response)), {
      method: 'GET',
      url,
    });
    return isBerthError(error, 'gateway') ? { status, error } : { status };
  } catch {
    return {};
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the platform hides the reason'));
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', fail);
    socket.addEventListener('close', fail);
  });
}

function createSocket(
  url: string,
  protocols: readonly string[],
  headers: Readonly<Record<string, string>>,
): WebSocket {
  try {
    return new WebSocket(url, { protocols: [...protocols], headers } as unknown as string[]);
  } catch {
    // Browsers take the object for the name of a subprotocol, and throw.
    return new WebSocket(url, [...protocols, ...toBearerProtocol(headers.authorization)]);
  }
}

/** Returns a token as a subprotocol. */
function toBearerProtocol(authorization: string | undefined): string[] {
  if (authorization === undefined) return [];
  // Only these characters are valid (RFC 6455, section 4.1), and the platform's error would quote the token.
  const [, token] = /^Bearer ([\w!#$%&'*+.^`|~-]+)$/.exec(authorization) ?? [];
  if (token) return [BEARER_PROTOCOL + token];
  throw new BerthError('options', 'In a browser, only a JWT can be sent with a WebSocket.');
}
