import { HttpResponse } from 'msw';
import type { MswContext } from '../context.ts';
import { isMswSign, openToPages } from '../cors.ts';
import { isRefusal } from './gateway-error.ts';
import type { ServiceAnswer } from './msw-service.ts';

/** "Text types are those whose `Content-Type` indicates" one of these (C2). */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/** What the gateway makes of the answer of a hosted service. */
export function toGatewayAnswer(
  answer: ServiceAnswer,
  { method }: Request,
  { profile }: MswContext,
): Response | undefined {
  if (answer === undefined) return undefined;
  const response = toResponse(answer);
  if (isMswSign(response)) return response;
  const headers = new Headers(response.headers);
  if (!isRefusal(response)) {
    // "Never taken from the hosted service" (D9).
    headers.set('X-Request-Id', crypto.randomUUID());
    headers.set(profile.gatewayHeaders.upstreamStatus, String(response.status));
  }
  setDisposition(headers, method);
  const { status, statusText } = response;
  const body = method === 'HEAD' ? null : response.body;
  return openToPages(new HttpResponse(body, { status, statusText, headers }));
}

function toResponse(answer: Exclude<ServiceAnswer, undefined>): Response {
  if (answer instanceof Response) return answer;
  return typeof answer === 'string' ? HttpResponse.text(answer) : HttpResponse.json(answer);
}

/**
 * The rules C1 to C3. "A service's own `attachment; filename=…` is kept, any other type replaced; a
 * missing Content-Type counts as not text; an event stream is exempt whatever was accepted" (D8).
 */
function setDisposition(headers: Headers, method: string): void {
  const type = headers.get('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const own = headers.get('Content-Disposition') ?? '';
  headers.delete('Content-Disposition');
  if (type === 'text/event-stream') return;
  if (method === 'POST' && TEXT_TYPES.includes(type)) return;
  const isAttachment = /^attachment *(;|$)/i.test(own);
  headers.set('Content-Disposition', isAttachment ? own : 'attachment');
}
