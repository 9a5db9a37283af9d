import type { Settings } from '../options.ts';
import { BLANK, createSecretIndex, type SecretIndex } from './secret-index.ts';

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
 * of the headers that carry them, however short.
 *
 * @param index finds the values. Default: made of them; one that grows later is obeyed
 */
export function createRedactor(
  { values, headers }: Secrets,
  index: SecretIndex = toIndex(values),
): <T>(value: T) => T {
  const blank = (text: string) => index.blank(text).replace(SIGNATURE, `$1${BLANK}`);
  const walk = (value: unknown, parent?: string): unknown => {
    if (typeof value === 'string') return blank(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== 'object' || value === null) return value;
    const isCut = 'bodySize' in value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const isSecret = parent === 'headers' && headers.includes(name.toLowerCase()) && item;
        if (isSecret) return [blank(name), BLANK];
        const isEnd = isCut && name === 'body' && typeof item === 'string';
        return [blank(name), walk(isEnd ? index.blankCut(item) : item, name)];
      }),
    );
  };
  return <T>(value: T) => walk(value) as T;
}

export function toIndex(values: readonly string[]): SecretIndex {
  const index = createSecretIndex();
  for (const value of values) index.add(value);
  return index;
}
