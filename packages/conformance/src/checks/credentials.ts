/* What checks of several files need for valid and wrong credentials. */
import type { CallContext } from '../context/check-context.ts';
import type { HeaderList } from '../http/exchange.ts';
import { SkipError } from '../not-run.ts';

/** Well below the tolerance of any reasonable verifier, in seconds. */
const MAX_CLOCK_SKEW = 120;

/** Skips a check whose signatures contain the time if this machine's clock differs from the gateway's. */
export async function assertClock(t: CallContext): Promise<void> {
  const { received } = await t.gateway.call({ credentials: 'none' });
  const theirs = Date.parse(received.header('date') ?? '');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  if (Number.isNaN(theirs) || seconds <= MAX_CLOCK_SKEW) return;
  throw new SkipError(`this machine's clock differs from the gateway's by ${seconds} s`);
}

/** Replaces each character in the range with a different one that is valid in hex and base64. */
export function changeChars(text: string, start: number, end = text.length): string {
  const changed = text.slice(start, end).replace(/./g, (char) => (char === '0' ? '1' : '0'));
  return text.slice(0, start) + changed + text.slice(end);
}

/** Headers that some servers take for the identity of an internal call. */
export const SPOOFED_IDENTITY_HEADERS: HeaderList = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-User', 'admin'],
  ['X-Remote-User', 'admin'],
];
