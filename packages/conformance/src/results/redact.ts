import type { CaseResult, Conclusion, ReceivedResponse, SentRequest } from './result.ts';

/** Shown for a secret that no option contains, such as a signature. */
export const BLANK = '[redacted]';

/** Shown for a secret that the operator has, with the variable that a command reads it from. */
export const NAMED = /\[redacted: (\w+)\]/g;

/** Shorter values would redact ordinary text, and shorter parts of a value are not secrets themselves. */
const MIN_LENGTH = { value: 4, part: 16 };

/** Longer ones, which only a grant may have, are matched by this many characters: no report shows more. */
const MAX_MATCHED = 16_384;

/** The signatures of calls and links differ each time, so they are recognized by the text before them. */
const SIGNATURE = /((?:sig|sign|signature|token)(?:=|%3d|\\u003d))[\w%~.+/-]{16,}/gi;

/** Maximum length of a message, in characters. It is shortened only after secrets are redacted, which it may cut. */
const MAX_MESSAGE = 5_000;

/** Formats a value for a message. */
export function quoteText(text: string | undefined): string {
  return text === '' ? '""' : (text ?? 'missing').slice(0, 2 * MAX_MATCHED);
}

export const quoteJson = (value: unknown): string => quoteText(JSON.stringify(value));

/** Replaces secrets in text, wherever they occur as sent, escaped for JSON or a URL, or in base64. */
export class Redactor {
  /** What is shown for each encoding of a secret. */
  readonly #encodings = new Map<string, string>();
  /** The encodings, the longest first, because a secret may be part of another one. Sorted when it is next needed. */
  #ordered: readonly [encoding: string, shown: string][] | undefined;
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
    const secret = value.slice(0, MAX_MATCHED);
    const escaped = JSON.stringify(secret).slice(1, -1);
    const slashes = escaped.replaceAll('/', '\\/');
    const encoded = encodeURIComponent(secret.toWellFormed());
    const base64 = Buffer.from(secret).toString('base64');
    for (const encoding of [escaped, slashes, encoded, base64])
      this.#encodings.set(encoding, BLANK);
    this.#encodings.set(secret, shown);
    this.#ordered = undefined;
  }

  get #longestFirst() {
    this.#ordered ??= [...this.#encodings].sort(([a], [b]) => b.length - a.length);
    return this.#ordered;
  }

  /** Redacts what a result quotes. Its other text is the contract's, which may contain a password that is a word. */
  redactResult(result: CaseResult): CaseResult {
    const redact = (text: string) => this.redactMessage(text);
    const redactReason = <Item extends Conclusion>(item: Item): Item => ({
      ...item,
      reason: item.reason && redact(item.reason),
    });
    const { notes, sentences, findings } = result;
    return {
      ...redactReason(result),
      notes: notes.map(redact),
      sentences: sentences.map(redactReason),
      findings: findings.map(({ message, request, response, ...finding }) => ({
        ...finding,
        message: redact(message),
        ...(request && {
          request: { ...this.#redactPart(request), url: this.redact(request.url) },
        }),
        ...(response && { response: this.#redactPart(response) }),
      })),
    };
  }

  redactMessage(message: string): string {
    const redacted = this.redact(message);
    return redacted.length > MAX_MESSAGE ? `${redacted.slice(0, MAX_MESSAGE)}…` : redacted;
  }

  redact(text: string): string {
    // A target must not be able to name a variable, whose value a command would send to it.
    const start = text.replaceAll(NAMED, BLANK);
    const redacted = this.#longestFirst.reduce(
      (all, [encoding, shown]) => all.replaceAll(encoding, () => shown),
      start,
    );
    return redacted.replace(SIGNATURE, `$1${BLANK}`);
  }

  #redactPart<Part extends SentRequest | ReceivedResponse>({ headers, body, ...part }: Part) {
    const redacted = Object.entries<string | string[]>(headers).map(([name, value]) => {
      const isSecret = this.#headers.has(name.toLowerCase());
      const shown = [value]
        .flat()
        .map((text) => (isSecret && text ? (this.#shown.get(text) ?? BLANK) : this.redact(text)));
      return [this.redact(name), Array.isArray(value) ? shown : shown[0]];
    });
    const shown = part.bodySize === undefined ? body : this.#omitCutSecret(body);
    return { ...part, headers: Object.fromEntries(redacted), body: this.redact(shown) };
  }

  /** Replaces the beginning of a secret at the end of a body that was cut. */
  #omitCutSecret(body: string): string {
    const ends = this.#longestFirst.map(([encoding]) => findBeginning(body, encoding));
    const end = Math.min(body.length, ...ends);
    return end < body.length ? body.slice(0, end) + BLANK : body;
  }
}

/** Returns where a text ends with the beginning of another; its length if it does not. */
function findBeginning(text: string, other: string): number {
  const [first = ''] = other;
  let at = text.indexOf(first, text.length - other.length);
  while (at >= 0 && !other.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at < 0 ? text.length : at;
}
