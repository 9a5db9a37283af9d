/**
 * The runtime of generated code, also used by `@berth/server` and `@berth/mock`. Unstable: generate code again with each
 * version.
 */
export { hasBody } from './body.ts';
export { Call, type Principals } from './call.ts';
export { createEventStream, type EventStream, type EventStreamOptions } from './event-stream.ts';
export {
  type ErrorWithResponse,
  HttpError,
  type HttpErrorKind,
  type HttpErrorOptions,
  hasResponse,
  toResponse,
  type Violation,
} from './faults.ts';
export type {
  InRequest,
  InResponse,
  TypedHandlers,
  TypedInput,
  TypedOutput,
  TypedSecurityHandlers,
} from './handlers.ts';
export { memoize } from './headers.ts';
export type * from './options.ts';
export { assertLimit, printError } from './options.ts';
export { discard } from './response-body.ts';
export type * from './route-table.ts';
export { createRouter } from './router.ts';
export type { ServerEvent } from './server-event.ts';
export { filterUpgrades, toUpgradeOptions, UpgradeResponse } from './upgrade.ts';
export { ajvHelpers } from './validation.ts';
