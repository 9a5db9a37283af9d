import { spawnSync } from 'node:child_process';
import type { Block } from '../page/block.ts';

/** A command as a user types it, possibly over several lines, and the output that the page shows below it. */
export type Line = { text: string; line: number; shown: string[] };

/**
 * Returns the commands in a shell block. If lines start with `$ `, they are the commands and the others
 * are output. Otherwise all lines are commands.
 *
 * @throws Error if `sh -n` cannot parse them
 */
export function toLines({ code, line }: Block): Line[] {
  const rows = code.split('\n');
  const prompts = rows.some((row) => row.startsWith('$ '));
  const lines: Line[] = [];
  let typed: string[] = [];
  for (const [index, row] of rows.entries()) {
    const begins = !prompts || row.startsWith('$ ');
    if (begins || typed.length > 0) {
      typed.push(prompts ? row.replace(/^[$>] /, '') : row);
      const text = typed.join('\n');
      if (row.endsWith('\\') || parseFault(text) !== undefined) continue;
      if (text.trim() !== '')
        lines.push({ text, line: line + index - typed.length + 1, shown: [] });
      typed = [];
    } else if (lines.length > 0) {
      (lines.at(-1) as Line).shown.push(row);
    }
  }
  if (typed.length > 0)
    throw new Error(parseFault(typed.join('\n')) ?? 'ends in the middle of a command');
  return lines;
}

function parseFault(text: string): string | undefined {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: `${text}\n`, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}
