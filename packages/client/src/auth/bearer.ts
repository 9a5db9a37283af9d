import { askOnce, type GatewayAuth } from './credentials.ts';

/** Gives an access token; asked where none is known, and again when the known one expires or is refused. */
export type TokenProvider = () => string | Promise<string>;

/** A token is replaced so long before it expires, in milliseconds: longer than a call takes to arrive. */
const MARGIN = 30_000;

/**
 * Sends an access token as `Authorization: Bearer …` (RFC 6750, section 2.1). A token from a function
 * is kept until 30 s before its `exp`, where it is a JWT that has one (RFC 7519, section 4.1.4), and
 * until the gateway refuses it with status 401; then it is asked once more, however many calls wait
 * for it. Where it fails, each waiting call fails with its error as `cause`, and later ones ask
 * again. In Workers, where a request may end before its token is there, others wait 5 s for it at most.
 *
 * @param token access token of the environment, alone and without `Bearer` in front, or a function that
 *   gives one
 * @throws TypeError where the token is empty, or begins with `Bearer`
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
    end = endOf(value);
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
  if (typeof token !== 'string' || token.trim() === '') throw new TypeError('The token is empty.');
  if (/^\s*bearer\s/i.test(token)) {
    throw new TypeError('token must be the token alone, without "Bearer" in front.');
  }
  return `Bearer ${token}`;
}

/** When a token is to be replaced, in milliseconds since the epoch. */
function endOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload));
    if (typeof exp === 'number') return exp * 1000 - MARGIN;
  } catch {
    // It is no JWT, and only the gateway knows how long it works.
  }
  return Number.POSITIVE_INFINITY;
}
