import { type Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { limits } from '../limits.ts';
import type { Admitted } from './admit.ts';
import type { RefusalCode } from './refusals.ts';
import { toAnswerHeaders } from './to-answer-headers.ts';
import { toDisposition } from './to-disposition.ts';
import { toServiceHeaders } from './to-service-headers.ts';

/** Calls a hosted service and passes its answer on as it comes; `refuse` is for want of an answer. */
export function forward(
  { service, path }: Admitted,
  call: { request: IncomingMessage; body: Buffer; id: string; agent: Agent },
  response: ServerResponse,
  refuse: (code: RefusalCode) => void,
): void {
  const { method } = call.request;
  const headers = toServiceHeaders(call.request, service, call.body);
  const { hostname: host, port } = service;
  const upstream = request({ host, port, method, path, headers, agent: call.agent });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    upstream.destroy();
  }, limits.gatewayHeadMilliseconds);
  upstream.on('response', (answer) => {
    clearTimeout(timer);
    const sent = toAnswerHeaders(answer, call.id, toDisposition(call.request, answer));
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 500, answer.statusMessage, sent);
    // "SSE is passed on event by event, nothing buffered" (D14).
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
    // A caller that goes away does not stop the service: what it still sends is thrown away.
    response.on('close', () => answer.resume());
  });
  upstream.on('error', () => {
    clearTimeout(timer);
    if (response.headersSent) response.destroy();
    else refuse(late ? 'SERVICE_TIMEOUT' : 'UPSTREAM_BROKEN');
  });
  upstream.end(call.body);
}
