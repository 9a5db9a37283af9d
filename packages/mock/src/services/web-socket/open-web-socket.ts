import type { WebSocketAnswer } from '@berth/server-stubs';
import type { WebSocket } from 'ws';
import type { RouteContext } from '../answers/route-context.ts';
import { toServiceCall } from '../answers/to-service-call.ts';
import type { ServiceCall, WebSocketScript } from '../fake-service.ts';
import { createFakeSocket, type ScriptSocket } from './create-fake-socket.ts';
import { playSteps, repeatSteps } from './play-steps.ts';

/** Longest message that is taken. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** RFC 6455, section 7.4.1: "an unexpected condition that prevented it from fulfilling the request". */
const FAILED = 1011;

/**
 * Opens a WebSocket and plays a script on it.
 *
 * @param upstreamStatus header that marks an answer of a hosted service (D10)
 */
export async function openWebSocket(
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

async function play(
  { webSocket, repeat = false }: WebSocketScript,
  socket: ScriptSocket,
  call: ServiceCall,
): Promise<void> {
  if (typeof webSocket === 'function') await webSocket(socket, call);
  else if (repeat) await repeatSteps(socket, webSocket, call.signal);
  else await playSteps(socket, webSocket, call.signal);
}
