import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { toBodyShape } from './body-shape.ts';
import { breakOffWebSocket } from './break-off-web-socket.ts';
import { refuse, takeOr, wait } from './do-faults.ts';
import type { FaultedUpgrade } from './faulted-call.ts';
import { findRefusal } from './find-refusal.ts';
import { resetSocket } from './reset-socket.ts';
import { sendRefusal } from './send-refusal.ts';

/**
 * The same as `doFaults` for a WebSocket: latency, reset and refusal come before the upgrade; `truncate`
 * and `reset` after so many bytes count what follows the head. `bytesPerSecond` does nothing.
 *
 * @param next answers the upgrade
 */
export function doUpgradeFaults(call: FaultedUpgrade, next: () => void): void {
  const { socket } = call;
  const faults = takeOr(call, (error) => refuse(error, call, toResponse(call)));
  if (faults === undefined) return;
  if (faults.length === 0) {
    next();
    return;
  }
  // Node hands the socket over without a listener; a client that is gone must not end the process.
  socket.on('error', () => {});
  wait(faults, socket, () => {
    if (faults.some(({ fault }) => fault.reset === true)) {
      resetSocket(socket);
      return;
    }
    const shape = toBodyShape(faults);
    if (shape !== undefined) breakOffWebSocket(socket, shape);
    const refusal = findRefusal(faults, call.subject().surface);
    if (refusal === undefined) next();
    else sendRefusal(refusal, call, toResponse(call));
  });
}

/** An ordinary answer to a request that asked for an upgrade, after which the connection closes. */
function toResponse({ request, socket }: FaultedUpgrade): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  socket.on('error', () => {});
  return response.once('finish', () => {
    response.detachSocket(socket as Socket);
    if (socket instanceof Socket) socket.destroySoon();
    else socket.end();
  });
}
