import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { HOME } from './site-map.ts';

const ROOT = join(import.meta.dirname, '../..');
const FENCE = /^( *)(```|~~~).*?^\1\2 *$/gms;
const LINK = /(?<before>\]\()(?<target>(?![a-z][a-z+.-]*:|#)[^)\s]+)(?<after>\))/g;

/**
 * Copies Markdown files of the repository to their place in the site. Links between them point to pages, images to a
 * copy next to the pages, and links to other files of the repository to a copy under `/source`.
 *
 * @param files paths from the root of the repository
 * @throws Error if a link leads to no file
 */
export async function stagePages(files: string[], to: string): Promise<void> {
  const pages = new Set(files);
  const sources = new Set<string>();

  for (const file of pages) {
    const page = toPagePath(file);
    const text = await readFile(join(ROOT, file), 'utf8');
    const staged = rewriteLinks(text, (link) => {
      const [path = '', anchor] = link.split('#');
      const target = posix.join(posix.dirname(file), path);
      if (!pages.has(target)) sources.add(target);
      const place = pages.has(target) ? toPagePath(target) : toCopyPath(target);
      const start = place.startsWith('images/') ? './' : ''; // its page imports an image
      const relative = start + posix.relative(posix.dirname(page), place.replace(/^public\//, ''));
      return anchor === undefined ? relative : `${relative}#${anchor}`;
    });
    await mkdir(dirname(join(to, page)), { recursive: true });
    await writeFile(join(to, page), staged);
  }
  for (const source of sources) {
    await cp(join(ROOT, source), join(to, toCopyPath(source)), { recursive: true });
  }
}

/** Where a file that is not a page is copied. Rspress bundles the images of pages. */
function toCopyPath(file: string): string {
  if (file.startsWith('docs/images/')) return file.slice('docs/'.length);
  return `public/source/${file}`;
}

/**
 * The path of a Markdown file of the repository in the site.
 *
 * @param file path from the root of the repository
 * @returns path from the root of the site, ending in `.md`
 *
 * @example
 * toPagePath('packages/mock/README.md'); // 'packages/mock.md'
 * toPagePath('docs/guides/mock.md'); // 'guides/mock.md'
 */
export function toPagePath(file: string): string {
  if (file === 'spec/README.md') return 'packages/spec.md';
  if (file === HOME) return 'index.md';
  if (!file.includes('/')) return `project/${file.toLowerCase()}`;
  if (file.startsWith('docs/')) return file.slice('docs/'.length);
  return file.replace(/\/README\.md$/, '.md');
}

/**
 * Rewrites the targets of relative links in Markdown. Code blocks and links to other hosts stay unchanged.
 *
 * @param rewrite returns the new target
 */
function rewriteLinks(markdown: string, rewrite: (target: string) => string): string {
  const blocks: string[] = [];
  const text = markdown.replace(FENCE, (block) => `\0${blocks.push(block) - 1}\0`);
  const rewritten = text.replace(
    LINK,
    (_link, before, target, after) => before + rewrite(target) + after,
  );
  return rewritten.replace(/\0(\d+)\0/g, (_mark, index) => blocks[Number(index)] ?? '');
}
