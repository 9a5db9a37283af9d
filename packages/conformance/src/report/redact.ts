import { shortenCited } from '../invariants/claims.ts';
import { SECRETS, type Settings } from '../options.ts';

export const BLANK = '[redacted]';

/** Shorter values would redact ordinary text, and shorter parts of a value are not secrets themselves. */
const MIN_LENGTH = { value: 4, part: 16 };

/** Longer ones, which only a grant may have, are known by their beginning: no report shows so much of a body. */
const MAX_LENGTH = 16_384;

/** Signatures differ for each call, so they are recognized by the text before them. */
const SIGNATURE = /(Signature(?:=|%3[Dd]|\\u003[Dd]))[0-9a-fA-F]{16,}/g;

interface Secrets {
  /** Complete values, and their long parts, such as a signature. */
  values: string[];
  headers: string[];
  /** The header value of the access token, which a reader of the report has, too. */
  bearer?: string | undefined;
}

export function listSecrets(settings: Settings): Secrets {
  const { gatewayToken, wireProfile } = settings;
  const secrets: unknown[] = SECRETS.map((name) => settings[name]);
  const lists = secrets.filter((secret) => typeof secret === 'object').map(Object);
  const texts = secrets.filter((secret) => typeof secret === 'string');
  const values = [...texts, ...lists.flatMap((list) => Object.values<string>(list))];
  const parts = values.flatMap((value) => value.split(/[\s,;=/]+/));
  const profileHeaders = Object.values(wireProfile.storageHeaders);
  const headers = ['authorization', 'proxy-authorization', ...lists.flatMap(Object.keys)];
  return {
    values: [...values, ...parts.filter(({ length }) => length >= MIN_LENGTH.part)],
    headers: [...headers, ...profileHeaders].map((name) => name.toLowerCase()),
    bearer: gatewayToken && `Bearer ${gatewayToken}`,
  };
}

/** Replaces secrets in text, wherever they occur as sent, escaped for JSON or a URL, or in base64, and shortens cited values. */
export class Redactor {
  readonly #spellings = new Set<string>();
  /** The spellings, the longest first, because a secret may be part of another one. */
  #ordered: string[] = [];
  readonly #headers: Set<string>;
  readonly #bearer: string | undefined;

  constructor({ values, headers, bearer }: Secrets) {
    this.#bearer = bearer;
    this.#headers = new Set(headers);
    for (const value of values) this.add(value);
  }

  add(value: string): void {
    if (value.length < MIN_LENGTH.value) return;
    const secret = value.slice(0, MAX_LENGTH);
    const escaped = JSON.stringify(secret).slice(1, -1);
    const slashes = escaped.replaceAll('/', '\\/');
    const encoded = encodeURIComponent(secret.toWellFormed());
    const base64 = Buffer.from(secret).toString('base64');
    for (const spelling of [secret, escaped, slashes, encoded, base64]) {
      this.#spellings.add(spelling);
    }
  }

  /** Adds the credentials in an upload grant, which allow anyone to write. */
  addGrant({ token, authorization }: Record<string, unknown> = {}): void {
    for (const value of [token, authorization]) if (typeof value === 'string') this.add(value);
  }

  redact<T>(value: T): T {
    this.#ordered = [...this.#spellings].sort((a, b) => b.length - a.length);
    return this.#redact(value) as T;
  }

  #redact(node: unknown, parent?: string): unknown {
    if (typeof node === 'string') return this.#redactText(node);
    if (Array.isArray(node)) return node.map((item) => this.#redact(item));
    if (typeof node !== 'object' || node === null) return node;
    const fields = Object.entries(node).map(([name, item]) => {
      const isSecret = parent === 'headers' && this.#headers.has(name.toLowerCase()) && item;
      // Only with this value can a reader repeat the call.
      if (isSecret) return [name, item === this.#bearer ? `Bearer ${BLANK}` : BLANK];
      const isCut = name === 'body' && 'bodySize' in node;
      const shown = isCut ? this.#redactCut(String(item)) : this.#redact(item, name);
      return [this.#redactText(name), shown];
    });
    return Object.fromEntries(fields);
  }

  #redactText(text: string): string {
    const redacted = this.#ordered.reduce((all, spelling) => all.replaceAll(spelling, BLANK), text);
    return shortenCited(redacted.replace(SIGNATURE, `$1${BLANK}`));
  }

  /** A body that was cut may end within a secret. */
  #redactCut(body: string): string {
    const longest = this.#ordered[0]?.length ?? 0;
    return this.#redactText(body.slice(0, Math.max(0, body.length - longest)));
  }
}
