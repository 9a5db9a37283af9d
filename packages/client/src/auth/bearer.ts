import { askOnce, type GatewayAuth } from './credentials.ts';

/** Returns an access token. Called when none is known, or when the known one expires or is refused. */
export type TokenProvider = () => string | Promise<string>;

/** How long before its expiry a token is replaced, in milliseconds; longer than a request takes. */
const MARGIN = 30_000;

/**
 * Sends an access token as `Authorization: Bearer …` (RFC 6750, section 2.1). A token from a function
 * is cached until the gateway refuses it with status 401 or, if it is a JWT with an `exp`, until 30 s
 * before that (RFC 7519, section 4.1.4). Then the function is called again, once for all waiting calls.
 * If it fails, each waiting call fails with its error as `cause`, and later calls try again. In
 * Workers, where a request may end before its token arrives, other requests wait for it at most 5 s.
 *
 * @param token access token of the environment without the `Bearer` prefix, or a function that returns
 *   one
 * @throws TypeError if the token is empty or begins with `Bearer`
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

/** When to replace a token, in milliseconds since the epoch. */
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
