/**
 * The runtime of generated code, also used by `@berth/server` and `@berth/mock`. Unstable: generate code again with each
 * version.
 */
export { hasBody } from './body.ts';
export { createEventStream, type EventStream, type EventStreamOptions } from './event-stream.ts';
export type {
  InRequest,
  InResponse,
  TypedHandlers,
  TypedInput,
  TypedOutput,
  TypedSecurityHandlers,
} from './handlers.ts';
export type * from './options.ts';
export { assertLimit, printError } from './options.ts';
export { Call, type Principals } from './portable/call.ts';
export {
  type ErrorWithResponse,
  HttpError,
  type HttpErrorKind,
  type HttpErrorOptions,
  hasResponse,
  toResponse,
  type Violation,
} from './portable/faults.ts';
export { memoize } from './portable/headers.ts';
export type { Input } from './portable/parameters.ts';
export type * from './portable/route-table.ts';
export type { ServerEvent } from './portable/server-event.ts';
export { ajvHelpers } from './portable/validation.ts';
export { discard } from './response-body.ts';
export { createRouter } from './router.ts';
export { filterUpgrades, toUpgradeOptions, UpgradeResponse } from './upgrade.ts';
