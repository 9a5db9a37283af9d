import type { paths } from '../generated/gateway.v1.gen.ts';
import type { PipelineCall } from '../internal/pipeline/pipeline-call.ts';
import { toBody } from '../internal/to-body.ts';
import { toPath } from '../internal/to-path.ts';
import type { RequestOptions } from './service.ts';

const ROOT = '/v1/cloudrun/{name}' satisfies keyof paths;
const ANY = `${ROOT}/{anyPath}` satisfies keyof paths;

/** What a service needs of its client. */
export interface ServiceTarget {
  readonly name: string;
  readonly baseUrl: string;
  /** Headers of every call. */
  readonly headers: RequestInit['headers'];
}

/** One call to a path of a service. */
export function toServiceCall(
  { name, baseUrl, headers: common }: ServiceTarget,
  path: string,
  { headers: own, method = 'GET', body: value, ...options }: RequestOptions,
): PipelineCall {
  const anyPath = path.replace(/^\//, '');
  const url = baseUrl + toPath(anyPath ? ANY : ROOT, { name, anyPath });
  const headers = new Headers(common);
  new Headers(own).forEach((text, key) => {
    headers.set(key, text);
  });
  const { body, type } = toBody(value);
  if (type && !headers.has('Content-Type')) headers.set('Content-Type', type);
  return { ...options, method, url, headers, body };
}
