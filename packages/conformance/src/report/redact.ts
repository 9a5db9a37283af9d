import type { Settings } from '../options.ts';
import { toSpellings } from './to-spellings.ts';

export const BLANK = '[redacted]';

/** Shorter values would blank ordinary text; as header values they are blanked all the same. */
const SHORTEST = 4;
/** Pieces of a composed credential, such as a signature, that are secrets of their own. */
const SHORTEST_PIECE = 16;
/** Signatures are made anew for each call, so they are known by what stands before them. */
const SIGNATURE = /(Signature(?:=|%3[Dd]|\\u003[Dd]))[0-9a-fA-F]{16,}/g;

export interface Secrets {
  values: string[];
  /** Lower-case names of the headers whose values are never shown. */
  headers: string[];
}

/** Where the secrets of a run stand. */
type Credentials = Partial<
  Pick<
    Settings,
    | 'storageHeaders'
    | 'gatewayToken'
    | 'otherEnvToken'
    | 'expiredToken'
    | 'tc3'
    | 'wireProfile'
    | 'proxy'
  >
>;

/** The credentials of a run: whole values, long pieces of them, and the headers that carry them. */
export function listSecrets(given: Credentials): Secrets {
  const { gatewayToken, otherEnvToken, expiredToken, tc3 } = given;
  const { storageHeaders = {}, wireProfile, proxy } = given;
  const tokens = [gatewayToken, otherEnvToken, expiredToken, tc3?.secretKey, tc3?.token];
  const whole = [...tokens, ...toLogin(proxy), ...Object.values(storageHeaders)].filter(
    (value) => value !== undefined,
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

/** What a proxy's URL gives away; the URL itself may be bad. */
function toLogin(proxy: string | undefined): string[] {
  if (proxy === undefined) return [];
  const login = /^[^/]*\/\/([^/@]*:([^/@]*))@/.exec(proxy)?.slice(1) ?? [];
  const { username, password } = URL.canParse(proxy)
    ? new URL(proxy)
    : { username: '', password: '' };
  const decoded = [password, `${username}:${password}`].map((text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  });
  return [...login, ...decoded].filter((text) => text.length > 1);
}

/**
 * A function that blanks the secrets in every string of a value, however they are spelt, and the values
 * of the headers that carry them.
 *
 * @param spell the spellings of one secret. Default: `toSpellings`
 */
export function createRedactor(
  { values, headers }: Secrets,
  spell: (value: string) => string[] = toSpellings,
): <T>(value: T) => T {
  const spellings = values.filter(({ length }) => length >= SHORTEST).flatMap(spell);
  // The longest first, so that no piece of a whole value is left beside a blank.
  const secrets = [...new Set(spellings)].sort((a, b) => b.length - a.length);

  const blank = (text: string) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, BLANK), text)
      .replace(SIGNATURE, `$1${BLANK}`);
  const walk = (value: unknown, parent?: string): unknown => {
    if (typeof value === 'string') return blank(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== 'object' || value === null) return value;
    const isCut = 'bodySize' in value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const isSecret = parent === 'headers' && headers.includes(name.toLowerCase()) && item;
        if (isSecret) return [blank(name), BLANK];
        const shown = walk(item, name);
        return [
          blank(name),
          isCut && name === 'body' ? withoutStart(String(shown), secrets) : shown,
        ];
      }),
    );
  };
  return <T>(value: T) => walk(value) as T;
}

/** Text that was cut may end in the beginning of a secret. */
function withoutStart(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= SHORTEST; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${BLANK}`;
    }
  }
  return text;
}
