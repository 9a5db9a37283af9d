import { type Operation, standardContract } from './contract.ts';

const JSON_TYPE = 'application/json';

export interface Example {
  readonly type: string;
  readonly value: unknown;
}

/** Returns the first success example for each media type of an operation. */
type Examples = ReadonlyMap<string, unknown>;

/**
 * Returns the contract's example in the only media type that a caller accepts, or as JSON if it accepts any.
 * Returns undefined if the types have quality values: Prism handles those.
 */
export function toExample(examples: Examples = new Map(), accept = '*/*'): Example | undefined {
  const type = accept === '*/*' ? JSON_TYPE : accept;
  return examples.has(type) ? { type, value: examples.get(type) } : undefined;
}

/** Returns the events after the one with an ID; all events if there is none. */
export function eventsAfter(text: string, id: string | string[] | undefined): string {
  const events = text.split(/(?<=\n\n)/);
  return events.slice(events.findIndex((event) => event.startsWith(`id: ${id}\n`)) + 1).join('');
}

/**
 * Returns the contract's success examples, by operationId. Named examples take precedence over a schema's
 * example, as in OpenAPI.
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
