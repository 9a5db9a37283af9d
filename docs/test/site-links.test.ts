import { globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';

const SITE = join(import.meta.dirname, '../dist/site');
const pages = globSync('**/*.html', { cwd: SITE });
const html = new Map(pages.map((page) => [page, readFileSync(join(SITE, page), 'utf8')]));
const ids = new Map([...html].map(([page, text]) => [page, toIds(text)]));

it('every link of the built site points to an existing page and heading', () => {
  const dead: string[] = [];
  for (const [page, text] of html) {
    for (const [, link = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const { pathname, hash } = new URL(link, `http://site/${page}`);
      const file = toFile(decodeURI(pathname));
      const anchors = ids.get(file ?? '');
      const anchor = decodeURIComponent(hash.slice(1));
      if (!file || (anchor && anchors && !anchors.has(anchor))) dead.push(`${page}: ${link}`);
    }
  }
  expect(pages.length).toBeGreaterThan(40);
  expect([...new Set(dead)]).toEqual([]);
});

function toFile(pathname: string): string | undefined {
  const path = posix.normalize(pathname.slice(1));
  const candidates = [path, `${path}.html`, posix.join(path, 'index.html')];
  return candidates.find((file) => statSync(join(SITE, file), { throwIfNoEntry: false })?.isFile());
}

function toIds(text: string): Set<string> {
  return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
}
