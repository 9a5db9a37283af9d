import { on } from 'node:events';
import type { WebSocketResponse } from '@berth/server-stubs';
import type { WebSocket } from 'ws';
import { isObject } from '../util/values.ts';
import type { FakeSocket, Route, WebSocketRoute } from './fake-service.ts';
import { prepareResponse, toFailure, toServiceCall } from './prepare-route.ts';
import type { MockedResponse, RouteContext } from './services.ts';

export type Opened = WebSocketResponse | MockedResponse;

export type Opener = (context: RouteContext, upstreamStatus: string) => Promise<Opened>;

/** Creates the WebSocket handler for a route. A function may reject the upgrade with any response. */
export function prepareWebSocket(route: Route): Opener {
  return async (context, upstreamStatus) => {
    try {
      const found = typeof route === 'function' ? await route(toServiceCall(context)) : route;
      if (isObject(found) && 'webSocket' in found) {
        return await openWebSocket(found as unknown as WebSocketRoute, context, upstreamStatus);
      }
      return await prepareResponse(found)(context);
    } catch (error) {
      return toFailure(error, context);
    }
  };
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** RFC 6455, section 7.4.1: "an unexpected condition that prevented it from fulfilling the request". */
const FAILED = 1011;

/**
 * Opens a WebSocket and runs the route's function on it.
 *
 * @param upstreamStatus header that marks a hosted service's response (D10)
 */
async function openWebSocket(
  { webSocket, protocols }: WebSocketRoute,
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
    handleProtocols: (offered) =>
      (protocols ?? [...offered]).find((name) => offered.has(name)) ?? false,
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
        const run = async () => webSocket(socket, { ...toServiceCall(context), signal });
        run().then(socket.ignore, (error) => {
          if (signal.aborted) return;
          report(error);
          socket.close(FAILED, 'The function failed.');
        });
      });
    },
  };
}

/** Maximum number of unread messages: beyond it, the caller has to wait. */
const MOST_MESSAGES = 64;

interface OpenSocket extends FakeSocket {
  /** Stops reading: further messages are dropped. */
  ignore(): void;
}

function createFakeSocket(socket: WebSocket): OpenSocket {
  const unread = on(socket, 'message', { close: ['close'], highWaterMark: MOST_MESSAGES });
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
