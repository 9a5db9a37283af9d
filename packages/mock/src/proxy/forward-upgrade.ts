import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request as requestHttp, STATUS_CODES } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { recordOf } from '../session/call-record.ts';
import { type OwnRefusal, sendOwnRefusal } from '../surfaces/own-refusal.ts';
import { joinSockets, noticeEnd, respondTo } from '../util/sockets.ts';
import { findDestination } from './addresses.ts';
import { findHeader, type RawHeaders, toForwarded, toReturned } from './headers.ts';
import { findProxyRefusal, OUT_OF_REACH, type ProxyParts } from './parts.ts';

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/** Opens a WebSocket to the deployment: after the upgrade the bytes of both sides are forwarded unchanged. */
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
  check.shadow.finish();
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

  function refuse(refusal: OwnRefusal & { readonly status: number }): void {
    record.status = refusal.status;
    sendOwnRefusal(refusal, surface, parts.context, request, respondTo(request, caller));
  }

  function checkResponse(status: number, raw: RawHeaders): void {
    record.status = status;
    record.begin(findHeader(raw, 'x-request-id') ?? randomUUID());
    record.answerViolations = checkers().answer({
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

  outgoing.on('upgrade', (answer, deployment, first) => {
    ignoreEnd();
    checkResponse(101, answer.rawHeaders);
    caller.off('close', leave);
    caller.write(toHead(answer, [...toReturned(answer.rawHeaders), ...UPGRADE]));
    if (first.length > 0) caller.write(first);
    if (head.length > 0) deployment.write(head);
    joinSockets(caller, deployment);
  });
  outgoing.on('response', (answer) => {
    ignoreEnd();
    checkResponse(answer.statusCode ?? 0, answer.rawHeaders);
    const own = toReturned(answer.rawHeaders, ['content-length']);
    caller.write(toHead(answer, [...own, 'Connection', 'close']));
    answer.pipe(caller);
    answer.on('error', () => caller.destroy());
  });
  outgoing.on('error', ({ message }) => {
    if (!caller.writable || record.status !== 0) {
      caller.destroy();
      return;
    }
    const text = `The deployment ${origin} gave no response: ${message}.`;
    refuse({ code: OUT_OF_REACH, status: 502, message: text });
  });
  outgoing.end();
}

function toHead({ statusCode = 0, statusMessage }: Partial<IncomingMessage>, raw: RawHeaders) {
  const reason = statusMessage ?? STATUS_CODES[statusCode] ?? '';
  const lines = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]}`] : []));
  return [`HTTP/1.1 ${statusCode} ${reason}`, ...lines, '', ''].join('\r\n');
}
