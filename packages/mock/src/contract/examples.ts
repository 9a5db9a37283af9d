import { type Operation, standardContract } from './contract.ts';

const JSON_TYPE = 'application/json';

export interface Example {
  readonly type: string;
  readonly value: unknown;
}

/** The first example of each media type of an operation's success. */
type Examples = ReadonlyMap<string, unknown>;

/**
 * The contract's example in the one media type that a caller accepts; JSON if any will do. Undefined if
 * types have to be weighed: Prism does that.
 */
export function toExample(examples: Examples = new Map(), accept = '*/*'): Example | undefined {
  const type = accept === '*/*' ? JSON_TYPE : accept;
  return examples.has(type) ? { type, value: examples.get(type) } : undefined;
}

/**
 * What the contract gives as examples of success, by operationId. Named examples come before the example
 * of a schema, as OpenAPI says.
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
