export { Call, type Principals } from './call.ts';
export { createRouter } from './create-router.ts';
export { createEventStream, type EventStream, type EventStreamOptions } from './event-stream.ts';
export type { ServerEvent } from './event-text.ts';
export type { Fault, FaultKind } from './fault.ts';
export { FaultError } from './fault-error.ts';
export { ajvHelpers } from './generated/ajv-helpers.gen.ts';
export type { Handler, Handlers, Input, SecurityHandler, SecurityHandlers } from './handler.ts';
export type { FieldPart, FilePart, MultipartStream, Part } from './multipart-stream.ts';
export type { Deprecation, RequestLimits, RouterOptions } from './options.ts';
export type {
  Answer,
  BodyWriter,
  Content,
  ContentKind,
  DocumentedResponse,
  EndAnswer,
  Parameter,
  ParameterPlace,
  ParameterStyle,
  RawBody,
  RequestBody,
  Route,
  RouteTable,
  ScalarType,
  SchemaError,
  SecurityScheme,
  Validator,
} from './route-table.ts';
export type { FoundOperation, Listener, Router } from './router.ts';
export { type Answerable, isAnswerable, toAnswer } from './to-answer.ts';
export { toProblem } from './to-problem.ts';
export { Unauthorized } from './unauthorized.ts';
export type { Violation } from './violation.ts';
