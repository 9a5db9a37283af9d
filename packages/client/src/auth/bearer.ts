import { askOnce } from '../internal/ask-once.ts';
import type { GatewayAuth } from './auth.ts';

/** Gives an access token; asked where none is known, and again when the known one has expired. */
export type TokenProvider = () => string | Promise<string>;

/**
 * Sends an access token as `Authorization: Bearer …` (RFC 6750, section 2.1). A token from a function
 * is kept until the gateway says ACCESS_TOKEN_EXPIRED; then it is asked once more, however many calls
 * wait for it. Where it fails, each waiting call fails with its error as `cause`, and later ones ask
 * again. In Workers, where a request may end before its token is there, others wait 5 s for it at most.
 *
 * @param token access token of the environment, alone and without `Bearer` in front, or a function that
 *   gives one
 * @throws TypeError where the token is empty
 *
 * @example
 * const auth = bearer(async () => (await fetch('/my-backend/token')).text());
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', auth });
 */
export function bearer(token: string | TokenProvider): GatewayAuth {
  if (typeof token !== 'function') {
    const value = toValue(token);
    return { authorize: () => value };
  }
  const ask = askOnce(token, 'the token');
  let known: string | undefined;
  const load = async () => {
    known = undefined;
    const value = toValue(await ask());
    known = value;
    return value;
  };
  return {
    authorize: () => known ?? load(),
    async refresh(refused = known) {
      const isStale = known === undefined || known === refused;
      return (isStale ? await load() : known) !== refused;
    },
  };
}

function toValue(token: string): string {
  if (typeof token !== 'string' || token.trim() === '') throw new TypeError('The token is empty.');
  return `Bearer ${token}`;
}
