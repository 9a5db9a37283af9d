import { type Operation, standardContract } from './contract.ts';

const JSON_TYPE = 'application/json';

export interface Example {
  readonly type: string;
  readonly value: unknown;
}

/** The first success example of each media type of an operation. */
type Examples = ReadonlyMap<string, unknown>;

/**
 * The contract's example in the one media type that a caller accepts; JSON if any will do. Undefined if types
 * have quality values: Prism handles those.
 */
export function toExample(examples: Examples = new Map(), accept = '*/*'): Example | undefined {
  const type = accept === '*/*' ? JSON_TYPE : accept;
  return examples.has(type) ? { type, value: examples.get(type) } : undefined;
}

/**
 * The success examples of the contract, by operationId. Named examples take precedence over the example of a
 * schema, as in OpenAPI.
 */
export function listExamples(
  operations: readonly Operation[] = standardContract.operations,
): ReadonlyMap<string, Examples> {
  return new Map(operations.map(({ id, responses }) => [id, examplesOf(responses)]));
}

function examplesOf(responses: Operation['responses']): Examples {
  const content = Object.entries(responses['200']?.content ?? {});
  return new Map(
    content.flatMap(([type, { examples = {} }]) => {
      const [first] = Object.values(examples) as { value?: unknown }[];
      return first === undefined ? [] : [[type, first.value] as const];
    }),
  );
}
