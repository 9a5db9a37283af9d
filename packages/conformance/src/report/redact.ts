import type { Settings } from '../options.ts';

const BLANK = '[redacted]';

/** Shorter values would blank ordinary text; as header values they are blanked all the same. */
const SHORTEST = 4;
/** Pieces of a composed credential, such as a signature, that are secrets of their own. */
const SHORTEST_PIECE = 16;

export interface Secrets {
  values: string[];
  /** Lower-case names of the headers whose values are never shown. */
  headers: string[];
}

/** Where the secrets of a run stand. */
type Credentials = Pick<Settings, 'storageHeaders'> &
  Partial<
    Pick<
      Settings,
      'gatewayToken' | 'otherEnvToken' | 'expiredToken' | 'tc3' | 'wireProfile' | 'proxy'
    >
  >;

/** The credentials of a run: whole values, long pieces of them, and the headers that carry them. */
export function listSecrets(given: Credentials): Secrets {
  const { gatewayToken, otherEnvToken, expiredToken, tc3 } = given;
  const { storageHeaders, wireProfile, proxy } = given;
  const tokens = [gatewayToken, otherEnvToken, expiredToken, tc3?.secretKey, tc3?.token];
  const { username = '', password = '' } = proxy === undefined ? {} : new URL(proxy);
  const login = [decodeURIComponent(password), `${username}:${password}`].filter((s) => s !== ':');
  const whole = [...tokens, ...login, ...Object.values(storageHeaders)].filter(
    (s) => s !== undefined,
  );
  const pieces = whole.flatMap((value) => value.split(/[\s,;=/]+/));
  return {
    values: [...whole, ...pieces.filter((piece) => piece.length >= SHORTEST_PIECE)],
    headers: [
      ...['authorization', 'proxy-authorization'],
      ...[...Object.keys(storageHeaders), ...Object.values(wireProfile?.storageHeaders ?? {})].map(
        (name) => name.toLowerCase(),
      ),
    ],
  };
}

/**
 * A function that blanks the secrets in every string of a value, as they are, JSON-escaped and
 * percent-encoded, and the values of the headers that carry them.
 */
export function createRedactor({ values, headers }: Secrets): <T>(value: T) => T {
  const spellings = values
    .filter(({ length }) => length >= SHORTEST)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
    ]);
  // The longest first, so that no piece of a whole value is left beside a blank.
  const secrets = [...new Set(spellings)].sort((a, b) => b.length - a.length);

  const blank = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, BLANK), text);
  const walk = (value: unknown, parent?: string): unknown => {
    if (typeof value === 'string') return blank(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const isSecret = parent === 'headers' && headers.includes(name.toLowerCase()) && item;
        return [blank(name), isSecret ? BLANK : walk(item, name)];
      }),
    );
  };
  return <T>(value: T) => walk(value) as T;
}
