import type { JWTVerifyResult } from 'jose';
import type { Caller } from '../caller.ts';
import { InvalidToken } from './invalid-token.ts';

/** RFC 7519, section 5.1, and RFC 9068, section 2.1. */
const TYPES = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];

/**
 * Who a verified token speaks for.
 *
 * D15: "A token belongs to its environment": one that is for another one as well is refused.
 *
 * @throws InvalidToken
 */
export function toCaller({ payload, protectedHeader }: JWTVerifyResult, env: string): Caller {
  const { aud, sub } = payload;
  const { typ } = protectedHeader;
  if (typ !== undefined && !TYPES.includes(String(typ).toLowerCase())) {
    throw new InvalidToken('The typ of the access token must be JWT or at+jwt.');
  }
  if (Array.isArray(aud) && aud.length > 1) throw new InvalidToken(claimMessage('aud'));
  if (typeof sub !== 'string' || sub === '') throw new InvalidToken(claimMessage('sub'));
  return { env, id: sub };
}

export function claimMessage(claim: string): string {
  return `The claim ${claim} of the access token is missing or wrong.`;
}
