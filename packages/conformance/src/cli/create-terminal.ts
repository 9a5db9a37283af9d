import { styleText } from 'node:util';
import type { Output } from './output.ts';

type Stream = NodeJS.WriteStream;

/** Back to the beginning of the line, and everything after it removed. */
const CLEAR = '\r\u001b[2K';

/**
 * Writes lines to the two streams of the process, with a progress line below them where both are
 * watched by somebody. Colours obey NO_COLOR and FORCE_COLOR.
 */
export function createTerminal(stdout: Stream, stderr: Stream, isWatched: boolean): Output {
  let shown = '';
  const write = (stream: Stream, line: string) => {
    if (shown === '') stream.write(`${line}\n`);
    else {
      stderr.write(CLEAR);
      stream.write(`${line}\n`);
      stderr.write(shown);
    }
  };
  const progress = (text: string) => {
    shown = text.slice(0, Math.max(0, (stderr.columns ?? 80) - 1));
    stderr.write(CLEAR + shown);
  };
  return {
    out: (line) => write(stdout, line),
    error: (line) => write(stderr, line),
    ...(isWatched ? { progress } : {}),
    paint: (color, text) => styleText(color, text, { stream: stdout }),
  };
}
