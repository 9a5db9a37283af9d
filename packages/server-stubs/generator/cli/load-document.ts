import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';

/** What was named is not there, cannot be read, or is neither JSON nor YAML. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** A document as it was read. */
export interface Loaded {
  readonly document: unknown;
  readonly bytes: Uint8Array;
}

/** @throws UnreadableError */
export async function loadDocument(file: string): Promise<Loaded> {
  if (/^https?:/.test(file)) {
    throw new UnreadableError(`${file}: only files are read: download it first.`);
  }
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableError(`${file} cannot be read: ${error.code ?? error.message}.`);
  });
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const document = toDocument(file, text);
  if (holdsItself(document, new Set(), new Set())) {
    throw new UnreadableError(
      `${file} has a YAML alias inside what it stands for. Use $ref for schemas that recur.`,
    );
  }
  return { document, bytes };
}

/** @param done values that were found to be finite, so that none is walked through twice */
function holdsItself(value: unknown, path: Set<unknown>, done: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || done.has(value)) return false;
  if (path.has(value)) return true;
  path.add(value);
  const holds = Object.values(value).some((each) => holdsItself(each, path, done));
  path.delete(value);
  done.add(value);
  return holds;
}

function toDocument(file: string, text: string): unknown {
  try {
    // YAML takes all of JSON, and a hundred times as long.
    return text.trimStart().startsWith('{')
      ? JSON.parse(text)
      : parse(text, { maxAliasCount: -1, logLevel: 'error' });
  } catch (error) {
    const kind = error instanceof YAMLParseError ? 'YAML' : 'JSON';
    throw new UnreadableError(`${file} is not good ${kind}: ${(error as Error).message}`);
  }
}
