import type { GatewayAuth } from '../auth/auth.ts';
import type { Signer } from './pipeline/pipeline-call.ts';
import { toHeaderValue } from './to-header-value.ts';

/** Signs calls with what a {@link GatewayAuth} gives, where a call has no `Authorization` of its own. */
export function toSigner(auth: GatewayAuth): Signer {
  return {
    sign({ method, url, body }, own, now) {
      if (own.authorization !== undefined) return own;
      const headers: Record<string, string> = { ...own };
      const put = (value: string | undefined) => {
        if (value !== undefined) headers.authorization = toHeaderValue('Authorization', value);
        return headers;
      };
      const value = auth.authorize({ method, url, headers, body, now });
      return typeof value === 'object' ? Promise.resolve(value).then(put) : put(value);
    },
    refresh: async (refused) => (await auth.refresh?.(refused.authorization)) ?? false,
  };
}
