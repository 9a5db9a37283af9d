import type { GatewayError } from '../errors.ts';
import { readPayload } from '../internal/check-payload.ts';
import type { Step } from '../internal/deadline.ts';
import { networkFailure } from '../internal/failures.ts';
import type { Pipeline, PipelineCall } from '../internal/pipeline.ts';
import type { ConnectOptions } from './service.ts';

/** Prefix of the subprotocol that contains a browser's token (D14). */
const BEARER_PROTOCOL = 'berth.bearer.';

/** How long to wait for the reason of a failed handshake, in milliseconds. */
const REASON_LIMIT = 5_000;

/**
 * Opens a WebSocket with credentials. If that fails and the token may be outdated, tries again with a new
 * token.
 */
export async function connectSocket(
  pipeline: Pipeline,
  call: PipelineCall,
  { protocols = [] }: ConnectOptions,
): Promise<WebSocket> {
  const deadline = pipeline.open(call);
  const address = call.url.replace(/^http/, 'ws');
  /** Returns the socket, or `undefined` if there are new credentials to try. */
  const tryOnce = async (step: Step, isLast: boolean) => {
    const signal = step.signal();
    const mark = pipeline.renewal.mark();
    const headers = await pipeline.sign(call);
    signal.throwIfAborted();
    const socket = openSocket(address, [...protocols], headers);
    const close = () => socket.close();
    signal.addEventListener('abort', close);
    socket.addEventListener('close', () => signal.removeEventListener('abort', close));
    try {
      await opening(socket);
      return socket;
    } catch (error) {
      const reason = signal.aborted
        ? undefined
        : await askForReason(pipeline, { ...call, headers, signal });
      const { source, status } = reason ?? {};
      const isGateway = source === 'gateway';
      const failure = isGateway
        ? reason
        : networkFailure(pipeline.describe(call), error, 'The WebSocket did not open');
      // Without any response, the reason may have been a rejected token.
      const mayBeToken = isGateway ? status === 401 : !signal.aborted && !status;
      if (isLast || !mayBeToken || call.headers.authorization) throw failure;
      const renewed = pipeline.renewal.renew(mark, undefined, headers);
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
 * Asks why a handshake failed, because platforms hide its response. The gateway rejects a GET of the same path
 * for the same reason. If it forwards the GET instead, that does no harm: GET is safe (RFC 9110, section 9.2.1).
 *
 * @param call the handshake, with its credentials
 * @returns the response if it is not an error, otherwise the error
 */
async function askForReason(
  pipeline: Pipeline,
  call: PipelineCall,
): Promise<Partial<GatewayError>> {
  const limited = { ...call, timeouts: { total: REASON_LIMIT }, retry: false } as const;
  try {
    return await pipeline.send(limited, async (response) => {
      if (!response.ok) await readPayload(response);
      response.body?.cancel().catch(() => {});
      return { status: response.status };
    });
  } catch (error) {
    return error as GatewayError;
  }
}

function opening(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the platform hides the reason'));
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', fail);
    socket.addEventListener('close', fail);
  });
}

function openSocket(url: string, protocols: string[], headers: Record<string, string>): WebSocket {
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
