import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';

/** Thrown if a file does not exist, cannot be read, or is neither JSON nor YAML. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

export interface Loaded {
  readonly document: unknown;
  readonly bytes: Uint8Array;
}

/** @throws UnreadableError */
export async function loadDocument(file: string): Promise<Loaded> {
  if (/^https?:/.test(file)) {
    throw new UnreadableError(`${file}: only local files are supported, so download it first.`);
  }
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableError(`${file} cannot be read: ${error.code ?? error.message}.`);
  });
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const document = toDocument(file, text);
  if (containsItself(document, new Set(), new Set())) {
    throw new UnreadableError(
      `${file} has a YAML alias that contains itself. Use $ref for recursive schemas.`,
    );
  }
  return { document, bytes };
}

/** @param done values that are known not to contain themselves */
function containsItself(value: unknown, path: Set<unknown>, done: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || done.has(value)) return false;
  if (path.has(value)) return true;
  path.add(value);
  const holds = Object.values(value).some((each) => containsItself(each, path, done));
  path.delete(value);
  done.add(value);
  return holds;
}

function toDocument(file: string, text: string): unknown {
  try {
    // The YAML parser could read JSON too, but is a hundred times slower.
    return text.trimStart().startsWith('{')
      ? JSON.parse(text)
      : parse(text, { maxAliasCount: -1, logLevel: 'error' });
  } catch (error) {
    const kind = error instanceof YAMLParseError ? 'YAML' : 'JSON';
    throw new UnreadableError(`${file} is not valid ${kind}: ${(error as Error).message}`);
  }
}
