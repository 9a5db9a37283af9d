import { BerthError, type GatewayError } from '../errors.ts';
import { readPayload } from '../internal/check-payload.ts';
import type { Step } from '../internal/deadline.ts';
import { networkFailure, rememberCall } from '../internal/failures.ts';
import type { Pipeline, PipelineCall } from '../internal/pipeline.ts';
import type { ConnectOptions, OpenWebSocket } from './service.ts';

/** Prefix of the subprotocol that contains a browser's token (D14). */
const BEARER_PROTOCOL = 'berth.bearer.';

/** Maximum length of a refusal's body to keep, in characters. */
const MAX_REFUSAL = 65_536;

/** How long to wait for the reason of a failed handshake, in milliseconds. */
const REASON_LIMIT = 5_000;

interface Incoming extends AsyncIterable<string> {
  readonly statusCode?: number;
  readonly headers: object;
  setEncoding(encoding: 'utf8'): void;
}

/** A WebSocket from the ws package has more methods than the platform's. */
type Socket = WebSocket & {
  pause?(): void;
  resume?(): void;
  on?(event: 'unexpected-response', listener: (request: unknown, response: Incoming) => void): void;
};

/**
 * Opens a WebSocket with credentials. If that fails and the token may be outdated, tries again with a new
 * token.
 */
export async function connectSocket(
  pipeline: Pipeline,
  call: PipelineCall,
  { protocols = [] }: ConnectOptions,
  open: OpenWebSocket = openOnPlatform,
): Promise<WebSocket> {
  const deadline = pipeline.open(call);
  const address = call.url.replace(/^http/, 'ws');
  /** Returns the socket, or `undefined` if there are new credentials to try. */
  const tryOnce = async (step: Step, isLast: boolean) => {
    const signal = step.signal();
    const mark = pipeline.renewal.mark();
    const headers = await pipeline.sign(call);
    signal.throwIfAborted();
    const socket: Socket = open(address, [...protocols], headers);
    const close = () => socket.close();
    signal.addEventListener('abort', close);
    socket.addEventListener('close', () => signal.removeEventListener('abort', close));
    const described = pipeline.describe(call);
    let refusal: Response | undefined;
    try {
      await opening(socket, async (response) => {
        refusal = rememberCall(response, described);
        await readPayload(refusal);
        throw new Error(`the response status is ${refusal.status}`);
      });
      return socket;
    } catch (error) {
      const isHidden = !socket.on && !signal.aborted;
      const reason = isHidden ? await askForReason(pipeline, { ...call, headers, signal }) : error;
      const { source, status } = reason as Partial<GatewayError>;
      const isGateway = source === 'gateway';
      const failure =
        reason instanceof BerthError && (socket.on || isGateway)
          ? reason
          : networkFailure(described, error, 'The WebSocket did not open');
      // Without any response, the reason may have been a rejected token.
      const mayBeToken = isGateway ? status === 401 : isHidden && !status;
      if (isLast || !mayBeToken || call.headers.authorization) throw failure;
      const renewed = pipeline.renewal.renew(mark, refusal?.headers, headers);
      // If the client is offline, the function that returns the token fails as well, and its error is
      // more helpful.
      if (!(await renewed.catch(() => false))) throw failure;
      return undefined;
    }
  };
  const first = await deadline.step((step) => tryOnce(step, false));
  return first ?? ((await deadline.step((step) => tryOnce(step, true))) as WebSocket);
}

/**
 * Asks why a handshake failed, on a platform that hides its response. The gateway rejects a GET of the same
 * path for the same reason. If it forwards the GET instead, that does no harm: GET is safe (RFC 9110, section
 * 9.2.1).
 *
 * @param call the handshake, with its credentials
 * @returns the response if it is not an error, otherwise the error
 */
function askForReason(pipeline: Pipeline, call: PipelineCall): Promise<unknown> {
  const limited = { ...call, timeouts: { total: REASON_LIMIT }, retry: false } as const;
  return pipeline
    .send(limited, async (response) => {
      if (!response.ok) await readPayload(response);
      response.body?.cancel().catch(() => {});
      return response;
    })
    .catch((error) => error);
}

/**
 * Waits until a socket is open.
 *
 * @param reject creates the error for a response other than 101, on platforms that expose it
 */
function opening(socket: Socket, refuse: (response: Response) => Promise<never>) {
  return new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => {
      // The ws package may emit a first message before the promise has resolved.
      socket.pause?.();
      setTimeout(() => socket.resume?.());
      resolve();
    });
    socket.on?.('unexpected-response', (_, incoming) => {
      toResponse(incoming)
        .then(refuse)
        .catch(reject)
        .finally(() => socket.close());
    });
    const fail = ({ error }: { error?: unknown }) =>
      reject(error ?? new Error('the platform hides the reason'));
    socket.addEventListener('error', fail as () => void);
    socket.addEventListener('close', fail as () => void);
  });
}

async function toResponse(incoming: Incoming): Promise<Response> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const chunk of incoming) if (text.length < MAX_REFUSAL) text += chunk;
  const headers = new Headers(incoming.headers as Record<string, string>);
  return new Response(text || null, { status: incoming.statusCode ?? 502, headers });
}

function openOnPlatform(
  url: string,
  protocols: string[],
  headers: Record<string, string>,
): WebSocket {
  const { WebSocket } = globalThis;
  if (!WebSocket) throw new TypeError('This platform has no WebSocket: pass the webSocket option.');
  try {
    return new WebSocket(url, { protocols, headers } as unknown as string[]);
  } catch {
    // Platforms that only support subprotocols take the object for the name of one, and throw.
    return new WebSocket(url, [...protocols, ...toBearerProtocol(headers.authorization)]);
  }
}

/** Returns a token as the subprotocol `berth.bearer.<token>`, to send along with the real ones (D14). */
function toBearerProtocol(authorization: string | undefined): string[] {
  if (authorization === undefined) return [];
  // Checks that all characters are valid in a subprotocol (RFC 6455, section 4.1), because the
  // platform's error would quote the token.
  const [, token] = /^Bearer ([\w!#$%&'*+.^`|~-]+)$/.exec(authorization) ?? [];
  if (token) return [BEARER_PROTOCOL + token];
  throw new TypeError('On this platform, a WebSocket can only send JWTs.');
}
