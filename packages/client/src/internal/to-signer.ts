import type { GatewayAuth } from '../auth/auth.ts';
import type { Signer } from './pipeline/pipeline-call.ts';
import { setHeader } from './set-header.ts';

/** Signs calls with what a {@link GatewayAuth} gives, where a call has no `Authorization` of its own. */
export function toSigner(auth: GatewayAuth): Signer {
  return {
    async sign(request) {
      if (request.headers.has('Authorization')) return;
      const value = await auth.authorize(request);
      if (value !== undefined) setHeader(request.headers, 'Authorization', value);
    },
    refresh: async (refused) =>
      (await auth.refresh?.(refused.get('Authorization') ?? undefined)) ?? false,
  };
}
