import { pipeline } from 'node:stream';
import type { RouteContext } from '../answers/route-context.ts';
import type { MockedAnswer } from '../services.ts';
import { awaitAnswer } from './await-answer.ts';
import { toAnswer } from './to-answer.ts';
import { toRequest } from './to-request.ts';

/**
 * Passes a call on to a real service, both bodies as streams. When the caller goes away, the call is
 * aborted.
 *
 * @throws GatewayError SERVICE_TIMEOUT, SERVICE_LB_STATUS_ABNORMAL, BAD_GATEWAY
 */
export async function callProxy(base: URL, context: RouteContext): Promise<MockedAnswer> {
  const { input, call, openEnds } = context;
  const request = toRequest(base, context);
  request.once(
    'close',
    openEnds.add(() => request.destroy()),
  );
  const received = awaitAnswer(request, base, call.signal);
  if (input.body === undefined) request.end();
  else pipeline(input.body, request, () => {});
  const { answer } = await received;
  return toAnswer(answer);
}
