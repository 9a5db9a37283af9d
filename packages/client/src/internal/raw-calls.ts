import type { Middleware } from 'openapi-fetch';
import type { Pipeline } from './pipeline/pipeline-call.ts';
import type { SendRaw } from './send-raw.ts';

/**
 * The raw calls of a client. What builds them is loaded with the first of them: most applications
 * have none.
 */
export function createRawCalls(
  pipeline: Pipeline,
  baseUrl: string,
  headers?: RequestInit['headers'],
) {
  let middleware: Middleware[] = [];
  let loading: Promise<SendRaw> | undefined;
  const call = (method: 'GET' | 'POST') => async (path: string, init: object) => {
    loading ??= import('./send-raw.ts').then(({ createSendRaw }) =>
      createSendRaw(pipeline, baseUrl, headers),
    );
    return (await loading)(method, path, init, middleware) as never;
  };
  return {
    call,
    use(...added: Middleware[]) {
      middleware.push(...added);
    },
    eject(...removed: Middleware[]) {
      middleware = middleware.filter((each) => !removed.includes(each));
    },
  };
}
