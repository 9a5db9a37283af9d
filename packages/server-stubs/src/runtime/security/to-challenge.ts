import type { SecurityScheme } from '../route-table.ts';

/**
 * `WWW-Authenticate` for the schemes that an operation takes. RFC 9110, section 15.5.2: a 401 "MUST send
 * a WWW-Authenticate header field containing at least one challenge".
 */
export function toChallenge(
  schemes: readonly (SecurityScheme | undefined)[],
  realm: string,
): string {
  const quoted = toQuoted(realm);
  const challenges = schemes.flatMap((scheme) => {
    if (scheme === undefined || scheme.type === 'mutualTLS') return [];
    if (scheme.type === 'apiKey') {
      return [`ApiKey realm=${quoted}, in="${scheme.in}", name=${toQuoted(scheme.name)}`];
    }
    return [`${scheme.type === 'http' ? toName(scheme.scheme) : 'Bearer'} realm=${quoted}`];
  });
  return challenges.length === 0 ? `Mutual realm=${quoted}` : challenges.join(', ');
}

/** Header values hold visible ASCII only; a quoted string escapes quotes and backslashes. */
function toQuoted(text: string): string {
  return `"${text.replace(/[^\u0020-\u007e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}

/** Documents write `bearer`, headers `Bearer`. */
function toName(scheme: string): string {
  return scheme.charAt(0).toUpperCase() + scheme.slice(1);
}
