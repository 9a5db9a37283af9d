import type { GatewayAuth } from '../auth/auth.ts';
import type { Signer } from './pipeline/pipeline-call.ts';
import { toHeaderValue } from './to-header-value.ts';

/** Signs calls with what a {@link GatewayAuth} gives, where a call has no `Authorization` of its own. */
export function toSigner(auth: GatewayAuth): Signer {
  return {
    async sign({ method, url, body }, own, now) {
      if (own.authorization !== undefined) return own;
      let seen: Headers | undefined;
      // Few signers look at the address and the headers; those may add some.
      const value = await auth.authorize({
        method,
        body,
        now,
        get url() {
          return new URL(url, (globalThis as { location?: { href: string } }).location?.href);
        },
        get headers() {
          seen ??= new Headers(own);
          return seen;
        },
      });
      const headers = seen ? Object.fromEntries<string>(seen) : { ...own };
      if (value !== undefined) headers.authorization = toHeaderValue('Authorization', value);
      return headers;
    },
    refresh: async (refused) => (await auth.refresh?.(refused.authorization)) ?? false,
  };
}
