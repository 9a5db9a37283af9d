import { checkData, DATA } from '../data/check-data.ts';
import { type Block, findNote, type Outcome, toFileName } from '../page/block.ts';
import { isScript } from '../types/to-module.ts';
import type { Desk } from './desk.ts';
import { findMissing } from './find-missing.ts';
import { runScript } from './run-script.ts';
import { runShell, SHELL } from './run-shell.ts';

/** Languages of what is read only. */
const LEFT_ALONE = ['', 'http', 'text'];

export type Checked = { outcomes: Outcome[]; faults: string[] };

/** Puts each block of a page into its class, in their order, as a reader types them. */
export async function checkPage(desk: Desk, blocks: Block[]): Promise<Checked> {
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  let printed = '';
  for (const block of blocks) {
    try {
      const outcome = await check(block);
      printed = outcome.printed ?? printed;
      outcomes.push(outcome);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const at = /^\d+: /.test(text) ? text : `${block.line}: ${text}`;
      faults.push(`${block.page}:${at}`);
      outcomes.push({ block, class: 'wrong' });
    }
  }
  desk.close();
  return { outcomes, faults };

  async function check(block: Block): Promise<Outcome & { printed?: string }> {
    if (isScript(block)) return runScript(desk, blocks, block);
    if (SHELL.includes(block.lang)) return runShell(desk, block);
    const file = toFileName(block);
    if (file !== undefined) desk.put(file, block.code);
    if (DATA.includes(block.lang)) return checkData(block);
    if (!LEFT_ALONE.includes(block.lang)) throw new Error(`no language of a block: ${block.lang}`);
    if (findNote(block, 'printed')) {
      const missing = findMissing(block.code.split('\n'), printed);
      if (missing !== undefined) throw new Error(`did not print: ${missing}\nbut:\n${printed}`);
      return { block, class: 'run' };
    }
    return { block, class: 'left alone' };
  }
}
