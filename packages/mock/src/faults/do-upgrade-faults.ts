import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type FaultedUpgrade,
  findRefusal,
  refuse,
  sendRefusal,
  takeOr,
  wait,
} from './do-faults.ts';
import { type BodyShape, resetSocket, toBodyShape } from './shape-body.ts';

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

const END_OF_HEAD = '\r\n\r\n';

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/** Breaks a connection off after so many bytes behind the head of its 101, or of its refusal. */
function breakOffWebSocket(socket: Duplex, { limit, byReset }: BodyShape): void {
  if (limit === Infinity) return;
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: Rest) => boolean;
  let isHead = true;
  let sent = 0;
  socket.write = ((chunk: string | Uint8Array, ...rest: Rest) => {
    const bytes = Buffer.from(
      chunk as string,
      typeof rest[0] === 'string' ? (rest[0] as 'utf8') : undefined,
    );
    const end = isHead ? bytes.indexOf(END_OF_HEAD) : -1;
    const head = isHead ? (end < 0 ? bytes.length : end + END_OF_HEAD.length) : 0;
    if (end >= 0) isHead = false;
    const body = Math.min(bytes.length - head, limit - sent);
    if (isHead || head + body === bytes.length) {
      sent += body;
      return write(bytes, ...rest.filter((given) => typeof given === 'function'));
    }
    sent = limit;
    return write(bytes.subarray(0, head + body), () => {
      if (byReset) resetSocket(socket);
      else socket.destroy();
    });
  }) as typeof socket.write;
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
