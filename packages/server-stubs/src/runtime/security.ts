import type { SecurityHandlers } from './options.ts';
import type { Call, HandlerResponse, PrincipalsByScheme } from './portable/call.ts';
import { createNullObject, decodeQuery, findCookies, parseQuery } from './portable/encoding.ts';
import { findHeader } from './portable/headers.ts';
import { HttpError, hasResponse } from './portable/http-error.ts';
import type { Route, RouteTable, SecurityScheme } from './portable/route-table.ts';
import { findHandler } from './portable/user-input.ts';

/**
 * Creates a function that returns the principals of the first alternative whose schemes all accept the caller, and
 * otherwise throws the first error with which a handler rejected the caller.
 *
 * @throws TypeError if a scheme has no handler
 */
export function createAuthentication(
  { securitySchemes }: RouteTable,
  { security, scopes }: Route,
  handlers: SecurityHandlers,
): ((call: Call) => Promise<PrincipalsByScheme>) | undefined {
  if (security.length === 0) return undefined;
  const alternatives = security.map((names, index) =>
    names.map((name) => {
      const scheme = securitySchemes[name];
      const handle = findHandler(handlers, name);
      if (!scheme) throw new TypeError(`The document does not define the security scheme ${name}.`);
      if (!handle) {
        throw new TypeError(`options.security.${name} is missing: the document uses this scheme.`);
      }
      return { name, scheme, handle, scopes: scopes?.[index]?.[name] ?? [] };
    }),
  );
  // `{}` makes authentication optional, so try it last.
  alternatives.sort((a, b) => Number(a.length === 0) - Number(b.length === 0));
  return async (call) => {
    let missing: SecurityScheme | undefined;
    let wasTried = false;
    let reason: unknown;
    for (const requirements of alternatives) {
      const credentials = requirements.map(({ scheme }) => findCredential(scheme, call));
      const missingAt = credentials.indexOf(undefined);
      if (missingAt >= 0) {
        // No handler is called.
        missing ??= requirements[missingAt]?.scheme;
        continue;
      }
      wasTried = true;
      const principals = createNullObject();
      let isAccepted = true;
      try {
        for (let index = 0; isAccepted && index < requirements.length; index += 1) {
          const { name, handle, scopes } = requirements[index] as (typeof requirements)[number];
          const principal = await handle(credentials[index] as string, call, scopes);
          isAccepted = !isRejection(principal);
          principals[name] = principal;
        }
        if (isAccepted) return principals;
      } catch (error) {
        if (!hasResponse(error)) throw error;
        reason ??= error;
      }
    }
    if (!wasTried && missing !== undefined) {
      throw new HttpError('missing-credentials', describeMissing(missing));
    }
    throw reason ?? new HttpError('unauthorized', 'The credentials are invalid.');
  };
}

/** Only `undefined` is documented, but a handler in JavaScript that returns nothing useful must not authenticate. */
export function isRejection(principal: unknown): boolean {
  return principal === undefined || principal === null || principal === false;
}

function describeMissing(scheme: SecurityScheme): string {
  if (scheme.type === 'mutualTLS') return 'The client certificate is missing.';
  if (scheme.type !== 'apiKey') {
    return `The Authorization header has no ${toHttpScheme(scheme)} credentials.`;
  }
  return scheme.in === 'query'
    ? `The query parameter ${scheme.name} is missing, repeated, or has invalid percent-encoding.`
    : `The ${scheme.name} ${scheme.in} is missing.`;
}

function findCredential(
  scheme: SecurityScheme,
  { request: { headers }, rawQuery = '' }: Call,
): string | undefined {
  // The handler reads the certificate from the request.
  if (scheme.type === 'mutualTLS') return '';
  if (scheme.type !== 'apiKey') return afterScheme(headers.authorization, toHttpScheme(scheme));
  const { in: location, name } = scheme;
  if (location === 'header') return findHeader(headers, name.toLowerCase());
  if (location === 'cookie') return findCookies(headers.cookie, name)[0];
  const values = parseQuery(rawQuery).get(name);
  return values?.length === 1 ? decodeQuery(values[0] as string) : undefined;
}

/** The types whose credentials are in the `Authorization` header. Callers must handle any other. */
type HttpScheme = Extract<SecurityScheme, { type: 'http' | 'oauth2' | 'openIdConnect' }>;

/** The scheme of the `Authorization` header. OAuth 2.0 and OpenID Connect have bearer tokens (RFC 6750). */
function toHttpScheme(scheme: HttpScheme): string {
  return scheme.type === 'http' ? scheme.scheme : 'bearer';
}

/** Returns the `abc` of `Bearer abc`. The scheme is case-insensitive (RFC 9110, section 11.1). */
function afterScheme(authorization = '', scheme = ''): string | undefined {
  const prefix = authorization.slice(0, scheme.length + 1);
  const isScheme = prefix.toLowerCase() === `${scheme.toLowerCase()} `;
  return isScheme ? authorization.slice(prefix.length).trim() : undefined;
}

/**
 * RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field containing at least one challenge". If an
 * operation without schemes rejects its caller, these are the challenges of all schemes of the document.
 */
export function toChallenge(
  { securitySchemes, title }: RouteTable,
  route: Route | undefined,
): HandlerResponse['headers'] {
  const realm = toQuoted(title);
  const required = route?.security.flat() ?? [];
  const names = required.length > 0 ? required : Object.keys(securitySchemes);
  const schemes = names.flatMap((name) => securitySchemes[name] ?? []);
  const challenges = schemes.flatMap((scheme) => {
    if (scheme.type === 'mutualTLS') return [];
    if (scheme.type === 'apiKey') {
      return [`ApiKey realm=${realm}, in="${scheme.in}", name=${toQuoted(scheme.name)}`];
    }
    const type = toHttpScheme(scheme);
    return [`${type.charAt(0).toUpperCase()}${type.slice(1)} realm=${realm}`];
  });
  const fallback = schemes.length > 0 ? 'Mutual' : 'Bearer';
  if (challenges.length === 0) challenges.push(`${fallback} realm=${realm}`);
  // Schemes may share a challenge.
  return { 'www-authenticate': [...new Set(challenges)].join(', ') };
}

/** Header values may only contain visible ASCII, and a quoted string escapes quotes and backslashes. */
function toQuoted(text: string): string {
  return `"${text.replace(/[^\u0020-\u007e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
