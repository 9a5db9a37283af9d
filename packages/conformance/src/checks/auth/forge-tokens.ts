import { createHmac } from 'node:crypto';

/**
 * Tokens made of a good one that must not be accepted, by what was done to them. Those of a JSON Web
 * Token (RFC 7519) are the ones that careless verifiers take; of any other token only its text is changed.
 */
export function forgeTokens(token: string): Record<string, string> {
  const cut = {
    'a token without its end': token.slice(0, Math.floor(token.length / 2)),
    'a token with four letters more': `${token}AAAA`,
  };
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = readJson(head);
  const claims = readJson(payload);
  if (header === undefined || claims === undefined) {
    return { ...cut, 'a token with changed letters': changeMiddle(token) };
  }
  const changed = toPart({ ...claims, sub: `${claims.sub ?? ''}x` });
  const hs256 = toPart({ ...header, alg: 'HS256' });
  return {
    ...cut,
    'a token with a changed payload': `${head}.${changed}.${signature}`,
    'a token with a changed signature': `${head}.${payload}.${changeMiddle(signature)}`,
    'a token with an empty signature': `${head}.${payload}.`,
    'a token without its signature': `${head}.${payload}`,
    ...Object.fromEntries(
      ['none', 'None', 'NONE'].map((alg) => [
        `a token of algorithm ${alg}`,
        `${toPart({ ...header, alg })}.${payload}.`,
      ]),
    ),
    'a token of algorithm none with a signature': `${toPart({ ...header, alg: 'none' })}.${payload}.${signature}`,
    'a token signed with an empty secret': `${hs256}.${payload}.${signEmpty(`${hs256}.${payload}`)}`,
  };
}

/** Changes letters where none of them is mere padding. */
function changeMiddle(text: string): string {
  const middle = Math.floor(text.length / 2);
  const changed = text
    .slice(middle - 2, middle + 2)
    .replace(/./g, (one) => (one === 'A' ? 'B' : 'A'));
  return text.slice(0, middle - 2) + changed + text.slice(middle + 2);
}

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function readJson(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function signEmpty(text: string): string {
  return createHmac('sha256', '').update(text).digest('base64url');
}
