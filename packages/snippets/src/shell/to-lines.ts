import { spawnSync } from 'node:child_process';
import type { Block } from '../page/block.ts';

/** A command as one types it, over several lines where it needs them, and what the page shows below it. */
export type Line = { text: string; line: number; shown: string[] };

/**
 * The commands of a shell block. Where lines begin with `$ `, these are typed and the others are printed;
 * else all are typed.
 *
 * @throws Error where `sh -n` cannot parse them
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
  if (typed.length > 0) throw new Error(parseFault(typed.join('\n')) ?? 'ends in the middle');
  return lines;
}

function parseFault(text: string): string | undefined {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: `${text}\n`, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}
