import { type Block, findNote, type Outcome } from '../page/block.ts';
import { findUnknownOptions, toBerth } from '../shell/command-lines.ts';
import { isEndless, READY, staysUp } from '../shell/stays-up.ts';
import { type Line, toLines } from '../shell/to-lines.ts';
import { toCommands } from '../shell/to-words.ts';
import { whyNotRun } from '../shell/why-not-run.ts';
import { callsMock } from './addresses.ts';
import { type Desk, isBackground, type Ran } from './desk.ts';
import { findMissing } from './find-missing.ts';

export const SHELL = ['sh', 'bash', 'console'];

/**
 * Types the commands of a block, if all of them can be run here; else only parses them, and looks whether
 * the options of our command lines exist.
 *
 * @throws Error that begins with the line of the page
 */
export async function runShell(desk: Desk, block: Block): Promise<Outcome & { printed?: string }> {
  const lines = toLines(block);
  const commands = lines.flatMap(({ text }) => toCommands(text));
  for (const words of commands) {
    const berth = toBerth(words);
    const unknown = berth ? findUnknownOptions(berth) : [];
    if (unknown.length > 0) throw new Error(`${berth?.[0]} has no option ${unknown.join(', ')}`);
  }
  const why = findNote(block, 'not run')?.value ?? commands.map(whyNotRun).find((reason) => reason);
  if (why !== undefined) return { block, class: 'parsed', why };

  const given = findNote(block, 'given');
  for (const line of given ? toLines({ ...block, code: given.body, line: given.line }) : []) {
    await expectEnd(desk, line, 0);
  }
  let printed = '';
  for (const [index, line] of lines.entries()) {
    const last = index === lines.length - 1;
    const code = last ? Number(findNote(block, 'exits')?.value ?? 0) : 0;
    printed = (await expectEnd(desk, line, code)).printed;
  }
  return { block, class: 'run', printed };
}

async function expectEnd(desk: Desk, typed: Line, code: number): Promise<Ran> {
  const { text, line, shown } = typed;
  const words = toCommands(text);
  const serves = words.some(staysUp);
  if (!serves && callsMock(text) && !desk.listens(4010)) await desk.serve('exec npx berth-mock');
  if (serves) desk.close();
  const endless = serves ? READY : words.some(isEndless) ? /./ : undefined;
  const ran =
    endless && !isBackground(text)
      ? await desk.serve(text, endless)
      : await desk.run(`${toCurlRule(typed)}\n${text}`);
  if (ran.code !== code)
    throw new Error(`${line}: ended with ${ran.code}, not ${code}:\n${ran.printed}`);
  const missing = findMissing(shown, ran.printed);
  if (missing !== undefined)
    throw new Error(`${line}: did not print: ${missing}\nbut:\n${ran.printed}`);
  return ran;
}

/** A call whose answer the page does not show has to succeed, unless `-i` lets the reader look. */
function toCurlRule({ text, shown }: Line): string {
  const isShown = shown.length > 0 || / -i /.test(text);
  return `export PAGE_CURL=${isShown ? '' : '--fail-with-body'}`;
}
