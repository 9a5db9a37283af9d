import { createHash } from 'node:crypto';

/** Names that are in scope in generated modules. */
const RESERVED = `
  Call Handlers SecurityHandlers Principals RawBody Readable Router RouterOptions RouteTable Validator
  SecurityHandler Status StatusOf Digit HandlerResponse Options AnyHandlers
  Status1XX Status2XX Status3XX Status4XX Status5XX
  Array Boolean Date Error Exclude Function Map Number Object Omit Partial Pick Promise ReadonlyArray Record
  RegExp Required Set String Symbol Uint8Array
`.split(/\s+/);

export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: readonly string[] = RESERVED) {
    this.#taken = new Set(reserved.map((name) => name.toLowerCase()));
  }

  /** Returns the wanted name, or else the first free one of `Name2`, `Name3`, …. */
  take(wanted: string): string {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? wanted : `${wanted}${count}`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

/** @example toTypeName('cloudrun-get-root'); // 'CloudrunGetRoot' */
export function toTypeName(text: string): string {
  const words = text.split(/[^\p{ID_Continue}]+/u).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  if (name === '') return `Schema${createHash('sha256').update(text).digest('hex').slice(0, 6)}`;
  return /^\p{ID_Start}/u.test(name) ? name : `T${name}`;
}

export function toVariableName(text: string): string {
  const name = toTypeName(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

export function toKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name);
}

export function toLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${toEscaped(value, "'")}'` : JSON.stringify(value);
}

/** @example toTemplate('text/*'); // '`text/${string}`' */
export function toTemplate(pattern: string): string {
  const texts = pattern.split('*').map((text) => toEscaped(text, '`').replaceAll('${', '\\${'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template literal type
  return `\`${texts.join('${string}')}\``;
}

/** All text from a document passes through here into source code, except comments (`toJsDoc`). */
function toEscaped(text: string, quote: "'" | '`'): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`);
}
