import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Block,
  type Desk,
  findNote,
  isShell,
  READY,
  ROOT,
  readPage,
  staysUp,
  toCommands,
  toFileName,
  toLines,
} from '@berth/snippets';

/** What Vite prints when it is ready, too. */
const SERVES = new RegExp(`${READY.source}|Local: +http`, 'im');

/** Commands, besides ours, that run until they are stopped. */
const SERVERS = /^(npm start|npm run dev|npx vite|node src\/server\.ts)$/;

/**
 * Types the blocks in sections of a page, as a reader does: saves each file that the page names, and runs each
 * command, including those that `packages/snippets` only parses. Code that readers do not see has no effect.
 *
 * @param sections headings
 * @returns what the last command printed
 * @throws Error with the line of the page and the complete output, if a command fails
 */
export async function typePage(
  desk: Desk,
  page: string,
  sections: readonly string[],
): Promise<string> {
  let printed = '';
  for (const block of readSections(page, sections)) {
    if (isShell(block)) printed = await typeShell(desk, block);
    else saveFile(desk, block);
  }
  return printed;
}

/** Returns the blocks in sections of a page, in the order of `sections`. */
export function readSections(page: string, sections: readonly string[]): Block[] {
  const blocks = readPage(page, readText(page));
  return sections.flatMap((section) => {
    const own = blocks.filter((block) => block.section === section);
    if (own.length === 0) throw new Error(`${page} has no blocks below "${section}".`);
    return own;
  });
}

const readText = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

function saveFile(desk: Desk, block: Block): void {
  const name = toFileName(block);
  if (name === undefined) return;
  if (
    !readText(block.page)
      .replaceAll(/<!--.*?-->/gs, '')
      .includes(name)
  ) {
    throw new Error(`${block.page}:${block.line}: readers do not see the name of ${name}.`);
  }
  desk.put(name, `${block.code}\n`);
}

async function typeShell(desk: Desk, block: Block): Promise<string> {
  const lines = toLines(block);
  let printed = '';
  for (const { text, line } of lines) {
    const serves = toCommands(text).some(staysUp) || SERVERS.test(text.trim());
    const ran = serves ? await desk.serve(text, SERVES) : await desk.run(text);
    const isLast = line === lines.at(-1)?.line;
    const code = isLast ? Number(findNote(block, 'exits')?.value ?? 0) : 0;
    if (ran.code !== code) {
      throw new Error(`${block.page}:${line}: exited with ${ran.code}:\n${ran.printed}`);
    }
    ({ printed } = ran);
  }
  return printed;
}
