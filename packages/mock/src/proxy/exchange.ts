import type { CallRecord } from '../record/call-record.ts';
import type { KeptBytes } from '../record/kept-bytes.ts';
import type { RecordedRequest } from '../record/recorded-request.ts';
import type { RawHeaders } from './headers.ts';

/** A call that has passed through the mock and is over. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly record: CallRecord;
  /** All of the request's body, where somebody records it. */
  readonly requestBody: KeptBytes;
  readonly status: number;
  /** As the caller got them. */
  readonly headers: RawHeaders;
  readonly body: KeptBytes;
  /** Address under which the caller reached the mock. */
  readonly origin: string;
  /** Milliseconds until the head of the answer, and until its end. */
  readonly headMs: number;
  readonly totalMs: number;
}
