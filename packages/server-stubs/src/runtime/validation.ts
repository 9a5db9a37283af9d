/** What generated validators need. Works in browsers, unlike the rest of the runtime. */
export { ajvHelpers } from './generated/ajv-helpers.gen.ts';
export type { Validator } from './route-table.ts';
