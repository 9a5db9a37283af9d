import type { Middleware } from 'openapi-fetch';
import { setHeader } from './set-header.ts';

/** An access token, or a function that gives one for each call. */
export type TokenSource = string | (() => string | Promise<string>);

/** Middleware that sends a Bearer token (RFC 6750, section 2.1) where a call has no `Authorization`. */
export function bearer(token: TokenSource): Middleware {
  return {
    async onRequest({ request }) {
      if (request.headers.has('Authorization')) return;
      const value = typeof token === 'function' ? await token() : token;
      if (!value) throw new TypeError('The token is empty.');
      setHeader(request.headers, 'Authorization', `Bearer ${value}`);
    },
  };
}
