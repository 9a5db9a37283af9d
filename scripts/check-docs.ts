// `npm run lint` checks the Markdown pages: every relative link leads to a file and a heading, and every code
// block equals the example that the comment above it names, such as `<!-- examples/uploads.ts#large -->`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Blocks in these languages must quote an example, which is tested. Others are commands and output. */
const QUOTED = ['ts', 'tsx', 'js', 'json', 'yaml', 'python', 'go'];

/** A code block, with the comment above it. `<!-- fragment -->` marks a fragment of a longer file. */
const BLOCK =
  /(?:^<!-- (?<note>[^\n]*) -->\n\n)?^(?<indent> *)```(?<lang>\w*)[^\n]*\n(?<code>.*?)^ *```$/gms;
const LINK = /\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/gm;

process.chdir(join(import.meta.dirname, '..'));
const args = ['ls-files', '-co', '--exclude-standard', '*.md'];
const pages = execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(existsSync);
const problems = pages.flatMap((page) => [...checkBlocks(page), ...checkLinks(page)]);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

function* checkBlocks(page: string): Iterable<string> {
  for (const { groups = {} } of read(page).matchAll(BLOCK)) {
    const { note = '', lang = '', code = '' } = groups;
    const [, file, region] = /^(examples\/[^#]+)(?:#(\w+))?$/.exec(note) ?? [];
    if (file !== undefined) {
      if (readExample(file, region) !== code) {
        yield `${page}: this block differs from ${note}:\n${code}`;
      }
    } else if (QUOTED.includes(lang) && !note.startsWith('fragment')) {
      yield `${page}: a block in ${lang} has to quote an example (<!-- examples/… --> above it):\n${code}`;
    }
  }
}

/** Returns a file, or the lines between `#region <name>` and `#endregion`; `undefined` if there is none. */
function readExample(file: string, region: string | undefined): string | undefined {
  if (!existsSync(file)) return undefined;
  if (region === undefined) return read(file);
  return new RegExp(`#region ${region}\n(.*?)^[^\n]*#endregion`, 'ms').exec(read(file))?.[1];
}

function* checkLinks(page: string): Iterable<string> {
  const text = read(page)
    .replace(BLOCK, '')
    .replace(/`[^`\n]+`/g, '');
  for (const [, inline, definition] of text.matchAll(LINK)) {
    const link = inline ?? definition ?? '';
    if (/^[a-z]+:/.test(link)) continue;
    const [path = '', anchor] = decodeURI(link).split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(target)) yield `${page}: there is no file ${link}`;
    else if (anchor && !toAnchors(read(target)).includes(anchor))
      yield `${page}: there is no heading ${link}`;
  }
}

/** The anchors of a page: those that GitHub gives headings, and those that the page sets. */
function toAnchors(text: string): string[] {
  const prose = text.replace(BLOCK, '');
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '');
    return words.replaceAll(' ', '-');
  });
  return [...headings, ...[...prose.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
}
