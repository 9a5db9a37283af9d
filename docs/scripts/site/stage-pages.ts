import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { rewriteLinks } from './rewrite-links.ts';
import { toPagePath } from './to-page-path.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Copies Markdown files of the repository to where they stand in the site. Links between them lead
 * from page to page. Links to other files of the repository, such as a part of the contract, lead to
 * a copy under `/source`.
 *
 * @param files paths from the root of the repository
 * @param built text of the pages that are no file, by such a path
 * @throws Error that names every link that leads to nothing
 */
export async function stagePages(
  files: string[],
  built: Map<string, string>,
  to: string,
): Promise<void> {
  const pages = new Set(files);
  const sources = new Set<string>();
  const dead: string[] = [];

  for (const file of pages) {
    const page = toPagePath(file);
    const text = built.get(file) ?? (await readFile(join(ROOT, file), 'utf8'));
    const links: [string, string][] = [];
    const staged = rewriteLinks(text, (link) => {
      const [path = '', anchor] = link.split('#');
      const target = posix.join(posix.dirname(file), path);
      if (!pages.has(target)) {
        links.push([link, target]);
        sources.add(target);
      }
      const place = pages.has(target) ? toPagePath(target) : `public/source/${target}`;
      const relative = posix.relative(posix.dirname(page), place.replace(/^public\//, ''));
      return anchor === undefined ? relative : `${relative}#${anchor}`;
    });
    for (const [link, target] of links) {
      if (!(await isFile(join(ROOT, target)))) dead.push(`${file}: ${link}`);
    }
    await write(join(to, page), staged);
  }
  if (dead.length > 0) throw new Error(`These links lead to nothing:\n  ${dead.join('\n  ')}`);
  for (const source of sources) {
    await cp(join(ROOT, source), join(to, 'public/source', source), { recursive: true });
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
