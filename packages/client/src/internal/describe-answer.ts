import type { BerthErrorDetails } from '../errors/berth-error.ts';
import { type Answer, pathOf, type RememberedCall, rememberedCall } from './calls.ts';
import { redact } from './redact.ts';

/**
 * What an error tells of the answer behind it. What the answer says itself loses the credentials of
 * the call; what is no text is left out.
 */
export function describeAnswer(
  answer: Answer,
  what: string,
  said: { readonly code?: unknown; readonly message?: unknown; readonly requestId?: unknown } = {},
  { method, url, secrets }: RememberedCall = rememberedCall(answer),
): BerthErrorDetails & { readonly status: number } {
  const show = (value: unknown) =>
    typeof value === 'string' && value ? redact(value, secrets()) : undefined;
  return {
    what,
    method,
    path: pathOf(url),
    status: answer.status,
    code: show(said.code),
    text: show(said.message),
    requestId: show(said.requestId) ?? requestIdOf(answer),
  };
}

/** The request identifier in the header of an answer (D9). */
export function requestIdOf({ headers }: Answer): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}
