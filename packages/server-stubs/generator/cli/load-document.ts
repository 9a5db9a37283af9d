import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';

/** The file is not there, or is neither JSON nor YAML. */
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
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableError(`${file} cannot be read: ${error.code ?? error.message}.`);
  });
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return { document: toDocument(file, text), bytes };
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
