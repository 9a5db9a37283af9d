/** What generated validators need. Works in browsers, unlike the rest of the runtime. */
import * as ucs2lengthModule from 'ajv/dist/runtime/ucs2length.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import * as equalModule from 'fast-deep-equal';

export type { Validator } from './route-table.ts';

type Equal = (a: unknown, b: unknown) => boolean;
type Measure = (text: string) => number;

export const ajvHelpers = {
  equal: toFunction<Equal>(equalModule),
  ucs2length: toFunction<Measure>(ucs2lengthModule),
  formats: fullFormats,
};

/** The default export of a CommonJS module, which Node.js and bundlers wrap differently. */
function toFunction<Wanted>(module: unknown): Wanted {
  let value = module;
  while (typeof value !== 'function') value = (value as { default: unknown }).default;
  return value as Wanted;
}
