import type { Pipeline, PipelineCall } from '../internal/pipeline/pipeline-call.ts';
import type { ConnectOptions, OpenWebSocket } from './service.ts';
import type { Shared } from './shared.ts';

/** Browsers may send their token as this subprotocol (D14). */
const BEARER_PROTOCOL = 'berth.bearer.';

/** Opens a WebSocket with credentials. */
export async function connectSocket(
  { networkFailure }: Pick<Shared, 'networkFailure'>,
  pipeline: Pipeline,
  call: PipelineCall,
  { protocols = [] }: ConnectOptions,
  open: OpenWebSocket = openOnPlatform,
): Promise<WebSocket> {
  return pipeline.open(call).step(async (step) => {
    const signal = step.signal();
    const headers = await pipeline.sign(call);
    signal.throwIfAborted();
    const address = call.url.replace(/^http/, 'ws');
    const socket = open(address, [...protocols], headers);
    const close = () => socket.close();
    signal.addEventListener('abort', close);
    socket.addEventListener('close', () => signal.removeEventListener('abort', close));
    try {
      await opening(socket);
    } catch (error) {
      const secrets = () => [headers.authorization ?? ''];
      throw networkFailure({ ...call, secrets }, error, 'The WebSocket did not open');
    }
    return socket;
  });
}

function opening(socket: WebSocket & Partial<Record<'pause' | 'resume', () => void>>) {
  return new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => {
      // The package ws may give a first message before a promise can tell that the socket is open.
      socket.pause?.();
      setTimeout(() => socket.resume?.());
      resolve();
    });
    socket.addEventListener('error', (event: object & { error?: unknown }) =>
      reject(event.error ?? new Error('the platform does not tell why')),
    );
    socket.addEventListener('close', ({ code }) => reject(new Error(`closed with code ${code}`)));
  });
}

function openOnPlatform(
  url: string,
  protocols: string[],
  headers: Record<string, string>,
): WebSocket {
  const { WebSocket } = globalThis;
  if (!WebSocket) throw new TypeError('This platform has no WebSocket; pass one as `webSocket`.');
  try {
    return new WebSocket(url, { protocols, headers } as unknown as string[]);
  } catch {
    // Where only subprotocols are known, the object is taken for the name of one, and refused.
    return new WebSocket(url, [...protocols, ...toBearerProtocol(headers.authorization)]);
  }
}

/** "The token may travel as subprotocol `berth.bearer.<token>` beside the real ones" (D14). */
function toBearerProtocol(authorization: string | undefined): string[] {
  if (authorization === undefined) return [];
  // Characters of a subprotocol (RFC 6455, section 4.1): the platform's error would quote the token.
  const [, token] = /^Bearer ([\w!#$%&'*+.^`|~-]+)$/.exec(authorization) ?? [];
  if (token) return [BEARER_PROTOCOL + token];
  throw new TypeError('This platform can send no other credentials with a WebSocket than a JWT.');
}
