import { limit } from '../contract/defaults.ts';
import type { Schema } from '../contract/open-api.ts';
import { unwrap } from '../contract/unwrap.ts';
import type { Call } from '../http/call.ts';
import { mediaTypeOf } from '../http/media-type.ts';
import { readJson } from '../http/read-json.ts';
import { Refusal } from '../refusal.ts';

/** The fields of a storage request, taken out of their wrapper. */
export async function readRequest(call: Call, schema: Schema): Promise<unknown> {
  const contentType = call.request.headers['content-type'] ?? '';
  if (mediaTypeOf(contentType) !== 'application/json') {
    throw new Refusal(
      'UNSUPPORTED_MEDIA_TYPE',
      `The header Content-Type must be application/json, got ${contentType === '' ? 'none' : 'another'}.`,
    );
  }
  const body = await readJson(call, limit('storageBodyBytes'));
  if ('fault' in body) throw new Refusal('INVALID_PARAM', body.fault);
  const unwrapped = unwrap(body.value, schema);
  if ('fault' in unwrapped) throw new Refusal('INVALID_PARAM', unwrapped.fault);
  return unwrapped.body;
}
