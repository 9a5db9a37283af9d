import { askOnce, type GatewayAuth } from './credentials.ts';

/**
 * Returns an access token. Called if there is no token yet, and when the current one expires or is
 * rejected.
 */
export type TokenProvider = () => string | Promise<string>;

/** How long before its expiry a token is replaced, in milliseconds. Longer than a request takes. */
const MARGIN = 30_000;

/**
 * Sends an access token as `Authorization: Bearer …` (RFC 6750, section 2.1). If you pass a function,
 * its token is cached until the gateway rejects it with 401, or, for a JWT with an `exp` claim, until 30
 * s before it expires (RFC 7519, section 4.1.4). The function is then called again, once for all waiting
 * calls. If it fails, every waiting call fails with that error as `cause`, and later calls try again.
 *
 * @param token access token of the environment without the `Bearer` prefix, or a function that returns
 *   one
 * @throws TypeError if the token is empty or starts with `Bearer`
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
  let end = 0;
  const load = async () => {
    known = undefined;
    const value = toValue(await ask());
    known = value;
    end = expiryOf(value);
    return value;
  };
  return {
    authorize: ({ now }) => (known !== undefined && now < end ? known : load()),
    async refresh(refused = known) {
      const isStale = known === undefined || known === refused;
      return (isStale ? await load() : known) !== refused;
    },
  };
}

function toValue(token: string): string {
  if (typeof token !== 'string' || token.trim() === '') throw new TypeError('token is empty.');
  if (/^\s*bearer\s/i.test(token)) {
    throw new TypeError('token must not include "Bearer".');
  }
  return `Bearer ${token}`;
}

/** Returns when to replace a token, in milliseconds since the epoch. */
function expiryOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload));
    if (typeof exp === 'number') return exp * 1000 - MARGIN;
  } catch {
    // Not a JWT: only the gateway knows when it expires.
  }
  return Number.POSITIVE_INFINITY;
}
