import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http';

/** Ends a control API call with problem details (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly field: string | undefined;
  readonly headers: OutgoingHttpHeaders;

  /** @param detail what is wrong and how to fix it */
  constructor(
    status: number,
    detail: string,
    { field, headers = {} }: { field?: string; headers?: OutgoingHttpHeaders } = {},
  ) {
    super(detail);
    this.status = status;
    this.field = field;
    this.headers = headers;
  }

  toJSON() {
    const { status, message, field } = this;
    return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, field };
  }
}
