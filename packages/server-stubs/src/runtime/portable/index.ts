/** Works in browsers too, for MSW: no Node.js modules. Imported from outside `runtime/`, which imports single files. */
export type { Call, PrincipalsByScheme } from './call.ts';
export { createNullObject, decodeText } from './encoding.ts';
export * from './headers.ts';
export * from './http-error.ts';
export { readJsonBody } from './json.ts';
export type { ParsedInput } from './parameters.ts';
export { splitTarget } from './paths.ts';
export type * from './route-table.ts';
export * from './server-event.ts';
