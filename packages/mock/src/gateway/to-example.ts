import type { ServiceAnswer } from '@berth/server-stubs';
import type { Examples } from '../contract/examples.ts';

const JSON_TYPE = 'application/json';

/**
 * The contract's example in the one media type that a caller accepts; JSON where any will do. Undefined
 * where types have to be weighed: Prism does that.
 */
export function toExample(examples: Examples, accept = '*/*'): ServiceAnswer | undefined {
  const type = accept === '*/*' ? JSON_TYPE : accept;
  if (!examples.has(type)) return undefined;
  const value = examples.get(type);
  return {
    status: 200,
    headers: { 'content-type': type },
    body: type === JSON_TYPE ? JSON.stringify(value) : String(value),
  };
}
