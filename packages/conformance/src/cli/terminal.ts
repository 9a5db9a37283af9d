import { readFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import type { Paint } from '../report/to-lines.ts';
import { StartError } from '../result.ts';

/** The streams that the command line writes to. */
export interface Output {
  out(line: string): void;
  error(line: string): void;
  paint?: Paint;
}

type Stream = NodeJS.WriteStream;

/** Creates an output that writes lines to stdout and stderr. Colours respect NO_COLOR and FORCE_COLOR. */
export function createTerminal(stdout: Stream, stderr: Stream): Output {
  return {
    out: (line) => void stdout.write(`${line}\n`),
    error: (line) => void stderr.write(`${line}\n`),
    paint: (color, text) => styleText(color, text, { stream: stdout }),
  };
}

/**
 * Reads a file that an option names.
 *
 * @throws StartError whose message is one sentence
 */
export async function readTextFile(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`The ${option} file cannot be read: ${file} (${code}).`);
  }
}
