import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { UpgradeResponse } from '@berth/server-stubs';
import { recordOf } from '../session/call-record.ts';
import { type OwnRefusal, sendOwnRefusal } from '../surfaces/own-refusal.ts';
import { joinSockets } from '../util/sockets.ts';
import { findDestination } from './addresses.ts';
import { findProxyRefusal, type ProxyParts } from './forward.ts';
import { findHeader, type RawHeaders, toForwarded, toReturned } from './headers.ts';

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/**
 * Opens a WebSocket to the deployment. After the upgrade, bytes are forwarded unchanged in both directions.
 */
export function forwardUpgrade(
  parts: ProxyParts,
  request: IncomingMessage,
  caller: Duplex,
  head: Buffer,
): void {
  const { context, targets, addresses, checkers, onForwarded, via } = parts;
  const record = recordOf(request);
  const { surface } = record;
  const response = new UpgradeResponse(request, caller, head);
  const destination = findDestination(surface, request.url ?? '/', targets, addresses);
  if (destination === undefined || surface !== 'gateway') {
    response.writeHead(400).end();
    return;
  }
  const refuse = (refusal: OwnRefusal) => {
    record.status = refusal.status;
    sendOwnRefusal(refusal, surface, context, response);
  };
  const refusal = findProxyRefusal(request, parts);
  if (refusal !== undefined) {
    refuse(refusal);
    return;
  }
  const check = checkers().request(request as never, record);
  check.shadow.end();
  const { origin, path } = destination;
  const { host } = new URL(origin);
  const send = origin.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = send(origin, {
    path,
    agent: false,
    headers: ['Host', host, 'Via', `1.1 ${via}`, ...toForwarded(request.rawHeaders), ...UPGRADE],
  });
  response.once('close', () => outgoing.destroy());

  function takeHead(status: number, raw: RawHeaders): void {
    record.status = status;
    record.begin(findHeader(raw, 'x-request-id') ?? randomUUID());
    record.responseViolations = checkers().response({
      surface,
      operationId: record.operationId,
      method: 'GET',
      requestHeaders: request.headers,
      status,
      headers: raw,
      body: undefined,
      isWhole: false,
    });
    void check.done.then(() => onForwarded(record, status));
    response.sendDate = false;
  }

  outgoing.on('upgrade', ({ rawHeaders }, deployment, first) => {
    takeHead(101, rawHeaders);
    const headers = [...toReturned(rawHeaders), ...UPGRADE];
    for (let at = 0; at < headers.length; at += 2) {
      response.appendHeader(headers[at] as string, headers[at + 1] as string);
    }
    response.switch({});
    response.hand((socket, sent) => {
      if (first.length > 0) socket.write(first);
      if (sent.length > 0) deployment.write(sent);
      joinSockets(socket, deployment);
    });
  });
  outgoing.on('response', (received) => {
    const { statusCode = 0, statusMessage, rawHeaders } = received;
    takeHead(statusCode, rawHeaders);
    const headers = [...toReturned(rawHeaders, ['content-length']), 'Connection', 'close'];
    response.writeHead(statusCode, statusMessage, headers);
    received.pipe(response);
    received.on('error', () => caller.destroy());
  });
  outgoing.on('error', ({ message }) => {
    if (!caller.writable || record.status !== 0) {
      caller.destroy();
      return;
    }
    const text = `The deployment ${origin} did not respond: ${message}.`;
    refuse({ reason: 'unreachable', status: 502, message: text });
  });
  outgoing.end();
}
