import { type Block, findNote, toFileName } from '../page.ts';

const SCRIPTS = ['ts', 'tsx', 'js'];

/** Returns a block and those that it continues, first one first. */
function toChain(blocks: Block[], block: Block): Block[] {
  if (findNote(block, 'continues') === undefined) return [block];
  const before = blocks.slice(0, blocks.indexOf(block));
  const former = before.findLast(({ lang }) => SCRIPTS.includes(lang));
  if (former === undefined)
    throw new Error(`${block.page}:${block.line}: there is no earlier block to continue`);
  return [...toChain(blocks, former), block];
}

type Module = { file: string; text: string };

/**
 * Converts a block to a module, with the blocks that it continues and the code in its notes. All code keeps
 * its line number on the page, so that errors from the compiler and Node refer to lines on the page.
 */
export function toModule(blocks: Block[], block: Block): Module {
  const chain = toChain(blocks, block);
  const lines: string[] = [];
  for (const { code, line, notes } of chain) {
    for (const { name, value, body, line: at } of notes) {
      if (name === 'given' && value === '') place(lines, body, at);
    }
    place(lines, code, line);
  }
  return { file: toFileName(block) ?? toName(block), text: lines.join('\n') };
}

/** Returns the additional files in a block's notes. */
export function toGivenFiles({ notes }: Block): Module[] {
  return notes
    .filter(({ name, value }) => name === 'given' && value !== '')
    .map(({ value, body, line }) => ({ file: value, text: place([], body, line).join('\n') }));
}

/**
 * Returns whether a block uses names that are declared but not implemented, because only the reader can
 * implement them.
 */
export function isDeclaredOnly(blocks: Block[], block: Block): boolean {
  return toChain(blocks, block).some(({ notes }) =>
    notes.some(({ name, body }) => name === 'given' && /^\s*(export )?declare /m.test(body)),
  );
}

export function isScript({ lang }: Block): boolean {
  return SCRIPTS.includes(lang);
}

function place(lines: string[], text: string, line: number): string[] {
  while (lines.length < line - 1) lines.push('');
  lines.splice(line - 1, text.split('\n').length, ...text.split('\n'));
  return lines;
}

/** Vitest selects files by their name. */
function toName({ line, lang, code }: Block): string {
  return `line-${line}${isTest(code) ? '.test' : ''}.${lang}`;
}

export function isTest(code: string): boolean {
  return /from 'vitest'/.test(code);
}
