/** The part of the runtime that also works in browsers, where MSW handles calls: nothing here needs a Node.js module. */
export type { Call } from './call.ts';
export { createNullObject, decodeText } from './encoding.ts';
export * from './headers.ts';
export * from './http-error.ts';
export { readJsonBody } from './json.ts';
export type { Input } from './parameters.ts';
export { splitTarget } from './paths.ts';
export type * from './route-table.ts';
export * from './server-event.ts';
