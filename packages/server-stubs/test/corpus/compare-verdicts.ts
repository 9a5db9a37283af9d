import type { Pointer } from '../../generator/document.ts';
import type { LocatedCase } from './route-cases.ts';

export interface Comparison {
  readonly judged: number;
  readonly accepted: number;
  /** Where the generated validator and Ajv disagree. */
  readonly differing: readonly { schema: Pointer; value: unknown; ours: boolean | undefined }[];
}

/** Compares the verdicts of generated validators with those of an oracle. */
export function compareVerdicts(
  cases: readonly LocatedCase[],
  verdicts: readonly (readonly boolean[])[],
  oracle: (schema: Pointer, value: unknown) => boolean,
): Comparison {
  const all = cases.flatMap(({ schema, values }, index) =>
    values.map((value, at) => ({ schema, value, ours: verdicts[index]?.[at] })),
  );
  return {
    judged: all.length,
    accepted: all.filter(({ ours }) => ours).length,
    differing: all.filter(({ schema, value, ours }) => oracle(schema, value) !== ours),
  };
}
