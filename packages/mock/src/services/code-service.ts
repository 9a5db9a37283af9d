import { on, once } from 'node:events';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { GatewayCall, WebSocketResponse } from '@berth/server-stubs';
import type { BodyWriter } from '@berth/server-stubs/runtime';
import type { WebSocket } from 'ws';
import {
  callHandler,
  type HandledSocket,
  runSocketHandler,
  toHead,
  toServiceRequest,
} from './run-code.ts';
import type { RunningService, ServiceContext } from './running-service.ts';
import type { ServiceHandler, SocketHandler } from './service.ts';
import { withoutModuleQuery } from './services-file.ts';

type Report = (error: unknown) => void;

/** The folder with the mock's own code. */
const OWN_FOLDER = dirname(import.meta.dirname);

/** A stack frame in a file, and not in a package, nor in Node. */
const FRAME = /(?<=\n +)at (?!.*(node:|\/node_modules\/|<anonymous>)).*/g;

export function createCodeService(
  service: ServiceHandler,
  { name, options }: ServiceContext,
): RunningService {
  const { upstreamStatus } = options.wireProfile.gatewayHeaders;
  const webSocket = typeof service === 'object' ? service.webSocket?.bind(service) : undefined;
  const report: Report = (error) => {
    const text = withoutModuleQuery(inspect(error));
    const [message] = text.split(/\n +at /, 1);
    const place = text.match(FRAME)?.find((frame) => !frame.includes(OWN_FOLDER)) ?? '';
    options.onProblem(`The service ${name} failed: ${message} ${place}`.trim());
  };
  return {
    async serve(input, call) {
      const { target, headers, method, signal } = input;
      // Node accepts any iterable of bytes as a body. With `Readable.toWeb`, a call takes twice as long.
      // A service that stops reading must not destroy the caller's request.
      const chunks = input.body?.iterator({ destroyOnReturn: false });
      const content = (chunks ?? null) as ReadableStream<Uint8Array> | null;
      const init = { method, signal, body: content, duplex: 'half' as const };
      const request = toServiceRequest(target, headers, init);
      if (input.isUpgrade && webSocket !== undefined) {
        return openWebSocket(webSocket, request, call, upstreamStatus, report);
      }
      const response = await callHandler(name, service, request, (error) => {
        // If the caller stops sending its body, the service has not failed.
        const { destroyed, complete } = call.request;
        if (!signal.aborted && (complete || !destroyed)) report(error);
      });
      const { body } = response;
      const head = toHead(response);
      if (body === null) return head;
      const isRead = method !== 'HEAD' && !signal.aborted;
      if (isRead) return { ...head, body: toWriter(body, signal, report) };
      body.cancel().catch(report);
      return head;
    },
  };
}

/** Writes a stream no faster than the caller reads it. `Readable.fromWeb` takes ten times as long for a small body. */
function toWriter(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  report: Report,
): BodyWriter {
  const reader = body.getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  return async (response) => {
    // A handler may send any Content-Length, and what follows it would be part of the next response.
    response.strictContentLength = true;
    // Clients of a slow stream need the head at once.
    response.write('', 'latin1');
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) break;
        if (response.write(value)) continue;
        await once(response, 'drain', { signal });
        // A stream that never waits must not block other calls.
        await nextTurn();
      }
      response.end();
    } catch (error) {
      if (!signal.aborted) report(error);
      response.destroy();
    }
  };
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Opens a WebSocket and runs the handler on it. The first subprotocol that the caller offers is selected. */
async function openWebSocket(
  handle: SocketHandler,
  request: Request,
  call: GatewayCall,
  upstreamStatus: string,
  report: Report,
): Promise<WebSocketResponse> {
  // Loaded only when a WebSocket is opened.
  const { WebSocketServer } = await import('ws');
  const options = { noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE_BYTES };
  const server = new WebSocketServer(options);
  server.on('headers', (headers) => {
    // `ws` writes the 101. Every gateway response has the request ID (D9) and the upstream status (D10).
    headers.push(`X-Request-Id: ${call.requestId}`, `${upstreamStatus}: 101`);
  });
  return {
    status: 101,
    open(connection, head) {
      server.handleUpgrade(call.request, connection, head, async (opened) => {
        await runSocketHandler(handle, fromWebSocket(opened), request, (error) => {
          if (opened.readyState === opened.OPEN) report(error);
        });
      });
    },
  };
}

/** Maximum number of unread messages: beyond it, the caller has to wait. */
const MAX_UNREAD = 64;

function fromWebSocket(socket: WebSocket): HandledSocket {
  const unread = on(socket, 'message', { close: ['close'], highWaterMark: MAX_UNREAD });
  const ignore = () => {
    void unread.return?.();
    // An invalid frame closes the socket; nothing else needs to be done.
    socket.on('error', () => {}).resume();
  };
  return {
    protocol: socket.protocol,
    // The callback is called once the system has accepted the message, so a caller that does not read
    // delays it. Yielding lets other tasks run if the caller reads as fast as the function writes.
    send: (message) => new Promise((resolve) => socket.send(message, () => setImmediate(resolve))),
    close(code, reason) {
      ignore();
      socket.close(code, reason);
    },
    ignore,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { done, value } = await unread.next().catch(() => ({ done: true, value: undefined }));
        if (done) return;
        const [data, isBinary] = value as [Buffer, boolean];
        yield isBinary ? data : data.toString();
      }
    },
  };
}
