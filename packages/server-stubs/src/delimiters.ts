import { malformedForm } from './upload-form.ts';

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

/** Maximum size of the headers of a part. */
const HEAD_BYTES = 16 * 1024;

/**
 * Rewrites two kinds of delimiters in a form that busboy cannot read: white space after a boundary ("transport
 * padding"), and a delimiter directly after the headers of an empty part, with which it shares a line break
 * (RFC 2046, section 5.1.1). Content is never changed. From the file on, bytes pass as they are.
 */
export class Delimiters {
  /** `Content-Type` of the file; `undefined` without one. */
  fileType: string | undefined;
  readonly #delimiter: Buffer;
  /** What comes next. `rest`: the content of the file, or what follows the last delimiter. */
  #state: 'content' | 'head' | 'rest' = 'content';
  /** Bytes that cannot be passed on yet. A first boundary has no line break of its own. */
  #waiting: Buffer = CRLF;

  /** @param contentType header of the request, with the boundary */
  constructor(contentType: string) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? [];
    this.#delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ''}`, 'latin1');
  }

  /**
   * Returns the bytes to pass on.
   *
   * @throws UploadError if the headers of a part are too long
   */
  push(chunk: Buffer): readonly Buffer[] {
    const delimiter = this.#delimiter;
    const pieces: Buffer[] = [];
    let data = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    while (this.#state !== 'rest') {
      if (this.#state === 'content') {
        const at = data.indexOf(delimiter);
        const end = at < 0 ? data.length - delimiter.length + 1 : at + delimiter.length;
        pieces.push(data.subarray(0, Math.max(end, 0)));
        data = data.subarray(Math.max(end, 0));
        if (at < 0) break;
        this.#state = 'head';
      } else if (data.toString('latin1', 0, 2) === '--') {
        this.#state = 'rest';
      } else {
        const end = data.indexOf(HEAD_END);
        const after = data.subarray(end + CRLF.length, end + CRLF.length + delimiter.length);
        const isCut = after.length < delimiter.length && delimiter.indexOf(after) === 0;
        if ((end < 0 ? data.length : end) > HEAD_BYTES) {
          throw malformedForm(`The headers of a part are larger than ${HEAD_BYTES} bytes.`);
        }
        if (end < 0 || isCut) break;
        const head = data.toString('latin1', 0, end).replace(/^[ \t]+/, '');
        pieces.push(Buffer.from(head, 'latin1'), HEAD_END);
        // The line break before this delimiter has ended the headers, too.
        data = data.subarray(end + (after.equals(delimiter) ? CRLF.length : HEAD_END.length));
        this.#state = this.#isFile(head) ? 'rest' : 'content';
      }
    }
    if (this.#state === 'rest') {
      pieces.push(data);
      data = Buffer.alloc(0);
    }
    this.#waiting = data;
    return pieces;
  }

  /** Returns the bytes that are left when the body has ended. */
  end(): Buffer {
    return this.#waiting;
  }

  /** Returns whether the headers belong to the file, and remembers its type. */
  #isFile(head: string): boolean {
    if (!/^content-disposition:.*[;\s]name="?file(?:["\s;]|$)/im.test(head)) return false;
    this.fileType = /^content-type:([^\r\n]*)/im.exec(head)?.[1]?.trim();
    return true;
  }
}
