import type { Answer, Fault } from '../runtime/index.ts';
import type { Cors } from './cors.ts';

interface Asked {
  readonly request: {
    readonly method?: string | undefined;
    readonly headers: { readonly origin?: string | undefined };
  };
}

/**
 * The answer to OPTIONS, which no operation takes; undefined for any other fault.
 *
 * D11: "OPTIONS is the CORS preflight (204)", also for a path that is none: only then may a browser
 * read the error of the real call.
 */
export function toPreflight({ kind }: Fault, { request }: Asked, cors: Cors): Answer | undefined {
  if (request.method !== 'OPTIONS') return undefined;
  if (kind !== 'method-not-allowed' && kind !== 'not-found') return undefined;
  const headers = cors.preflight(request.headers.origin);
  return { status: 204, headers: { ...headers, allow: headers['access-control-allow-methods'] } };
}
