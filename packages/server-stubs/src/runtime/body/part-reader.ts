import type { Readable } from 'node:stream';
import { createNullObject } from '../decoding.ts';
import {
  escapeName,
  FaultError,
  invalidRequest,
  toSimpleViolation,
  toViolation,
} from '../faults.ts';
import { coerce, Unreadable } from '../parameters/to-value.ts';
import { parseJson } from '../parse-json.ts';
import type { Content, FormPart } from '../route-table.ts';
import { findContent } from './media-type.ts';

/** A field in a form: text, or the value that its schema defines. */
export interface FieldPart<Name extends string = string, Value = string> {
  readonly kind: 'field';
  readonly name: Name;
  readonly value: Value;
  /** Media type in lowercase, without parameters. Default: `text/plain`. */
  readonly mediaType: string;
}

/** A file in a form. */
export interface FilePart<Name extends string = string> {
  readonly kind: 'file';
  readonly name: Name;
  readonly filename: string;
  /** Media type in lowercase, without parameters. Default: `application/octet-stream`. */
  readonly mediaType: string;
  /** Charset of the media type, in lowercase. Undefined if the part does not specify a valid one. */
  readonly charset?: string;
  /** Content of the file. Anything left unread is discarded when you request the next part. */
  readonly body: Readable;
}

export type Part = FieldPart | FilePart;

const ANY: FormPart = { kind: 'any', list: true };

/** Stands for the content of a file when the form is validated. */
const FILE = '';

/** The media type of a part that does not specify one (RFC 7578, section 4.4). */
const UNSPECIFIED = 'text/plain';

export class PartReader {
  readonly #content: Content;
  readonly #jsonDepth: number;
  /** What has arrived. The limits of the form bound its size. */
  readonly #values: Record<string, unknown> = createNullObject();

  constructor(content: Content, jsonDepth: number) {
    this.#content = content;
    this.#jsonDepth = jsonDepth;
  }

  /**
   * The document decides what is streamed: browsers send JSON with a file name, and others send files
   * without one.
   */
  isFile(name?: string, mediaType?: string, filename?: string): boolean {
    const { kind } = this.#find(name ?? '') ?? ANY;
    if (kind !== 'any') return kind === 'file';
    return filename !== undefined || mediaType === 'application/octet-stream';
  }

  /** `undefined` if the document does not name the part. */
  read(part: Part): Part | undefined {
    const { name } = part;
    const known = this.#find(name);
    if (known === undefined) {
      if (this.#content.parts?.others === 'reject') {
        fail(name, 'additionalProperties', 'is not a part of this form: leave it out.');
      }
      this.#values[name] = FILE;
      return undefined;
    }
    checkMediaType(part, known);
    const value = part.kind === 'file' ? FILE : this.#toValue(part, known);
    const place = this.#add(name, value, known);
    if (part.kind === 'file') return part;
    if (known.validate !== undefined && !known.validate(value)) {
      throw new FaultError(
        invalidRequest([toViolation(known.validate.errors, 'body', 'body', place)]),
      );
    }
    return { ...part, value: value as string };
  }

  finish(): void {
    const { validate } = this.#content;
    if (validate === undefined || validate(this.#values)) return;
    throw new FaultError(invalidRequest([toViolation(validate.errors, 'body', 'body')]));
  }

  #find(name: string): FormPart | undefined {
    const { parts } = this.#content;
    if (parts === undefined) return ANY;
    if (Object.hasOwn(parts.known, name)) return parts.known[name];
    return typeof parts.others === 'string' ? undefined : parts.others;
  }

  #toValue({ name, value: text }: FieldPart, { kind, types = [] }: FormPart): unknown {
    const isJson = kind === 'json' && (types.length === 0 || /^\s*[[{]/.test(text));
    if (!isJson) {
      const value = types.length === 0 ? text : coerce(text, types);
      if (value instanceof Unreadable) fail(name, value.keyword, `${value.problem}.`);
      return value;
    }
    const { problem, value } = parseJson(text, this.#jsonDepth);
    if (problem !== undefined) fail(name, 'syntax', `is not valid JSON: it ${problem}.`);
    return value;
  }

  #add(name: string, value: unknown, { list }: FormPart): string {
    const pointer = `/${escapeName(name)}`;
    if (list !== true) {
      if (name in this.#values) fail(name, 'duplicate', 'is sent more than once: send one part.');
      this.#values[name] = value;
      return pointer;
    }
    const values = (this.#values[name] ?? []) as unknown[];
    this.#values[name] = values;
    return `${pointer}/${values.push(value) - 1}`;
  }
}

function checkMediaType({ name, kind, mediaType }: Part, { mediaTypes }: FormPart): void {
  if (mediaTypes === undefined || (kind === 'field' && mediaType === UNSPECIFIED)) return;
  const documented = mediaTypes.map((each) => ({ mediaType: each }));
  if (findContent(documented, mediaType) !== undefined) return;
  fail(name, 'contentType', `must be of type ${mediaTypes.join(' or ')}, not ${mediaType}.`);
}

function fail(name: string, keyword: string, problem: string): never {
  const message = `body.${name} ${problem}`;
  const violation = toSimpleViolation('body', `/${escapeName(name)}`, keyword, message);
  throw new FaultError(invalidRequest([violation]));
}
