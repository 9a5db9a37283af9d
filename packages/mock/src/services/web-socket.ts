import { on } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { WebSocketResponse } from '@berth/server-stubs';
import type { WebSocket } from 'ws';
import { isObject, parseJson } from '../util/values.ts';
import { wait } from './events.ts';
import type {
  FakeSocket,
  Route,
  ServiceCall,
  WebSocketScript,
  WebSocketStep,
} from './fake-service.ts';
import { prepareResponse, toFailure, toServiceCall } from './prepare-route.ts';
import type { MockedResponse, RouteContext } from './services.ts';

export type Opened = WebSocketResponse | MockedResponse;

export type Opener = (context: RouteContext, upstreamStatus: string) => Promise<Opened>;

/** Creates the WebSocket handler for a route. A function may reject the upgrade with any response. */
export function prepareWebSocket(route: Route, folder: string): Opener {
  return async (context, upstreamStatus) => {
    try {
      const script = typeof route === 'function' ? await route(toServiceCall(context)) : route;
      if (isObject(script) && 'webSocket' in script) {
        return await openWebSocket(script as unknown as WebSocketScript, context, upstreamStatus);
      }
      return await prepareResponse(script, folder)(context);
    } catch (error) {
      return toFailure(error, context);
    }
  };
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** RFC 6455, section 7.4.1: "an unexpected condition that prevented it from fulfilling the request". */
const FAILED = 1011;

/**
 * Opens a WebSocket and runs a script on it.
 *
 * @param upstreamStatus header that marks a hosted service's response (D10)
 */
async function openWebSocket(
  script: WebSocketScript,
  context: RouteContext,
  upstreamStatus: string,
): Promise<WebSocketResponse> {
  const { call, report } = context;
  const { request, requestId } = call;
  // Loaded only when a WebSocket is opened.
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => {
      const { protocols = [...offered] } = script;
      return protocols.find((name) => offered.has(name)) ?? false;
    },
  });
  server.on('headers', (headers) => {
    // D9: every gateway response has it, 101 and OPTIONS included.
    headers.push(`X-Request-Id: ${requestId}`, `${upstreamStatus}: 101`);
  });
  return {
    status: 101,
    open(connection, head) {
      server.handleUpgrade(request, connection, head, (opened) => {
        const gone = new AbortController();
        opened.once('close', () => gone.abort());
        const { signal } = gone;
        const socket = createFakeSocket(opened as WebSocket);
        play(script, socket, { ...toServiceCall(context), signal }).then(socket.ignore, (error) => {
          if (signal.aborted) return;
          report(error);
          socket.close(FAILED, 'The script failed.');
        });
      });
    },
  };
}

/** Maximum number of unread messages: beyond it, the caller has to wait. */
const MOST_MESSAGES = 64;

interface ScriptSocket extends FakeSocket {
  /** Stops reading: further messages are dropped. */
  ignore(): void;
}

function createFakeSocket(socket: WebSocket): ScriptSocket {
  const unread = on(socket, 'message', { close: ['close'], highWaterMark: MOST_MESSAGES });
  const ignore = () => {
    void unread.return?.();
    // An invalid frame closes the socket; nothing else needs to be done.
    socket.on('error', () => {}).resume();
  };
  const receive = async () => {
    const { done, value } = await unread.next().catch(() => ({ done: true, value: undefined }));
    if (done) return undefined;
    const [data, isBinary] = value as [Buffer, boolean];
    return isBinary ? data : data.toString();
  };
  return {
    protocol: socket.protocol,
    // The callback is called once the system has accepted the message, so a caller that does not read
    // delays it. Yielding lets other tasks run if the caller reads as fast as the script writes.
    send: (message) => new Promise((resolve) => socket.send(message, () => setImmediate(resolve))),
    receive,
    close(code, reason) {
      ignore();
      socket.close(code, reason);
    },
    cut: () => socket.terminate(),
    ignore,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = await receive();
        if (message === undefined) return;
        yield message;
      }
    },
  };
}

async function play(
  { webSocket, repeat = false }: WebSocketScript,
  socket: ScriptSocket,
  call: ServiceCall,
): Promise<void> {
  if (typeof webSocket === 'function') await webSocket(socket, call);
  else if (repeat) await repeatSteps(socket, webSocket, call.signal);
  else await playSteps(socket, webSocket, call.signal);
}

/**
 * Runs a script.
 *
 * @param signal aborted when the caller disconnects
 */
async function playSteps(
  socket: FakeSocket,
  steps: readonly WebSocketStep[],
  signal: AbortSignal,
): Promise<void> {
  for (const step of steps) {
    if ('delay' in step) await wait(step.delay, signal);
    if ('send' in step) await socket.send(toText(step.send));
    else if ('sendBase64' in step) await socket.send(Buffer.from(step.sendBase64, 'base64'));
    else if ('echo' in step) for await (const message of socket) await socket.send(message);
    else if ('close' in step) return socket.close(step.close, step.reason);
    else if ('cut' in step) return socket.cut();
    else if (!(await isExpected(socket, step.expect))) return;
  }
}

/** RFC 6455, section 7.4.1: the message "violates [the endpoint's] policy". */
const POLICY_VIOLATION = 1008;

/** RFC 6455, section 5.5: a control frame has at most 125 bytes, two of which are the code. */
const MAX_REASON_BYTES = 123;

async function isExpected(socket: FakeSocket, expected: unknown): Promise<boolean> {
  const message = await socket.receive();
  if (message === undefined) return false;
  if (fitsMessage(message, expected)) return true;
  const reason = Buffer.from(`This script expects ${toText(expected)}`);
  socket.close(POLICY_VIOLATION, cutText(reason, MAX_REASON_BYTES));
  return false;
}

const ANY = '*';

function fitsMessage(message: string | Uint8Array, expected: unknown): boolean {
  if (expected === ANY || message === expected) return true;
  if (typeof expected === 'string' || typeof message !== 'string') return false;
  return includes(parseJson(message), expected);
}

/** Objects may have additional fields; anything else must be equal. */
function includes(value: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return isDeepStrictEqual(value, expected);
  return (
    isObject(value) &&
    Object.entries(expected).every(
      ([name, field]) => Object.hasOwn(value, name) && includes(value[name], field),
    )
  );
}

function cutText(bytes: Buffer, most: number): string {
  // A truncated character would not be valid UTF-8.
  return new TextDecoder().decode(bytes.subarray(0, most)).replace(/\uFFFD+$/, '');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function repeatSteps(
  socket: FakeSocket,
  steps: readonly WebSocketStep[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await playSteps(socket, steps, signal);
    // A script that never waits must not block the event loop.
    await turn();
  }
}
