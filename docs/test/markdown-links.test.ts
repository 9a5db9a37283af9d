import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { rewriteLinks } from '../scripts/stage-pages.ts';

const ROOT = join(import.meta.dirname, '../..');

const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(join(ROOT, file)));

it('every relative link in Markdown points to an existing file and heading', () => {
  const dead: string[] = [];
  for (const file of files) {
    rewriteLinks(readFileSync(join(ROOT, file), 'utf8'), (link) => {
      const [path = '', anchor] = link.split('#');
      const target = join(dirname(file), path);
      const found = existsSync(join(ROOT, target));
      if (!found || (anchor && !toAnchors(target).has(anchor))) dead.push(`${file}: ${link}`);
      return link;
    });
  }
  expect(files.length).toBeGreaterThan(40);
  expect(dead).toEqual([]);
});

/** The anchors that GitHub gives the headings of a file. */
function toAnchors(file: string): Set<string> {
  const headings = readFileSync(join(ROOT, file), 'utf8').matchAll(/^#+ (?<text>.+)$/gm);
  return new Set(
    [...headings].map(({ groups }) =>
      (groups?.text ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
