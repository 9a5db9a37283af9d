import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A block of code, or the target of a relative link. */
const CODE_OR_LINK = /^( *)(?:```|~~~).*?^\1(?:```|~~~) *$|\]\((?![a-z][a-z+.-]*:|#)([^)\s]+)\)/gms;

/** Metadata of the home page: without a suffix of its own, its title would be "Berth - Berth". */
const HOME = '---\ntitleSuffix: a contract for an HTTP API, and its tools\n---\n\n';

/**
 * Copies Markdown files of the repository to their place in the site. Links between them point to pages, and links to
 * other files of the repository to a copy under `/source`.
 *
 * @param files paths from the root of the repository
 * @throws Error if a link leads to no file
 */
export async function stagePages(files: string[], to: string): Promise<void> {
  const copies = new Set<string>();
  for (const file of files) {
    const page = toPagePath(file);
    const toTarget = (link: string) => {
      const target = posix.join(posix.dirname(file), link);
      if (files.includes(target)) return posix.relative(posix.dirname(page), toPagePath(target));
      copies.add(target);
      return `/source/${target}`;
    };
    const text = await readFile(join(ROOT, file), 'utf8');
    const staged = text.replace(CODE_OR_LINK, (match, _indent, link?: string) => {
      if (link === undefined) return match;
      const [path = '', ...anchor] = link.split('#');
      return `](${[toTarget(path), ...anchor].join('#')})`;
    });
    await mkdir(dirname(join(to, page)), { recursive: true });
    await writeFile(join(to, page), file === 'README.md' ? HOME + staged : staged);
  }
  for (const file of copies) {
    await cp(join(ROOT, file), join(to, 'public/source', file), { recursive: true });
  }
}

/**
 * The path of a Markdown file of the repository in the site.
 *
 * @example
 * toPagePath('packages/mock/README.md'); // 'packages/mock.md'
 * toPagePath('docs/guides/mock.md'); // 'guides/mock.md'
 */
export function toPagePath(file: string): string {
  if (file === 'README.md') return 'index.md';
  if (file === 'spec/README.md') return 'packages/spec.md';
  if (!file.includes('/')) return `project/${file.toLowerCase()}`;
  return file.replace(/^docs\//, '').replace(/\/README\.md$/, '.md');
}
