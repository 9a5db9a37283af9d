import type { WireProfileInput } from '@berth/spec/wire-profile';
import {
  type Call,
  type ErrorWithResponse,
  type Handler,
  type Handlers,
  type HttpError,
  type RouterOptions,
  type RouteTable,
  toResponse,
} from '../runtime/index.ts';
import { type Cors, type CorsOptions, toPreflight } from './cors.ts';

/** The operation of the upload target, which has its own router. */
export const UPLOAD_OPERATION = 'uploadFile';

/** Options that all three routers share. */
export interface BerthRouterOptions
  extends Pick<
    RouterOptions,
    'requests' | 'requestId' | 'responses' | 'onViolation' | 'onError' | 'onResponse' | 'onFault'
  > {
  /** CORS options. Default: pages from any origin may read responses, without credentials (D11). */
  readonly cors?: CorsOptions;
  /** The deployment's wire profile. Default: the contract's neutral names (D1). */
  readonly wireProfile?: WireProfileInput;
  /**
   * Routes that `berth-stubs` generated from a modified contract, to try out a change. Default: the
   * contract's routes.
   */
  readonly routes?: RouteTable;
}

/**
 * The environments that a router serves: the name of a single environment, or a function that returns whether
 * it serves a name. Default: any environment, for handlers that look up the environment themselves.
 */
export type EnvOption = string | ((env: string) => boolean);

export function toHandlers<Given>(
  handlers: Readonly<Record<string, Given | undefined>>,
  toHandler: (handler: Given, operationId: string) => Handler,
): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).flatMap(([operationId, handler]) =>
      handler === undefined ? [] : [[operationId, toHandler(handler, operationId)]],
    ),
  );
}

/** The options that all three routers pass on: they differ in how they convert errors. */
export function toRouterOptions(
  options: BerthRouterOptions,
  cors: Cors,
  toError: (error: HttpError, call: Call) => ErrorWithResponse,
): RouterOptions {
  return {
    ...options,
    headers: ({ request, requestId }) => ({
      ...cors.response(request.headers.origin),
      // D9: every response has an `X-Request-Id`, which is new for each call.
      'x-request-id': requestId,
    }),
    toError: (error, call) => {
      const preflight = toPreflight(error, call, cors);
      return preflight ? { [toResponse]: () => preflight } : toError(error, call);
    },
  };
}
