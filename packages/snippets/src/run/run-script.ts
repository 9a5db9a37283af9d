import { type Block, findNote, type Outcome } from '../page/block.ts';
import { isDeclaredOnly, isTest, toGivenFiles, toModule } from '../types/to-module.ts';
import { callsMock } from './addresses.ts';
import type { Desk } from './desk.ts';

/**
 * Runs a script of a page: with Vitest where it imports it, else with Node.
 *
 * @throws Error with what was printed where it fails
 */
export async function runScript(
  desk: Desk,
  blocks: Block[],
  block: Block,
): Promise<Outcome & { printed?: string }> {
  const { file, text } = toModule(blocks, block);
  for (const given of toGivenFiles(block)) desk.put(given.file, given.text);
  const path = desk.put(file, text);
  const why = findNote(block, 'not run')?.value ?? whyNot();
  if (why !== undefined) return { block, class: 'type-checked', why };

  if (callsMock(text) && !desk.listens(4010)) await desk.serve('exec npx berth-mock');
  const test = `npx vitest run '${file}'`;
  const command = isTest(text) ? test : `node '${path}'`;
  const { code, printed } = findNote(block, 'stays up')
    ? await desk.serve(`exec ${command}`, 'listens')
    : await desk.run(command);
  if (code !== 0) throw new Error(`ended with ${code}:\n${printed}`);
  return { block, class: 'run', printed };

  function whyNot(): string | undefined {
    if (block.lang === 'tsx') return 'Node runs no JSX';
    return isDeclaredOnly(blocks, block) ? 'names what only its reader has' : undefined;
  }
}
