import type { RequestBody } from '../../src/contract/openapi.ts';
import type { Documented } from '../../src/contract/operations.ts';

/**
 * Why Dredd cannot run a documented response, or `undefined` if it can. Users see the sentence as the
 * reason of a skip.
 */
export function whyLeftOut(
  { contentType }: Pick<Documented, 'contentType'>,
  requestBody: RequestBody | undefined,
): string | undefined {
  if (requestBody?.content['multipart/form-data']) {
    return 'Dredd sends no multipart form';
  }
  if (contentType?.includes('*')) {
    return 'Dredd knows no media type ranges';
  }
  if (contentType === 'text/event-stream') {
    return 'Dredd waits for the end of a response, and a stream may have none';
  }
  return undefined;
}
