import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import ts from 'typescript';
import { isScalar, parse, parseAllDocuments, visit } from 'yaml';

type Word = { avoid: string; use: string };

const WORDS: Word[] = parse(readFileSync(new URL('words.yaml', import.meta.url), 'utf8'));

const PATTERNS = WORDS.map(({ avoid, use }) => ({
  pattern: new RegExp(avoid.replaceAll(' ', '\\s+'), 'giu'),
  use,
}));

/**
 * Anything that is not prose: code, link targets, HTML, URLs, and the markers at the start of comment
 * lines.
 */
const NO_PROSE = /`[^`]*`|\]\([^)\s]*\)|<[^>]*>|\bhttps?:\S+|(?<=\n)[ \t]*(?:\*|\/\/|#)/g;

/** A piece of prose in a file: its first offset, and the offset after it. */
type Range = [start: number, end: number];

const READERS: Record<string, (text: string) => Range[]> = {
  '.md': readMarkdown,
  '.yaml': readYaml,
  '.yml': readYaml,
  '.ts': readTypeScript,
  '.tsx': readTypeScript,
  '.mjs': readTypeScript,
};

export type Finding = { line: number; column: number; message: string };

/**
 * Finds words that prose should avoid in a Markdown, YAML or TypeScript file.
 *
 * @param file - file name, whose extension selects the parser
 */
export function lintText(text: string, file: string): Finding[] {
  const ranges = READERS[extname(file)]?.(text) ?? [];
  return ranges.flatMap(([start, end]) => {
    // Masked text keeps its length, so that the positions of findings stay correct.
    const prose = text.slice(start, end).replace(NO_PROSE, (code) => code.replace(/\S/g, '_'));
    return PATTERNS.flatMap(({ pattern, use }) =>
      [...prose.matchAll(pattern)].map(({ 0: found, index }) => {
        const message = `"${found.trim().replace(/\s+/g, ' ')}": write ${use}`;
        return toFinding(text, start + index, message);
      }),
    );
  });
}

export function toFinding(text: string, index: number, message: string): Finding {
  const lines = text.slice(0, index).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, message };
}

type Node = ReturnType<typeof fromMarkdown>['children'][number];

/** Reads headings, paragraphs, and the cells of tables, which are paragraphs for this parser. */
function readMarkdown(text: string): Range[] {
  const read = (node: Node): Range[] => {
    if (node.type !== 'paragraph' && node.type !== 'heading') {
      return 'children' in node ? (node.children as Node[]).flatMap(read) : [];
    }
    const start = node.position?.start.offset ?? 0;
    const prose = text.slice(start, node.position?.end.offset);
    const parts = prose.matchAll(prose.startsWith('|') ? /[^\s|](?:\\.|[^\\|\n])*/g : /.+/gs);
    return [...parts].map(({ 0: part, index }) => [start + index, start + index + part.length]);
  };
  return fromMarkdown(text).children.flatMap(read);
}

/** YAML keys whose values are prose. */
const PROSE = new Set(
  'description details message statement summary tagline text title'.split(' '),
);

/** Reads descriptions and comments. */
function readYaml(text: string): Range[] {
  const ranges: Range[] = [...text.matchAll(/(?:^[ \t]*#.*\n)+/gm)].map(({ 0: raw, index }) => [
    index,
    index + raw.length,
  ]);
  for (const document of parseAllDocuments(text)) {
    if (!('contents' in document)) continue;
    visit(document, {
      Pair(_, { key, value }) {
        if (!isScalar(key) || !isScalar(value) || !value.range) return;
        if (PROSE.has(String(key.value)) && typeof value.value === 'string') {
          ranges.push([value.range[0], value.range[1]]);
        }
      },
    });
  }
  return ranges;
}

/** Reads comments and strings. */
function readTypeScript(text: string): Range[] {
  const source = ts.createSourceFile('a.tsx', text, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, Range>();
  const add = (start: number, end: number) => ranges.set(start, [start, end]);
  const visitNode = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) add(pos, end);
    for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) add(pos, end);
    // A string with a space is a message or a title; one without is a name.
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node);
    const isPart = ts.isTemplateMiddle(node) || ts.isTemplateTail(node) || ts.isJsxText(node);
    if ((isText || isPart) && /\S \S/.test(node.text)) {
      add(node.getStart(source) + 1, node.end - 1); // without its quotes
    }
    for (const child of node.getChildren(source)) visitNode(child);
  };
  visitNode(source);
  return [...ranges.values()];
}
