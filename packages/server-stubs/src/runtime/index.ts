/** What generated code imports. Unstable: generate code again with each version. */
export type * from './handlers.ts';
export type * from './options.ts';
export type { Call } from './portable/call.ts';
export { memoize } from './portable/headers.ts';
export { type ErrorWithResponse, type HttpError, toResponse } from './portable/http-error.ts';
export type { Input } from './portable/parameters.ts';
export type * from './portable/route-table.ts';
export { ajvHelpers } from './portable/validation.ts';
export { createRouter } from './router.ts';
export { toUpgradeOptions, UpgradeResponse } from './upgrade-response.ts';
