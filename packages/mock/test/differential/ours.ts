import { createMock, type Mock } from '../../src/index.ts';
import { type Asked, OWN_ID, send, type Verdict } from './exchange.ts';
import { toBody, toSet, toType } from './to-body.ts';

/** What our mock makes of a request, and what its log says of it. */
export async function judge(mock: Mock, asked: Asked): Promise<Verdict> {
  const session = mock.session();
  session.reset({ only: ['requests'] });
  const { status, headers, text } = await send(mock.url, asked);
  const [logged, ...others] = session.requests();
  if (logged === undefined || others.length > 0) throw new Error('The log has not the one call.');
  if (logged.answerViolations.length > 0) throw new Error('The answer breaks the contract.');
  const type = toType(headers['content-type']);
  return {
    status,
    isRefusal: logged.violations.length > 0,
    violations: toSet(logged.violations.map((one) => `${one.in} ${one.pointer} ${one.keyword}`)),
    type: text === '' ? undefined : type,
    body: withoutId(toBody(type, text), String(headers['x-request-id'])),
  };
}

/** The identifier of a call is in its header and in its body; it is another for each call. */
function withoutId(body: unknown, id: string): unknown {
  if (body === undefined) return undefined;
  return JSON.parse(JSON.stringify(body).replaceAll(`"${id}"`, JSON.stringify(OWN_ID)));
}

export function startOurs(mode: 'static' | 'dynamic'): Promise<Mock> {
  return createMock({ mode, seed: 'differential' });
}
