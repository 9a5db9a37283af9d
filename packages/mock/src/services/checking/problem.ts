/** What is wrong with a value, and where in it. */
export interface Problem {
  /** Keys from the outermost value on. */
  readonly path: readonly (string | number)[];
  /** Rest of a sentence that begins with the field: `must be …`. */
  readonly rest: string;
  /** The key itself is wrong, not what stands under it. */
  readonly isKey?: boolean;
}

/** `routes["GET /orders"].delay must be …` */
export function describeProblem({ path, rest }: Problem): string {
  const field = path.map((key, at) => {
    if (typeof key === 'number') return `[${key}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(key)) return `[${JSON.stringify(key)}]`;
    return at === 0 ? key : `.${key}`;
  });
  const sentence = `${field.join('') || 'The service'} ${rest}`;
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}
