import type { IncomingHttpHeaders } from 'node:http';
import type { Call, Principals } from './call.ts';
import { createNullObject, decodeQuery, parseCookies, parseQuery } from './decoding.ts';
import { HttpError, hasResponse } from './faults.ts';
import { functionOf, type SecurityHandler, type SecurityHandlers } from './options.ts';
import type { Route, RouteTable, SecurityScheme } from './route-table.ts';

const NO_SCOPES: readonly string[] = [];

/** Returns the principals. Throws the first reason that a handler gave, or an `HttpError`. */
export type Guard = (call: Call) => Promise<Principals>;

interface Check {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly handle: SecurityHandler;
  readonly scopes: readonly string[];
}

/** @throws TypeError if a scheme has no handler */
export function createGuard(
  { securitySchemes }: RouteTable,
  { security, scopes }: Route,
  handlers: SecurityHandlers,
): Guard | undefined {
  if (security.length === 0) return undefined;
  const alternatives = security.map((names, index) =>
    names.map((name): Check => {
      const scheme = securitySchemes[name];
      const handle = functionOf(handlers, name);
      if (!scheme)
        throw new TypeError(
          `Unknown security scheme ${name}: add it to components.securitySchemes.`,
        );
      if (!handle)
        throw new TypeError(`options.security.${name} is missing: the document uses this scheme.`);
      const asked = new Map(Object.entries(scopes?.[index] ?? {})).get(name) ?? NO_SCOPES;
      return { name, scheme, handle, scopes: asked };
    }),
  );
  // `{}` makes authentication optional, so try it last.
  alternatives.sort((a, b) => Number(a.length === 0) - Number(b.length === 0));
  return async (call) => {
    let reason: unknown;
    for (const checks of alternatives) {
      try {
        const principals = await authenticate(checks, call);
        if (principals !== undefined) return principals;
      } catch (error) {
        if (!hasResponse(error)) throw error;
        reason ??= error;
      }
    }
    throw reason ?? new HttpError('unauthorized', 'The credentials are missing or invalid.');
  };
}

/** `undefined` if a credential is missing or rejected. */
async function authenticate(checks: readonly Check[], call: Call): Promise<Principals | undefined> {
  const credentials = checks.map(({ scheme }) => findCredential(scheme, call));
  if (credentials.includes(undefined)) return undefined;
  const principals = createNullObject();
  for (const [index, { name, handle, scopes }] of checks.entries()) {
    const principal = await handle(credentials[index] as string, call, scopes);
    if (principal === undefined || principal === null || principal === false) return undefined;
    principals[name] = principal;
  }
  return principals;
}

function findCredential(
  scheme: SecurityScheme,
  { request: { headers }, rawQuery = '' }: Call,
): string | undefined {
  switch (scheme.type) {
    case 'http':
      return afterScheme(headers, scheme.scheme.toLowerCase());
    case 'oauth2':
    case 'openIdConnect':
      return afterScheme(headers, 'bearer');
    case 'mutualTLS':
      // The handler reads the certificate from the request.
      return '';
    case 'apiKey':
      break;
  }
  const { in: place, name } = scheme;
  if (place === 'cookie') return parseCookies(headers.cookie).get(name)?.[0];
  if (place === 'query') {
    const values = parseQuery(rawQuery).get(name);
    return values?.length === 1 ? decodeQuery(values[0] as string) : undefined;
  }
  const key = name.toLowerCase();
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Returns the `abc` of `Bearer abc`. The scheme is case-insensitive (RFC 9110, section 11.1). */
function afterScheme({ authorization }: IncomingHttpHeaders, scheme: string): string | undefined {
  if (authorization === undefined || authorization.charCodeAt(scheme.length) !== 0x20)
    return undefined;
  if (authorization.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  return authorization.slice(scheme.length + 1).trim();
}

/**
 * RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field containing at least one
 * challenge".
 */
export function toChallenge(
  { securitySchemes, title }: RouteTable,
  { security }: Route,
): string | undefined {
  if (security.length === 0) return undefined;
  const quoted = toQuoted(title);
  const challenges = [...new Set(security.flat())].flatMap((name) => {
    const scheme = securitySchemes[name];
    if (scheme === undefined || scheme.type === 'mutualTLS') return [];
    if (scheme.type === 'apiKey') {
      return [`ApiKey realm=${quoted}, in="${scheme.in}", name=${toQuoted(scheme.name)}`];
    }
    return [`${scheme.type === 'http' ? toName(scheme.scheme) : 'Bearer'} realm=${quoted}`];
  });
  return challenges.length === 0 ? `Mutual realm=${quoted}` : challenges.join(', ');
}

/** Header values may only contain visible ASCII, and a quoted string escapes quotes and backslashes. */
function toQuoted(text: string): string {
  return `"${text.replace(/[^\u0020-\u007e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}

function toName(scheme: string): string {
  return scheme.charAt(0).toUpperCase() + scheme.slice(1);
}
