import type { Handler, Handlers, RouterOptions, RouteTable } from '../runtime/index.ts';
import type { CorsOptions } from './cors.ts';
import type { WireProfile } from './wire-profile.ts';

/** The upload target, which has a URL of its own. */
export const UPLOAD_OPERATION = 'uploadFile';

/** Options that all three routers share. */
export interface BerthRouterOptions
  extends Pick<
    RouterOptions,
    | 'requests'
    | 'requestId'
    | 'responses'
    | 'onViolation'
    | 'onError'
    | 'onResponse'
    | 'onFault'
    | 'deprecations'
  > {
  /** Origins whose pages may read responses. Default: every origin, without credentials (D11). */
  readonly cors?: CorsOptions;
  /** Names on the wire. Default: the neutral names of the contract (D1). */
  readonly wireProfile?: WireProfile;
  /**
   * Routes that `berth-stubs` generated from an edited document of the contract, to try out a change.
   * Default: the routes of the contract.
   */
  readonly routes?: RouteTable;
}

/**
 * The environments that a router serves: the name of the only one, or a function that returns whether a
 * name is one of them. Default: any name, for handlers that look it up themselves.
 */
export type EnvOption = string | ((env: string) => boolean);

/** Wraps each defined handler. Operations without one respond with 501. */
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
