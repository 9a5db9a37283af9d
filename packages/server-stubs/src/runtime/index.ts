/**
 * What generated code, `@berth/mock` and `@berth/server` import, and `toResponse` for the option `toError`. Unstable:
 * generate code again with each version.
 *
 * The files here need `node:http`. Those in `portable/` need no Node.js module, because MSW also runs them in browsers.
 */
export type * from './handlers.ts';
export type * from './options.ts';
export type { BodyWriter, Call, HandlerResponse, RawBody } from './portable/call.ts';
export { type ErrorWithResponse, type HttpError, toResponse } from './portable/http-error.ts';
export type * from './portable/route-table.ts';
export { ajvHelpers } from './portable/validation.ts';
export { hasBody, toDisconnectError } from './receive.ts';
export { createTableRouter } from './router.ts';
export { UpgradeResponse } from './upgrade-response.ts';
