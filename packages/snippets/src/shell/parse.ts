import { spawnSync } from 'node:child_process';
import type { Block } from '../page.ts';

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

/**
 * Splits a line of shell into its simple commands, at `&&`, `||`, `|`, `;`, `&`, line breaks and `$(`. Each
 * command is a list of unquoted words, without comments and leading variable assignments.
 */
export function toCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  const token =
    /\\\n|[ \t]+|#[^\n]*|&&|\|\||\$\(|[|;\n()]|(?<![<>\d])&|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\$(?!\()|[^\s'"\\|;()&$]|(?<=[<>\d])&)+)/gsy;
  for (const [text, word] of line.matchAll(token)) {
    if (word !== undefined) (commands.at(-1) as string[]).push(unquote(word));
    else if (!/^[ \t\\#]/.test(text)) commands.push([]);
  }
  return commands.map(withoutSettings).filter((words) => words.length > 0);
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, escaped) =>
    [single, double, escaped].find((part) => part !== undefined),
  );
}

function withoutSettings(words: string[]): string[] {
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  return first === -1 ? [] : words.slice(first);
}
