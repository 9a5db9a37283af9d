import { Transform, type TransformCallback } from 'node:stream';
import { malformedForm } from './form.ts';

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

const HEAD_BYTES = 16 * 1024;

/** Skips quoted parameters, such as a file name that contains `; name=file`. */
const FILE_HEAD =
  /^content-disposition:(?:[^"\r\n]|"(?:\\.|[^"\\\r\n])*")*?[;\s]name=(?:"file"|file(?=[\s;]|$))/im;

/**
 * Rewrites two kinds of delimiters in a form that busboy cannot read: white space after a boundary ("transport
 * padding"), and a delimiter directly after the headers of an empty part, with which it shares a line break
 * (RFC 2046, section 5.1.1). Content is never changed. Stops at the headers of the file, from which bytes pass as they
 * are, and keeps its `Content-Type`, whose charset busboy drops.
 */
export class DelimiterNormalizer extends Transform {
  /** `Content-Type` of the file; `undefined` without one. */
  fileType: string | undefined;
  readonly #delimiter: Buffer;
  /** What comes next. `rest`: the content of the file, or what follows the last delimiter. */
  #state: 'content' | 'head' | 'rest' = 'content';
  /** Bytes that cannot be passed on yet. A first boundary has no line break of its own. */
  #waiting: Buffer = CRLF;

  constructor(contentType: string) {
    super();
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? [];
    this.#delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ''}`, 'latin1');
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    try {
      this.#rewrite(chunk);
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }

  override _flush(callback: TransformCallback): void {
    callback(null, this.#waiting);
  }

  #rewrite(chunk: Buffer): void {
    const delimiter = this.#delimiter;
    let data = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    while (this.#state !== 'rest') {
      if (this.#state === 'content') {
        const at = data.indexOf(delimiter);
        const end = at < 0 ? data.length - delimiter.length + 1 : at + delimiter.length;
        this.push(data.subarray(0, Math.max(end, 0)));
        data = data.subarray(Math.max(end, 0));
        if (at < 0) break;
        this.#state = 'head';
      } else if (data.toString('latin1', 0, 2) === '--') {
        this.#state = 'rest';
      } else {
        const end = data.indexOf(HEAD_END);
        const after = data.subarray(end + CRLF.length, end + CRLF.length + delimiter.length);
        const isTruncated = after.length < delimiter.length && delimiter.indexOf(after) === 0;
        if ((end < 0 ? data.length : end) > HEAD_BYTES) {
          throw malformedForm(`The headers of a part are larger than ${HEAD_BYTES} bytes.`);
        }
        if (end < 0 || isTruncated) break;
        const head = data.toString('latin1', 0, end).replace(/^[ \t]+/, '');
        this.push(Buffer.from(`${head}\r\n\r\n`, 'latin1'));
        // The line break before this delimiter has ended the headers, too.
        data = data.subarray(end + (after.equals(delimiter) ? CRLF.length : HEAD_END.length));
        this.#state = FILE_HEAD.test(head) ? 'rest' : 'content';
        if (this.#state === 'rest') {
          this.fileType = /^content-type:([^\r\n]*)/im.exec(head)?.[1]?.trim();
        }
      }
    }
    if (this.#state === 'rest') {
      this.push(data);
      data = Buffer.alloc(0);
    }
    this.#waiting = data;
  }
}
