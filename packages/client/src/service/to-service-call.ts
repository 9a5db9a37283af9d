import { assertText } from '../internal/options.ts';
import type { HeaderRecord, PipelineCall } from '../internal/pipeline/pipeline-call.ts';
import { toBody } from '../internal/to-body.ts';
import { toSegment } from '../internal/to-segment.ts';
import type { RequestOptions } from './service.ts';

/**
 * One call to a path of a service.
 *
 * @param root address of the service
 * @param common headers of every call
 */
export function toServiceCall(
  root: string,
  common: HeaderRecord,
  path: string,
  options: RequestOptions,
): PipelineCall {
  const { headers: own, method = 'GET', body: value } = options;
  assertText('path', path);
  const rest = toSegment('path', path.startsWith('/') ? path : `/${path}`, true);
  const { body, type } = toBody(value);
  const headers: Record<string, string> = { ...common };
  if (type) headers['content-type'] ??= type;
  if (own) Object.assign(headers, Object.fromEntries(new Headers(own)));
  const init = options.redirect && { redirect: options.redirect };
  const url = rest === '/' ? root : root + rest;
  return { ...options, method, url, headers, body, init };
}
