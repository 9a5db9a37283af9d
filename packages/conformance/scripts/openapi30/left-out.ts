import type { RequestBody } from '../../src/contract/openapi.ts';
import type { Documented } from '../../src/contract/operations.ts';

/**
 * Returns why Dredd cannot run a documented response, or `undefined` if it can. Users see the sentence as the
 * reason for a skip.
 */
export function whyLeftOut(
  { contentType }: Pick<Documented, 'contentType'>,
  requestBody: RequestBody | undefined,
): string | undefined {
  if (requestBody?.content['multipart/form-data']) {
    return 'Dredd cannot send multipart forms';
  }
  if (contentType?.includes('*')) {
    return 'Dredd does not support media type ranges';
  }
  if (contentType === 'text/event-stream') {
    return 'Dredd waits for the end of the response, but a stream may never end';
  }
  return undefined;
}
