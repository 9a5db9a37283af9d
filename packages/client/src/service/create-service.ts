import { BerthError } from '../errors/berth-error.ts';
import { rememberedCall } from '../internal/calls.ts';
import { parseJson } from '../internal/parse-json.ts';
import { guard } from '../internal/pipeline/guard.ts';
import { networkFailure } from '../internal/pipeline/network-failure.ts';
import type { Pipeline } from '../internal/pipeline/pipeline-call.ts';
import { wait } from '../internal/pipeline/wait.ts';
import { readPayload } from './read-payload.ts';
import type { OpenWebSocket, PayloadOptions, RequestOptions, Service } from './service.ts';
import { type ServiceTarget, toServiceCall } from './to-service-call.ts';

/** Sends one call and reads its answer with `finish`. */
export type SendToService = <T>(
  path: string,
  options: RequestOptions,
  finish: (response: Response) => T | Promise<T>,
) => Promise<T>;

/**
 * What the parts that are loaded late are handed. They do not import it: a bundler that puts all into
 * one file wraps what they import, also for those who never use them.
 */
const SHARED = { BerthError, guard, networkFailure, parseJson, readPayload, rememberedCall, wait };
export type Shared = typeof SHARED;

/** The calls to one service. What few use is loaded when it is used. */
export function createService(
  pipeline: Pipeline,
  target: ServiceTarget,
  open: OpenWebSocket | undefined,
): Service<never> {
  const send: SendToService = async (path, options, finish) => {
    const call = toServiceCall(target, path, options);
    const deadline = pipeline.open(call);
    try {
      return await pipeline.send(call, deadline, finish);
    } finally {
      deadline.close();
    }
  };
  const read = <T>(path: string, { schema, ...options }: PayloadOptions<T> & RequestOptions) =>
    send(path, options, (response) => readPayload(response, schema));
  return {
    get: (path = '', options = {}) => read(path, options),
    post: (path = '', body, options = {}) => read(path, { ...options, method: 'POST', body }),
    request: (path = '', options = {}) => send(path, options, (response) => response),
    async *events(path = '', options = {}) {
      const { streamEvents } = await import('./stream-events.ts');
      yield* streamEvents(SHARED, send, path, options);
    },
    async connect(path = '', options = {}) {
      const { connectSocket } = await import('./connect-socket.ts');
      const call = toServiceCall(target, path, options);
      return connectSocket(SHARED, pipeline, call, options, open);
    },
  };
}
