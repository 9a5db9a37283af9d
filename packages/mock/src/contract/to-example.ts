import type { Examples } from './examples.ts';

const JSON_TYPE = 'application/json';

/** An example of the contract. */
export interface Example {
  readonly type: string;
  readonly value: unknown;
}

/**
 * The contract's example in the one media type that a caller accepts; JSON where any will do. Undefined
 * where types have to be weighed: Prism does that.
 */
export function toExample(examples: Examples = new Map(), accept = '*/*'): Example | undefined {
  const type = accept === '*/*' ? JSON_TYPE : accept;
  return examples.has(type) ? { type, value: examples.get(type) } : undefined;
}
