import { isObject } from '../../src/util/values.ts';
import { OWN_ID } from './exchange.ts';

/** A body of Prism with what belongs to a call. */
export function toOwn(body: unknown, status: number): unknown {
  if (!isObject(body)) return body;
  if (isObject(body.xml)) {
    return { Error: { ...body.xml, RequestId: OWN_ID, TraceId: OWN_ID } };
  }
  if (isObject(body.body)) {
    return { ...body, statusCode: status, body: { ...body.body, requestId: OWN_ID } };
  }
  return 'requestId' in body ? { ...body, requestId: OWN_ID } : body;
}
