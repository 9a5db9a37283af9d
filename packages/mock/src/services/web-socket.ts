import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { WebSocketAnswer } from '@berth/server-stubs';
import type { WebSocket } from 'ws';
import { isObject } from '../util/values.ts';
import { prepareAnswer, toFailure, toServiceCall } from './answers.ts';
import { wait } from './events.ts';
import type {
  FakeSocket,
  Route,
  ServiceCall,
  WebSocketScript,
  WebSocketStep,
} from './fake-service.ts';
import type { MockedAnswer, RouteContext } from './services.ts';

export type Opened = WebSocketAnswer | MockedAnswer;

export type Opener = (context: RouteContext, upstreamStatus: string) => Promise<Opened>;

/** Makes what opens the WebSockets of a route. A function may refuse with any answer. */
export function prepareWebSocket(route: Route, folder: string): Opener {
  return async (context, upstreamStatus) => {
    try {
      const script = typeof route === 'function' ? await route(toServiceCall(context)) : route;
      if (isObject(script) && 'webSocket' in script) {
        return await openWebSocket(script as unknown as WebSocketScript, context, upstreamStatus);
      }
      return await prepareAnswer(script, folder)(context);
    } catch (error) {
      return toFailure(error, context);
    }
  };
}

/** Longest message that is taken. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** RFC 6455, section 7.4.1: "an unexpected condition that prevented it from fulfilling the request". */
const FAILED = 1011;

/**
 * Opens a WebSocket and plays a script on it.
 *
 * @param upstreamStatus header that marks an answer of a hosted service (D10)
 */
async function openWebSocket(
  script: WebSocketScript,
  context: RouteContext,
  upstreamStatus: string,
): Promise<WebSocketAnswer> {
  const { call, openEnds, report } = context;
  const { request, requestId } = call;
  // Loaded for those alone who open one.
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
    // D9: "`X-Request-Id` is on every gateway answer, 101 and OPTIONS included".
    headers.push(`X-Request-Id: ${requestId}`, `${upstreamStatus}: 101`);
  });
  return {
    status: 101,
    open(connection, head) {
      server.handleUpgrade(request, connection, head, (opened) => {
        const gone = new AbortController();
        const forget = openEnds.add(() => opened.terminate());
        opened.once('close', () => {
          forget();
          gone.abort();
        });
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

/** What has come and is not taken yet: beyond either, the caller is kept waiting. */
const MOST_MESSAGES = 64;

const MOST_BYTES = 1024 * 1024;

/** A socket whose messages wait until they are taken. */
interface ScriptSocket extends FakeSocket {
  /** Takes no more messages: whatever comes is forgotten. */
  ignore(): void;
}

function createFakeSocket(socket: WebSocket): ScriptSocket {
  const queue: (string | Uint8Array)[] = [];
  let bytes = 0;
  let taker: ((message: string | Uint8Array | undefined) => void) | undefined;
  let isIgnored = false;
  let isClosed = false;

  const isFull = () => queue.length >= MOST_MESSAGES || bytes >= MOST_BYTES;
  socket.on('message', (data: Buffer, isBinary) => {
    if (isIgnored) return;
    const message = isBinary ? data : data.toString();
    if (taker !== undefined) {
      const take = taker;
      taker = undefined;
      take(message);
      return;
    }
    queue.push(message);
    bytes += message.length;
    if (isFull()) socket.pause();
  });
  socket.once('close', () => {
    isClosed = true;
    taker?.(undefined);
    taker = undefined;
  });
  // What is wrong with a frame closes the socket; more there is not to do.
  socket.on('error', () => {});

  const receive = async () => {
    const message = queue.shift();
    if (message !== undefined) {
      bytes -= message.length;
      if (socket.isPaused && !isFull()) socket.resume();
      return message;
    }
    if (isClosed) return undefined;
    return new Promise<string | Uint8Array | undefined>((resolve) => {
      taker = resolve;
    });
  };

  return {
    protocol: socket.protocol,
    // The callback comes when the system has taken the message: a caller that does not read holds it
    // back. The turn lets others go on, where the caller reads as fast as is written.
    send: (message) => new Promise((resolve) => socket.send(message, () => setImmediate(resolve))),
    receive,
    close: (code, reason) => {
      isIgnored = true;
      socket.resume();
      socket.close(code, reason);
    },
    cut: () => socket.terminate(),
    ignore() {
      isIgnored = true;
      queue.length = 0;
      socket.resume();
    },
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
 * Plays a script.
 *
 * @param signal aborted when the caller is gone
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

/** RFC 6455, section 5.5: a control frame holds 125 bytes, two of which are the code. */
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

/** Whether a message is the one that a step expects. */
function fitsMessage(message: string | Uint8Array, expected: unknown): boolean {
  if (expected === ANY || message === expected) return true;
  if (typeof expected === 'string' || typeof message !== 'string') return false;
  try {
    return includes(JSON.parse(message), expected);
  } catch {
    return false;
  }
}

/** Objects may have more fields than expected; anything else is equal. */
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
  // A character that is cut in two would be no UTF-8.
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
    // A script that never waits must not keep everybody else waiting.
    await turn();
  }
}
