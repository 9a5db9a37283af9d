import type { TxtDocumentNode, TxtParagraphNode } from '@textlint/ast-node-types';
import type { TextlintPluginCreator } from '@textlint/types';
import ts from 'typescript';
import { isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';

type Range = [start: number, end: number];

/** YAML keys whose values are prose. */
const PROSE = new Set(
  'description details message statement summary tagline text title'.split(' '),
);

/** Parsers by extension. They read YAML descriptions and comments, and TypeScript comments and strings. */
const READERS: Record<string, (text: string) => Range[]> = {
  '.yaml': readYaml,
  '.yml': readYaml,
  '.ts': readTypeScript,
  '.tsx': readTypeScript,
  '.mjs': readTypeScript,
};

/** Creates a textlint plugin that presents each piece of prose as a paragraph. */
export function toPlugin(): TextlintPluginCreator {
  return {
    Processor: class {
      availableExtensions() {
        return Object.keys(READERS);
      }
      processor(extension: string) {
        return {
          preProcess: (text: string) => toDocument(text, READERS[extension]?.(text) ?? []),
          postProcess: (messages: [], filePath = '') => ({ messages, filePath }),
        };
      }
    },
  };
}

function toDocument(text: string, ranges: Range[]): TxtDocumentNode {
  const lines = new LineCounter();
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines.addNewLine(at + 1);
  }
  lines.lineStarts.unshift(0);
  const toNode = (range: Range) => {
    const [start, end] = range.map((at) => {
      const { line, col } = lines.linePos(at);
      return { line, column: col - 1 };
    }) as [{ line: number; column: number }, { line: number; column: number }];
    return { raw: text.slice(...range), range, loc: { start, end } };
  };
  const children = ranges.map((range): TxtParagraphNode => {
    const node = toNode(range);
    return { type: 'Paragraph', ...node, children: [{ type: 'Str', value: node.raw, ...node }] };
  });
  return { type: 'Document', ...toNode([0, text.length]), children };
}

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
