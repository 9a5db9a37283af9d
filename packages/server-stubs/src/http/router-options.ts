import type { Handler, Handlers, RouterOptions, RouteTable } from '../runtime/index.ts';
import type { CorsOptions } from './cors.ts';
import type { WireProfile } from './wire-profile.ts';

/** The upload target, whose address is its own. */
export const UPLOAD_OPERATION = 'uploadFile';

/** Options that all three routers take. */
export interface BerthRouterOptions
  extends Pick<
    RouterOptions,
    | 'requests'
    | 'requestId'
    | 'responses'
    | 'onViolation'
    | 'onError'
    | 'onAnswer'
    | 'onFault'
    | 'deprecations'
  > {
  /** Origins whose pages may read the answers. Default: every origin, without credentials (D11). */
  readonly cors?: CorsOptions;
  /** Names on the wire. Default: the neutral names of the contract (D1). */
  readonly wireProfile?: WireProfile;
  /**
   * What `berth-stubs` generates from an edited document of the contract, for the draft of a change.
   * Default: the routes of the contract.
   */
  readonly routes?: RouteTable;
}

/**
 * The environments that a router serves: the name of the only one, or whether a name is one of them.
 * Default: every name, which suits a handler that looks it up itself.
 */
export type EnvOption = string | ((env: string) => boolean);

/** Wraps each handler that is there; one that is left out stays out, and so answers 501. */
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
