import { type Documents, documents as standard } from './documents.ts';
import type { OperationObject } from './open-api.ts';
import { METHODS } from './open-api.ts';

/** The first example of each media type of an operation's success. */
export type Examples = ReadonlyMap<string, unknown>;

/**
 * What the contract gives as examples of success, by operationId. Named examples come before the example
 * of a schema, as OpenAPI says.
 */
export function listExamples(documents: Documents = standard): ReadonlyMap<string, Examples> {
  return new Map(
    Object.values(documents).flatMap(({ paths }) =>
      Object.values(paths).flatMap((item) =>
        METHODS.flatMap((method) => {
          const operation = item[method];
          return operation === undefined ? [] : [[operation.operationId, examplesOf(operation)]];
        }),
      ),
    ) as [string, Examples][],
  );
}

function examplesOf({ responses }: OperationObject): Examples {
  const content = Object.entries(responses['200']?.content ?? {});
  return new Map(
    content.flatMap(([type, { examples = {} }]) => {
      const [first] = Object.values(examples) as { value?: unknown }[];
      return first === undefined ? [] : [[type, first.value] as const];
    }),
  );
}
