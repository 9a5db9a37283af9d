import { type HttpHandler, HttpResponse, http } from 'msw';
import { ALLOW_METHODS } from '../generated/msw.gen.ts';

/**
 * Answers what a page of another origin asks before its call (D11): "OPTIONS is the CORS preflight and
 * answers 204". A deployment may allow further headers, so that all that are asked for are allowed.
 */
export function allowPages(addresses: RegExp, surface: keyof typeof ALLOW_METHODS): HttpHandler {
  return http.options(addresses, ({ request }) => {
    const headers = new Headers({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': ALLOW_METHODS[surface].join(', '),
    });
    const asked = request.headers.get('Access-Control-Request-Headers');
    if (asked !== null) headers.set('Access-Control-Allow-Headers', asked);
    return new HttpResponse(null, { status: 204, headers });
  });
}

/** The answer, so that a page of any origin may read it (D11). */
export function openToPages<Answer extends Response | undefined>(
  answer: Answer,
): Answer | Response {
  if (answer === undefined || isMswSign(answer)) return answer;
  const { body, status, statusText } = answer;
  const headers = new Headers(answer.headers);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', '*');
  return new HttpResponse(body, { status, statusText, headers });
}

/** A network error of MSW, or its sign to let the request through. */
export function isMswSign(answer: Response): boolean {
  return answer.type === 'error' || answer.headers.has('x-msw-intention');
}
