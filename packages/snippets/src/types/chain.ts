import { type Block, findNote } from '../page/block.ts';

export const SCRIPTS = ['ts', 'tsx', 'js'];

/** A block of a page with those that it continues, first one first. */
export function toChain(blocks: Block[], block: Block): Block[] {
  if (findNote(block, 'continues') === undefined) return [block];
  const before = blocks.slice(0, blocks.indexOf(block));
  const former = before.findLast(({ lang }) => SCRIPTS.includes(lang));
  if (former === undefined) throw new Error(`${block.page}:${block.line}: nothing to continue`);
  return [...toChain(blocks, former), block];
}
