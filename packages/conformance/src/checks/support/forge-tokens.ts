import { createHmac } from 'node:crypto';

/**
 * Derives invalid tokens from a valid token, keyed by what was changed. The gateway must reject all of them.
 * A JSON Web Token (RFC 7519) is changed in the ways that careless verifiers overlook; any other token is
 * changed as plain text.
 */
export function forgeTokens(token: string): Record<string, string> {
  const cut = {
    'a truncated token': token.slice(0, Math.floor(token.length / 2)),
    'a token with four extra letters': `${token}AAAA`,
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
        `a token with algorithm ${alg}`,
        `${toPart({ ...header, alg })}.${payload}.`,
      ]),
    ),
    'a token with algorithm none and a signature': `${toPart({ ...header, alg: 'none' })}.${payload}.${signature}`,
    'a token signed with an empty secret': `${hs256}.${payload}.${signEmpty(`${hs256}.${payload}`)}`,
  };
}

/** Changes letters that are not just padding. */
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
