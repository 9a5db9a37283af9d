import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request as requestHttp, STATUS_CODES } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { recordOf } from '../session/call-record.ts';
import { type OwnRefusal, sendOwnRefusal } from '../surfaces/own-refusal.ts';
import { joinSockets, noticeEnd, respondTo } from '../util/sockets.ts';
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
  const { targets, addresses, checkers, verdicts, via } = parts;
  const record = recordOf(request);
  const { surface } = record;
  const destination = findDestination(surface, request.url ?? '/', targets, addresses);
  if (destination === undefined || surface !== 'gateway') {
    caller.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
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
  const leave = () => outgoing.destroy();
  caller.once('close', leave);
  const ignoreEnd = noticeEnd(caller, () => {
    caller.end();
    leave();
  });

  function refuse(refusal: OwnRefusal): void {
    record.status = refusal.status;
    sendOwnRefusal(refusal, surface, parts.context, respondTo(request, caller));
  }

  function checkResponse(status: number, raw: RawHeaders): void {
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
    void check.done.then(() => verdicts.add(record, status));
  }

  outgoing.on('upgrade', (response, deployment, first) => {
    ignoreEnd();
    checkResponse(101, response.rawHeaders);
    caller.off('close', leave);
    caller.write(toHead(response, [...toReturned(response.rawHeaders), ...UPGRADE]));
    if (first.length > 0) caller.write(first);
    if (head.length > 0) deployment.write(head);
    joinSockets(caller, deployment);
  });
  outgoing.on('response', (response) => {
    ignoreEnd();
    checkResponse(response.statusCode ?? 0, response.rawHeaders);
    const own = toReturned(response.rawHeaders, ['content-length']);
    caller.write(toHead(response, [...own, 'Connection', 'close']));
    response.pipe(caller);
    response.on('error', () => caller.destroy());
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

function toHead({ statusCode = 0, statusMessage }: Partial<IncomingMessage>, raw: RawHeaders) {
  const reason = statusMessage ?? STATUS_CODES[statusCode] ?? '';
  const lines = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]}`] : []));
  return [`HTTP/1.1 ${statusCode} ${reason}`, ...lines, '', ''].join('\r\n');
}
