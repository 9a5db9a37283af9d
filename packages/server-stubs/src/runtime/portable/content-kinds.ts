/** What kinds of bodies there are, and what each of them means for reading, sending and validating. */
import { toJson } from './json.ts';
import { parseForm } from './parameters.ts';
import type { Content, ContentKind } from './route-table.ts';

interface Kind {
  /** Reads the text of a request; `undefined` if there is no value. Absent: handlers get a stream of bytes. */
  readonly parse?: (text: string, content: Content) => unknown;
  /** Whether handlers return any value, which is sent as JSON. Otherwise they return text, bytes or a stream. */
  readonly isJson: boolean;
}

export const CONTENT_KINDS: Readonly<Record<ContentKind, Kind>> = {
  json: { parse: (text) => (text === '' ? undefined : toJson(text)), isJson: true },
  form: {
    parse: (text, { fields }) => (text === '' ? undefined : parseForm(text, fields)),
    isJson: false,
  },
  text: { parse: (text) => text, isJson: false },
  binary: { isJson: false },
};

/**
 * The kind of a documented media type. `KindOf` is the same for types.
 *
 * @param isString whether the schema allows only strings: in a range of media types, it then means bytes, not JSON
 */
export function kindOf(mediaType: string, isString: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJsonType(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (/^(?:\*|application)\/\*/.test(type)) return isString ? 'binary' : 'json';
  return /^(?:text\/|application\/(?:.+\+)?xml)/.test(type) ? 'text' : 'binary';
}

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJsonType(mediaType: string): boolean {
  return /^(?:application\/json|[^;]+\+json)\s*(?:;|$)/i.test(mediaType);
}

/** The kind of a documented media type and the type of its schema. `kindOf` is the same for values. */
export type KindOf<MediaType, Value> =
  LowercaseOf<MediaType> extends JsonType
    ? 'json'
    : LowercaseOf<MediaType> extends `application/x-www-form-urlencoded${string}`
      ? 'form'
      : LowercaseOf<MediaType> extends `${'*' | 'application'}/*${string}`
        ? KindOfRange<Value>
        : LowercaseOf<MediaType> extends `text/${string}` | XmlType
          ? 'text'
          : 'binary';

type KindOfRange<Value> = [unknown] extends [Value]
  ? 'binary'
  : [Value] extends [string]
    ? 'binary'
    : 'json';

type LowercaseOf<Type> = Type extends string ? Lowercase<Type> : never;
type JsonType =
  | `${'application/' | `${string}+`}json`
  | `${'application/' | `${string}+`}json${';' | ' '}${string}`;
type XmlType = `application/${'' | `${string}+`}xml${string}`;
