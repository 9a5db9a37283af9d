import { fileURLToPath } from 'node:url';
import { withoutTags } from './module-loader.ts';

/** Where an error that a module threw comes from. */
export interface ErrorPlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** The first of the given files that the stack of an error names. */
export function locateError(error: unknown, files: ReadonlySet<string>): ErrorPlace | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  const lines = withoutTags(error.stack).split('\n');
  for (const [at, text] of lines.entries()) {
    const [, path = '', line, column] =
      /(?:^|\(|at )((?:file:\/\/)?\/[^:]*?):(\d+)(?::(\d+))?\)?$/.exec(text) ?? [];
    const file = path.startsWith('file:') ? fileURLToPath(path) : path;
    if (!files.has(file)) continue;
    // Node draws an arrow below the line of code where it cannot parse.
    const arrow = column === undefined ? arrowOf(lines.slice(at + 1)) : Number(column);
    return { file, line: Number(line), ...(arrow !== undefined && { column: arrow }) };
  }
  return undefined;
}

function arrowOf(lines: readonly string[]): number | undefined {
  const arrow = lines.find((line) => /^ *\^+ *$/.test(line));
  return arrow === undefined ? undefined : arrow.indexOf('^') + 1;
}
