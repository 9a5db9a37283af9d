import type { Document, ParsedNode } from 'yaml';
import type { Problem } from '../checking/problem.ts';
import { type Place, toPlace } from './locate-in-text.ts';
import type { ServiceFault } from './service-fault.ts';

/** A file as it was read: its value, and where in it a field stands. */
export interface ReadFile {
  readonly value: unknown;
  readonly locate: (problem: Pick<Problem, 'path' | 'isKey'>) => Place | undefined;
}

/**
 * Reads a YAML file.
 *
 * @returns what is wrong with it, where it is no YAML
 */
export async function readYaml(file: string, text: string): Promise<ReadFile | ServiceFault[]> {
  // Loaded for those alone who write YAML.
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

/** The value at a path, or its key; what is missing is told at what should have it. */
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
