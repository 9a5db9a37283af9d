import { createHmac } from 'node:crypto';
import { type HeaderList, parseJson } from '../http/exchange.ts';

/**
 * Derives invalid tokens from a valid token, keyed by what was changed. The gateway must reject all of them.
 * A JSON Web Token (RFC 7519) is changed in the ways that careless verifiers overlook; any other token is
 * changed as plain text.
 */
export function forgeTokens(token: string): Record<string, string> {
  const cut = {
    'a truncated token': token.slice(0, Math.floor(token.length / 2)),
    'a token with four extra letters': `${token}AAAA`,
    ...(token !== token.toLowerCase() && { 'a token in lower case': token.toLowerCase() }),
  };
  const [head = '', payload = '', signature = ''] = token.split('.');
  // In the middle: the last letters may be just padding.
  const changeMiddle = (text: string) => {
    const middle = Math.floor(text.length / 2);
    return changeLetters(text, middle - 2, middle + 2);
  };
  const [header, claims] = [head, payload].map((part) =>
    parseJson(Buffer.from(part, 'base64url')),
  ) as (Record<string, unknown> | undefined)[];
  if (!header || !claims) return { ...cut, 'a token with changed letters': changeMiddle(token) };
  const toPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const withAlgorithm = (alg: string) => `${toPart({ ...header, alg })}.${payload}`;
  const changed = toPart({ ...claims, sub: `${claims.sub ?? ''}x` });
  const hs256 = withAlgorithm('HS256');
  return {
    ...cut,
    'a token with a changed payload': `${head}.${changed}.${signature}`,
    'a token with a changed signature': `${head}.${payload}.${changeMiddle(signature)}`,
    'a token without its signature': `${head}.${payload}`,
    'a token with algorithm none': `${withAlgorithm('none')}.`,
    'a token with algorithm nOnE': `${withAlgorithm('nOnE')}.`,
    'a token with algorithm none and a signature': `${withAlgorithm('none')}.${signature}`,
    'a token signed with an empty secret': `${hs256}.${createHmac('sha256', '').update(hs256).digest('base64url')}`,
  };
}

/** Changes each letter of a part of a text to another one, which is also a digit of hex and base64. */
export function changeLetters(text: string, start: number, end = text.length): string {
  const changed = text.slice(start, end).replace(/./g, (one) => (one === '0' ? '1' : '0'));
  return text.slice(0, start) + changed + text.slice(end);
}

/** Headers that some servers take for the identity of an internal call. */
export const IDENTITIES: HeaderList = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-User', 'admin'],
  ['X-Remote-User', 'admin'],
];
