import type { Call } from '../call.ts';
import { decodeQuery } from '../parameters/decode-query.ts';
import { parseCookies } from '../parameters/parse-cookies.ts';
import { parseQuery } from '../parameters/parse-query.ts';
import type { SecurityScheme } from '../route-table.ts';

/** Finds the credential of a scheme in a request; undefined where it has none. */
export type CredentialFinder = (call: Call) => string | undefined;

export function createCredentialFinder(scheme: SecurityScheme): CredentialFinder {
  switch (scheme.type) {
    case 'http': {
      const name = scheme.scheme.toLowerCase();
      return (call) => afterScheme(call, name);
    }
    case 'oauth2':
    case 'openIdConnect':
      return (call) => afterScheme(call, 'bearer');
    case 'mutualTLS':
      // The certificate is in the socket of the request, for the handler to look at.
      return () => '';
    case 'apiKey':
      return createKeyFinder(scheme.in, scheme.name);
  }
}

function createKeyFinder(place: 'header' | 'query' | 'cookie', name: string): CredentialFinder {
  if (place === 'header') {
    const key = name.toLowerCase();
    return ({ request }) => {
      const value = Object.hasOwn(request.headers, key) ? request.headers[key] : undefined;
      return Array.isArray(value) ? value.join(', ') : value;
    };
  }
  if (place === 'cookie')
    return ({ request }) => parseCookies(request.headers.cookie).get(name)?.[0];
  return ({ rawQuery }) => {
    const values = parseQuery(rawQuery ?? '').get(name);
    return values?.length === 1 ? decodeQuery(values[0] as string) : undefined;
  };
}

/** `Bearer abc` gives `abc`; the scheme is case-insensitive (RFC 9110, section 11.1). */
function afterScheme({ request }: Call, scheme: string): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization.charCodeAt(scheme.length) !== 0x20)
    return undefined;
  if (authorization.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  return authorization.slice(scheme.length + 1).trim();
}
