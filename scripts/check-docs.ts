// `npm run lint` checks the Markdown pages: every relative link leads to a file and a heading, and every code
// block equals the example that the comment above it names, such as `<!-- examples/uploads.ts#large -->`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Blocks in these languages must quote an example, which is tested. Others are commands and output. */
const QUOTED = ['ts', 'tsx', 'js', 'json', 'yaml', 'python', 'go'];

/** A code block, with the comment above it. `<!-- fragment -->` marks a fragment of a longer file. */
const BLOCK =
  /(?:^<!-- (?<note>[^\n]*) -->\n\n)?^(?<indent> *)```(?<lang>\w*)[^\n]*\n(?<code>.*?)^ *```$/gms;
const LINK = /\]\((?<link>[^)\s]+)\)|^\[[^\]]+\]: (?<definition>\S+)/gm;

const problems = listPages().flatMap((page) => [...checkBlocks(page), ...checkLinks(page)]);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function listPages(): string[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return files.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function* checkBlocks(page: string): Iterable<string> {
  for (const { groups = {} } of read(page).matchAll(BLOCK)) {
    const { note = '', lang = '', code = '' } = groups;
    const example = /^(examples\/[^#]+)(?:#(\w+))?$/.exec(note);
    if (example) {
      const [, file = '', region] = example;
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
  if (!existsSync(join(ROOT, file))) return undefined;
  const text = read(file);
  if (region === undefined) return text;
  return new RegExp(`#region ${region}\n(.*?)^[^\n]*#endregion`, 'ms').exec(text)?.[1];
}

function* checkLinks(page: string): Iterable<string> {
  const text = read(page)
    .replace(BLOCK, '')
    .replace(/`[^`\n]+`/g, '');
  for (const { groups } of text.matchAll(LINK)) {
    const link = groups?.link ?? groups?.definition ?? '';
    if (/^[a-z]+:/.test(link)) continue;
    const [path = '', anchor] = decodeURI(link).split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) yield `${page}: there is no file ${link}`;
    else if (anchor && !toAnchors(read(target)).has(anchor))
      yield `${page}: there is no heading ${link}`;
  }
}

/** The anchors of a page: those that GitHub gives headings, and those that the page sets. */
function toAnchors(text: string): Set<string> {
  const prose = text.replace(BLOCK, '');
  const headings = [...prose.matchAll(/^#+ (?<heading>.+)$/gm)].map(({ groups }) =>
    (groups?.heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const ids = [...prose.matchAll(/<a id="(?<id>[^"]+)"/g)].map(({ groups }) => groups?.id ?? '');
  return new Set([...headings, ...ids]);
}
