import { IncomingMessage } from 'node:http';
import type { CallRecord } from './call-record.ts';
import { KeptBytes } from './kept-bytes.ts';

/** Bytes of a body that the log keeps. */
export const MAX_KEPT = 16 * 1024;

/** A request that remembers the beginning of its body as Node hands it over. */
export class RecordedRequest extends IncomingMessage {
  readonly kept = new KeptBytes();
  /** Set when the call begins. */
  record: CallRecord | undefined = undefined;

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.kept.add(chunk, encoding, MAX_KEPT);
    return super.push(chunk, encoding);
  }
}

/** The record of the call that a request began. */
export function recordOf(request: IncomingMessage): CallRecord {
  const { record } = request as RecordedRequest;
  if (record === undefined) throw new TypeError('The request belongs to no call of the mock.');
  return record;
}
