import type { Settings } from '../options.ts';

/** Adjacent bytes shift the base64 of a secret; these are the parts that stay the same. */
const SHIFTS = [0, 1, 2];

/** Shorter pieces of base64 are ordinary words. */
const SHORTEST_BASE64 = 8;

/**
 * Returns the forms in which a target may echo a secret: unchanged, in another case, escaped for JSON, HTML,
 * a URL or a form, in base64 at any offset, in hex.
 */
function toSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const url = encodeURIComponent(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = SHIFTS.map((shift) => toBase64Inside(bytes, shift)).filter(
    ({ length }) => length >= SHORTEST_BASE64,
  );
  return [
    ...[secret, secret.toLowerCase(), secret.toUpperCase()],
    ...[json, json.replaceAll('/', '\\/'), toUnicodeEscapes(secret)],
    ...[url, url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    ...[url.replaceAll('%20', '+'), encodeURI(secret), encodeURIComponent(url)],
    ...[toHtml(secret), toHtml(secret).replaceAll('&#39;', '&apos;')],
    ...[bytes.toString('base64'), ...base64],
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
  ];
}

function toBase64Inside(bytes: Buffer, shift: number): string {
  const start = (3 - shift) % 3;
  const end = bytes.length - ((bytes.length - start) % 3);
  return bytes.subarray(start, end).toString('base64');
}

/** Escapes the characters that some serializers escape although JSON does not require it. */
function toUnicodeEscapes(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '\\u0022')
    .replace(/[<>&'=+/]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function toHtml(text: string): string {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replace(/[&<>"']/g, (c) => `&${names[c] ?? '#39'};`);
}

export const BLANK = '[redacted]';

/** Returns the parts of a composed credential that are secrets themselves, such as a signature. */
const SHORTEST_PIECE = 16;

/** Signatures differ for each call, so they are recognized by the text before them. */
const SIGNATURE = /(Signature(?:=|%3[Dd]|\\u003[Dd]))[0-9a-fA-F]{16,}/g;

export interface Secrets {
  values: string[];
  /** Lower-case names of the headers whose values are never shown. */
  headers: string[];
}

type Credentials = Partial<
  Pick<
    Settings,
    'storageHeaders' | 'gatewayToken' | 'otherEnvToken' | 'expiredToken' | 'tc3' | 'wireProfile'
  >
>;

/**
 * Lists a run's credentials: their complete values, the long parts of these values, and the headers that
 * contain them.
 */
export function listSecrets(given: Credentials): Secrets {
  const { gatewayToken, otherEnvToken, expiredToken, tc3, wireProfile } = given;
  const { storageHeaders = {} } = given;
  const tokens = [gatewayToken, otherEnvToken, expiredToken, tc3?.secretKey, tc3?.token];
  const whole = [...tokens, ...Object.values(storageHeaders)].filter(
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

/** Shorter values would redact ordinary text. Also the number of characters in the index. */
const SHORTEST = 4;

/** Limits the memory of a long run. */
const MOST_SPELLINGS = 400_000;

/** Finds thousands of secrets in text, and replaces them. */
export class Redactor {
  /** Spellings by their first characters. */
  readonly #index = new Map<string, string[]>();
  readonly #known = new Set<string>();
  readonly #headers: Set<string>;
  #longest = 0;

  constructor({ values, headers }: Secrets) {
    this.#headers = new Set(headers);
    for (const value of values) this.add(value);
  }

  add(secret: string): void {
    if (this.#known.has(secret) || this.#known.size > MOST_SPELLINGS) return;
    for (const spelling of toSpellings(secret)) {
      if (spelling.length < SHORTEST || this.#known.has(spelling)) continue;
      this.#known.add(spelling);
      this.#longest = Math.max(this.#longest, spelling.length);
      const key = spelling.slice(0, SHORTEST);
      const others = this.#index.get(key);
      if (others) others.push(spelling);
      else this.#index.set(key, [spelling]);
    }
  }

  /** Adds the credentials in an upload grant, which allow anyone to write. */
  addGrant({ token, authorization }: Record<string, unknown> = {}): void {
    for (const value of [token, authorization]) if (typeof value === 'string') this.add(value);
  }

  /**
   * Redacts secrets in every string of a value, in any encoding. It also redacts the values of headers that
   * contain secrets, however short these values are.
   */
  redact = <T>(value: T): T => this.#walk(value) as T;

  #walk(value: unknown, parent?: string): unknown {
    if (typeof value === 'string') return this.#blank(value);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (typeof value !== 'object' || value === null) return value;
    const isCut = 'bodySize' in value;
    const fields = Object.entries(value).map(([name, item]) => {
      const isSecret = parent === 'headers' && this.#headers.has(name.toLowerCase()) && item;
      if (isSecret) return [this.#blank(name), BLANK];
      const isEnd = isCut && name === 'body' && typeof item === 'string';
      return [this.#blank(name), this.#walk(isEnd ? this.#blankEnd(item) : item, name)];
    });
    return Object.fromEntries(fields);
  }

  /** Replaces every secret; overlapping ones are replaced together. */
  #blank(text: string): string {
    let shown = '';
    let end = 0;
    for (let place = 0; place <= text.length - SHORTEST; place += 1) {
      for (const secret of this.#index.get(text.slice(place, place + SHORTEST)) ?? []) {
        if (!text.startsWith(secret, place)) continue;
        if (place >= end) shown += text.slice(end, place) + BLANK;
        end = Math.max(end, place + secret.length);
      }
    }
    return (shown + text.slice(end)).replace(SIGNATURE, `$1${BLANK}`);
  }

  /** Replaces the start of a secret at the end of truncated text. */
  #blankEnd(text: string): string {
    const first = Math.max(0, text.length - this.#longest);
    for (let place = first; place <= text.length - SHORTEST; place += 1) {
      const rest = text.slice(place);
      const secrets = this.#index.get(rest.slice(0, SHORTEST)) ?? [];
      if (secrets.some((secret) => secret.startsWith(rest))) return text.slice(0, place) + BLANK;
    }
    return text;
  }
}

export function createRedactor(secrets: Secrets): <T>(value: T) => T {
  return new Redactor(secrets).redact;
}
