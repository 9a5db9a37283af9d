import type { Readable } from 'node:stream';

/** A text field of a form. */
export interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
  /** Without parameters, lower case; `text/plain` where the part has none. */
  readonly mediaType: string;
}

/** A file of a form. */
export interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  readonly filename: string;
  /** Without parameters, lower case; `application/octet-stream` where the part has none. */
  readonly mediaType: string;
  /** The bytes, once. What is left unread is thrown away when the next part is asked for. */
  readonly body: Readable;
}

export type Part = FieldPart | FilePart;

/**
 * The parts of a form in the order in which they come, never buffered: the client is read no faster
 * than the parts are. Throws `FaultError` for a broken form and for one beyond the limits.
 *
 * @example
 * for await (const part of input.body) {
 *   if (part.kind === 'file') await pipeline(part.body, createWriteStream('/tmp/upload'));
 * }
 */
export type MultipartStream = AsyncIterable<Part>;
