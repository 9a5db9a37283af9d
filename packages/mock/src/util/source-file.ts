import type { Document, ParsedNode } from 'yaml';

/** An error in a service definition, with its location. */
export interface ServiceFault {
  /** Path as in the option; undefined for services defined in code. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  /** One or more sentences: the field, what it must be, and how to fix it. */
  readonly message: string;
}

/** Thrown if services cannot be loaded at startup, when there is no earlier valid version. */
export class ServicesError extends TypeError {
  override readonly name = 'ServicesError';
  readonly faults: readonly ServiceFault[];

  constructor(faults: readonly ServiceFault[]) {
    super(faults.map(describeServiceFault).join('\n'));
    this.faults = faults;
  }
}

/** Formats an error with its location: `services/orders.yaml:4:12: routes["GET /orders"].delay must be …` */
export function describeServiceFault({ file, line, column, message }: ServiceFault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}

export interface Problem {
  /** Keys, outermost first. */
  readonly path: readonly (string | number)[];
  /** Rest of a sentence that begins with the field: `must be …`. */
  readonly rest: string;
  /** Whether the key itself is wrong rather than its value. */
  readonly isKey?: boolean;
  /** Whether `rest` is a sentence of its own, to print after the field and a colon. */
  readonly isComplete?: boolean;
}

/** Formats a problem with the path of its value: `routes["GET /orders"].delay must be …` */
export function describeProblem({ path, rest, isComplete = false }: Problem): string {
  const field = path.map((key, at) => {
    if (typeof key === 'number') return `[${key}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(key)) return `[${JSON.stringify(key)}]`;
    return at === 0 ? key : `.${key}`;
  });
  const name = field.join('') || 'The service';
  const sentence = isComplete ? `${name}: ${rest}` : `${name} ${rest}`;
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the approximate location of a field in a module's source, by searching for the keys of its path one
 * after the other.
 */
export function locateInText(text: string, { path }: Pick<Problem, 'path'>): Place | undefined {
  let from = 0;
  let found: number | undefined;
  for (const key of path) {
    if (typeof key === 'number') continue;
    const escaped = key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const match = new RegExp(`(?<![\\w$])(["'\`]?)${escaped}\\1\\s*[:(,}]`).exec(text.slice(from));
    if (match === null) break;
    found = from + match.index;
    from = found + match[0].length;
  }
  return found === undefined ? undefined : toPlace(text, found);
}

/** @param offset from the start of the text */
function toPlace(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

export interface ReadFile {
  readonly value: unknown;
  readonly locate: (problem: Pick<Problem, 'path' | 'isKey'>) => Place | undefined;
}

/**
 * Reads a YAML file.
 *
 * @returns the file, or its errors if it is not valid YAML
 */
export async function readYaml(file: string, text: string): Promise<ReadFile | ServiceFault[]> {
  // Loaded only for YAML files.
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) {
    return document.errors.map(({ message, pos: [offset] }) => ({
      file,
      ...toPlace(text, offset),
      message: `${message.replace(/\.?$/, '.')}`,
    }));
  }
  try {
    return {
      value: document.toJS(),
      locate: (problem) => {
        const offset = offsetOf(document, problem);
        return offset === undefined ? undefined : toPlace(text, offset);
      },
    };
  } catch (error) {
    return [{ file, message: `${(error as Error).message}.` }];
  }
}

/** Returns the node at a path, or its key; a missing one is located at its parent. */
function offsetOf(
  document: Document<ParsedNode>,
  { path, isKey = false }: Pick<Problem, 'path' | 'isKey'>,
): number | undefined {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const key = isKey && depth === path.length ? keyAt(document, path) : undefined;
    const node = key ?? document.getIn(path.slice(0, depth), true);
    const { range } = (node ?? {}) as { range?: readonly number[] | null };
    if (range !== undefined && range !== null) return range[0];
  }
  return undefined;
}

function keyAt(document: Document<ParsedNode>, path: Problem['path']): unknown {
  const parent = document.getIn(path.slice(0, -1), true) as { items?: unknown[] } | undefined;
  const pairs = (parent?.items ?? []) as { key?: { value?: unknown } }[];
  return pairs.find(({ key }) => String(key?.value) === String(path.at(-1)))?.key;
}
