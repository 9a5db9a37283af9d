export { Call, type ErrorWithResponse, hasResponse, type Principals, toResponse } from './call.ts';
export { Unauthorized } from './create-guard.ts';
export { createRouter } from './create-router.ts';
export type { ServerEvent } from './event-stream.ts';
export { createEventStream, type EventStream, type EventStreamOptions } from './event-stream.ts';
export type { Fault, FaultKind, Violation } from './faults.ts';
export { FaultError } from './faults.ts';
export { ajvHelpers } from './generated/ajv-helpers.gen.ts';
export type {
  FoundOperation,
  Handler,
  Handlers,
  Input,
  Listener,
  RequestLimits,
  Router,
  RouterOptions,
  SecurityHandler,
  SecurityHandlers,
} from './options.ts';
export { toProblem } from './responding/problem.ts';
export type * from './route-table.ts';
