import { GATEWAY_RETRIES } from '../generated/contract.gen.ts';
import { rememberedCall } from './calls.ts';
import { isGatewayRefusal, isOfService } from './is-gateway-refusal.ts';
import { parseJson } from './parse-json.ts';
import type { Verdict } from './pipeline/pipeline-call.ts';
import { readText } from './read-text.ts';

/** Statuses that say "later" (RFC 9110, section 15.6; RFC 6585, section 4). */
const LATER = [429, 502, 503, 504];

/** {@link judgeGatewayBody} of an answer that is yet unread. */
export async function judgeGateway(response: Response): Promise<Verdict> {
  const { status } = response;
  if (status < 401 || (status > 401 && status < 429)) return 'never';
  if (isOfService(response)) return judgeGatewayBody(undefined, response);
  const call = rememberedCall(response);
  // Its body, which would show who refused it, is left out; a new token does no harm.
  if (status === 401 && call.method === 'HEAD') return 'unauthorized';
  const body = parseJson(await readText(response.clone(), call));
  return judgeGatewayBody(body, response);
}

/**
 * What a failed answer of the gateway allows, by the `retry` column of D6. The gateway's own refusal
 * is told from an answer of the hosted service by D10: "a service's own 503 is never ground to repeat
 * a POST", for it was executed.
 */
export function judgeGatewayBody(body: unknown, response: Response): Verdict {
  const { status } = response;
  if (isGatewayRefusal(body, response)) {
    const { any, idempotent } = GATEWAY_RETRIES as Record<string, readonly string[] | undefined>;
    if (status === 401) return 'unauthorized';
    if (any?.includes(body.code)) return 'any';
    if (idempotent?.includes(body.code)) return 'idempotent';
  }
  return LATER.includes(status) ? 'idempotent' : 'never';
}
