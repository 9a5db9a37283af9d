import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';

/** A pattern, and where it stands. */
export interface Found {
  readonly place: string;
  readonly pattern: RegExp;
}

/** After these a slash begins a pattern; after anything else it divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};>]|\breturn|\bcase)\s*$/;

/** Every literal pattern in the sources below a folder, tests left out. */
export async function collectPatterns(folder: string): Promise<Found[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Found[] = [];
  for (const entry of entries) {
    if (!entry.isFile() || !/(?<!\.test|\.d)\.ts$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const place = relative(folder, file);
    const code = stripTypeScriptTypes(await readFile(file, 'utf8'));
    for (const pattern of patternsOf(code)) found.push({ place: `${place} ${pattern}`, pattern });
  }
  return found;
}

/** Reads over texts, templates and comments, and gives the patterns between them. */
function patternsOf(code: string): RegExp[] {
  const found: RegExp[] = [];
  const token =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\//g;
  let before = '';
  let from = 0;
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const text = match[0];
    before = before.slice(-40) + code.slice(from, match.index);
    from = token.lastIndex;
    if (text === '/' && BEFORE_PATTERN.test(before)) {
      const literal = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/y;
      literal.lastIndex = match.index;
      const [whole, source = '', flags] = literal.exec(code) ?? [];
      if (whole === undefined)
        throw new Error(`No pattern: ${code.slice(match.index).slice(0, 80)}`);
      found.push(new RegExp(source, flags));
      token.lastIndex = from = match.index + whole.length;
      before += 'x';
    } else if (!text.startsWith('//') && !text.startsWith('/*')) {
      before += text === '/' ? text : 'x';
    }
  }
  return found;
}

/** Every `pattern` of a document. */
export function patternsIn(document: unknown, place: string): Found[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]) => {
    const at = `${place}/${name}`;
    return /pattern$/i.test(name) && typeof value === 'string'
      ? [{ place: `${at} ${value}`, pattern: new RegExp(value, 'u') }]
      : patternsIn(value, at);
  });
}
