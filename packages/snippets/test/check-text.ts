import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPage } from '../src/page.ts';
import { type Checked, checkPage } from '../src/run/check-page.ts';
import { Desk } from '../src/run/desk.ts';
import { makeBench } from '../src/run/make-bench.ts';
import { checkTypes } from '../src/types/check-types.ts';

/** Checks a page written by a test, in the same way as the repository's pages. */
export async function checkText(markdown: string): Promise<Checked & { types: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-page-'));
  const { commands } = await makeBench(folder);
  const blocks = readPage('page.md', markdown);
  await mkdir(join(folder, 'types'));
  const desk = new Desk(join(folder, 'pages/page.md'), commands);
  try {
    const types = await checkTypes(join(folder, 'types'), [blocks]);
    return { ...(await checkPage(desk, blocks)), types };
  } finally {
    desk.close();
    await rm(folder, { recursive: true, force: true });
  }
}
