import { SECRETS, type Settings, toVariable } from './options.ts';

/** Shown for a secret that no option contains, such as a signature. */
export const BLANK = '[redacted]';

/** Shown for a secret that the operator has, with the variable that a command reads it from. */
export const NAMED = /\[redacted: (\w+)\]/g;

/** Shorter values would redact ordinary text, and shorter parts of a value are not secrets themselves. */
const MIN_LENGTH = { value: 4, part: 16 };

/** Longer ones, which only a grant may have, are known by their beginning: no report shows so much of a body. */
const MAX_LENGTH = 16_384;

/** Signatures differ for each call, so they are recognized by the text before them. */
const SIGNATURE = /(Signature(?:=|%3[Dd]|\\u003[Dd]))[0-9a-fA-F]{16,}/g;

/** Maximum length of a message, in characters. It is shortened only after secrets are redacted, which it may cut. */
const MAX_MESSAGE = 5_000;

/** Formats a value for a message. */
export function cite(text: string | undefined): string {
  return text === '' ? '""' : (text ?? 'missing').slice(0, 2 * MAX_LENGTH);
}

export const show = (value: unknown): string => cite(JSON.stringify(value));

/** Creates a redactor that knows the secrets in the options. */
export function createRedactor(settings: Settings): Redactor {
  const headers = Object.values(settings.wireProfile.storageHeaders);
  const redactor = new Redactor(['authorization', 'proxy-authorization', ...headers]);
  for (const option of SECRETS) {
    const secret = settings[option] ?? {};
    if (typeof secret === 'string') redactor.addOption(secret, toVariable(option));
    else for (const header of Object.entries(secret)) redactor.addHeader(...header);
  }
  return redactor;
}

/** Replaces secrets in text, wherever they occur as sent, escaped for JSON or a URL, or in base64. */
export class Redactor {
  /** What is shown for each spelling of a secret. */
  readonly #spellings = new Map<string, string>();
  /** The spellings, the longest first, because a secret may be part of another one. */
  #ordered: [spelling: string, shown: string][] = [];
  /** The headers that contain credentials, and what is shown for those values of them that the operator has. */
  readonly #headers: Set<string>;
  readonly #shown = new Map<unknown, string>();

  constructor(headers: readonly string[] = []) {
    this.#headers = new Set(headers.map((name) => name.toLowerCase()));
  }

  /** Adds a header that the operator has set. The variable for its value is its name: `X_SVC_SESSIONTOKEN`. */
  addHeader(name: string, value: string): void {
    this.#headers.add(name.toLowerCase());
    this.addOption(value, name.toUpperCase().replaceAll(/\W/g, '_'));
  }

  addOption(value: string, variable: string): void {
    const shown = `[redacted: ${variable}]`;
    this.#shown.set(value, shown).set(`Bearer ${value}`, `Bearer ${shown}`);
    for (const part of value.split(/[\s,;=/]+/)) if (part.length >= MIN_LENGTH.part) this.add(part);
    this.add(value, shown);
  }

  /** Adds the credentials in an upload grant, which allow anyone to write. */
  addGrant({ token, authorization }: Record<string, unknown> = {}): void {
    for (const value of [token, authorization]) if (typeof value === 'string') this.add(value);
  }

  add(value: string, shown = BLANK): void {
    if (value.length < MIN_LENGTH.value) return;
    const secret = value.slice(0, MAX_LENGTH);
    const escaped = JSON.stringify(secret).slice(1, -1);
    const slashes = escaped.replaceAll('/', '\\/');
    const encoded = encodeURIComponent(secret.toWellFormed());
    const base64 = Buffer.from(secret).toString('base64');
    for (const spelling of [escaped, slashes, encoded, base64])
      this.#spellings.set(spelling, BLANK);
    this.#spellings.set(secret, shown);
  }

  /** Redacts a message, and shortens it. */
  redactMessage(message: string): string {
    const redacted = this.redact(message);
    return redacted.length > MAX_MESSAGE ? `${redacted.slice(0, MAX_MESSAGE)}…` : redacted;
  }

  redact<T>(value: T): T {
    this.#ordered = [...this.#spellings].sort(([a], [b]) => b.length - a.length);
    return this.#redact(value) as T;
  }

  #redact(node: unknown, parent?: string): unknown {
    if (typeof node === 'string') return this.#redactText(node);
    if (Array.isArray(node)) return node.map((item) => this.#redact(item));
    if (typeof node !== 'object' || node === null) return node;
    const fields = Object.entries(node).map(([name, item]) => {
      const isSecret = parent === 'headers' && this.#headers.has(name.toLowerCase()) && item;
      if (isSecret) return [name, this.#shown.get(item) ?? BLANK];
      const isCut = name === 'body' && 'bodySize' in node;
      const shown = isCut ? this.#redactCut(String(item)) : this.#redact(item, name);
      return [this.#redactText(name), shown];
    });
    return Object.fromEntries(fields);
  }

  #redactText(text: string): string {
    // A target must not be able to name a variable, whose value a command would send to it.
    const start = text.replaceAll(NAMED, BLANK);
    const redacted = this.#ordered.reduce(
      (all, [spelling, shown]) => all.replaceAll(spelling, () => shown),
      start,
    );
    return redacted.replace(SIGNATURE, `$1${BLANK}`);
  }

  /** A body that was cut may end within a secret. */
  #redactCut(body: string): string {
    const [longest = ''] = this.#ordered[0] ?? [];
    return this.#redactText(body.slice(0, Math.max(0, body.length - longest.length)));
  }
}
