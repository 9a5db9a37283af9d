import { malformedForm } from './upload-form.ts';

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const SPACE = 0x20;
const TAB = 0x09;

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
  /** What comes next. `end`: the content of the file, or what follows the last delimiter. */
  #state: 'content' | 'boundary-end' | 'padding' | 'head' | 'end' = 'content';
  /** Bytes that cannot be passed on yet. A first boundary has no line break of its own. */
  #rest: Buffer = CRLF;

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
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const pass = (length: number) => {
      pieces.push(data.subarray(0, length));
      data = data.subarray(length);
    };
    const waitForMore = () => {
      this.#rest = data;
      return pieces;
    };
    while (this.#state !== 'end') {
      if (this.#state === 'content') {
        const at = data.indexOf(delimiter);
        if (at < 0) {
          pass(Math.max(data.length - delimiter.length + 1, 0));
          return waitForMore();
        }
        pass(at + delimiter.length);
        this.#state = 'boundary-end';
      } else if (this.#state === 'boundary-end') {
        if (data.length < 2) return waitForMore();
        this.#state = data.toString('latin1', 0, 2) === '--' ? 'end' : 'padding';
      } else if (this.#state === 'padding') {
        const end = data.findIndex((byte) => byte !== SPACE && byte !== TAB);
        data = data.subarray(end < 0 ? data.length : end);
        if (end < 0) return waitForMore();
        this.#state = 'head';
      } else {
        const end = data.indexOf(HEAD_END);
        const after = data.subarray(end + CRLF.length, end + CRLF.length + delimiter.length);
        const isCut = delimiter.length > after.length && delimiter.indexOf(after) === 0;
        if (end < 0 && data.length > HEAD_BYTES) {
          throw malformedForm(`The headers of a part are larger than ${HEAD_BYTES} bytes.`);
        }
        if (end < 0 || isCut) return waitForMore();
        this.#state = this.#readHead(data.toString('latin1', 0, end)) ? 'end' : 'content';
        if (after.equals(delimiter)) {
          pass(end + CRLF.length);
          pieces.push(CRLF);
        } else {
          pass(end + HEAD_END.length);
        }
      }
    }
    pass(data.length);
    return waitForMore();
  }

  /** Returns the bytes that are left when the body has ended. */
  end(): Buffer {
    return this.#rest;
  }

  /** Returns whether the headers belong to the file, and remembers its type. */
  #readHead(head: string): boolean {
    if (!/^content-disposition:.*[;\s]name="?file(?:["\s;]|$)/im.test(head)) return false;
    this.fileType = /^content-type:[ \t]*(.+?)\s*$/im.exec(head)?.[1];
    return true;
  }
}
