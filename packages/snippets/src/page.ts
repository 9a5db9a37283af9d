import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';

export const ROOT = join(import.meta.dirname, '../../..');

/** Pages that people type from. Pages below docs/reference are generated, and decisions contain no code. */
const PAGES = [
  '*.md',
  'docs/*.md',
  'docs/guides/**/*.md',
  'packages/*/README.md',
  'packages/*/fixture/README.md',
  'spec/README.md',
];

/** Finds the pages to check. Returns their paths relative to the repository root, in alphabetical order. */
export function findPages(): string[] {
  return globSync(PAGES, { cwd: ROOT }).sort();
}

/** A fenced code block on a page. */
export type Block = {
  /** Path of the page, relative to the repository root. */
  page: string;
  /** Line of the page on which the code starts, counting from 1. */
  line: number;
  lang: string;
  code: string;
  notes: Note[];
};

/** The outcome of checking a block: exactly one class, and the problem if there is one. */
export type Outcome = {
  block: Block;
  class: 'run' | 'type-checked' | 'validated' | 'parsed' | 'left alone' | 'wrong';
  /** Why nothing more was done. */
  why?: string;
};

/** Returns the file name that a block specifies for itself, in a note or in a comment on its first line. */
export function toFileName({ notes, code }: Block): string | undefined {
  const note = notes.find(({ name }) => name === 'file');
  return (
    note?.value ??
    /^(?:\/\/|#) ((?:[\w.-]+\/)*[\w.-]+\.[a-z]+)$/m.exec(code.split('\n')[0] ?? '')?.[1]
  );
}

/** Returns whether a block contains commands. */
export function isShell({ lang }: Block): boolean {
  return ['sh', 'bash', 'console'].includes(lang);
}

/** Whether it calls curl, which not every machine has. */
export function usesCurl(block: Block): boolean {
  return isShell(block) && /\bcurl\b/.test(block.code);
}

export function findNote({ notes }: Block, name: Note['name']): Note | undefined {
  return notes.find((note) => note.name === name);
}

const NAMES = ['continues', 'given', 'file', 'not run', 'exits', 'printed', 'stays up'] as const;

/** A note, which is an HTML comment directly before a block. This package's README lists all notes. */
export type Note = { name: (typeof NAMES)[number]; value: string; body: string; line: number };

const NOTE = new RegExp(`^<!--\\s*(${NAMES.join('|')})\\b:?[ \\t]*([^\\n]*?)(?:\\n(.*))?-->$`, 's');

type Node = ReturnType<typeof fromMarkdown>['children'][number];

/**
 * Returns the fenced blocks on a page, in order, including those in lists and quotes.
 *
 * @param page - path of the page, for messages
 */
export function readPage(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  visit(fromMarkdown(markdown).children as Node[]);
  return blocks;

  function visit(nodes: Node[]): void {
    let notes: Note[] = [];
    for (const [index, node] of nodes.entries()) {
      const line = node.position?.start.line ?? 0;
      if (node.type === 'html' && leadsToCode(nodes, index)) {
        notes.push(...readNotes(node.value, line));
      } else if (node.type === 'code') {
        const { lang, value: code } = node;
        blocks.push({ page, line: line + 1, lang: lang ?? '', code, notes });
        notes = [];
      } else if ('children' in node) {
        visit(node.children as Node[]);
      }
    }
  }
}

/** Returns whether a comment, or the comments that follow it, come directly before a block. */
function leadsToCode(nodes: Node[], index: number): boolean {
  const next = nodes.slice(index).find(({ type }) => type !== 'html');
  return next?.type === 'code';
}

/**
 * Reads the notes in an HTML node, which may contain several comments.
 *
 * @param line - line of the page on which the node starts
 * @throws Error for an unknown note, so that a typo does not change what is checked
 */
function readNotes(html: string, line: number): Note[] {
  return [...html.matchAll(/<!--.*?-->/gs)].map(({ 0: comment, index }) => {
    const [, name, value = '', body = ''] = NOTE.exec(comment) ?? [];
    if (name === undefined) {
      throw new Error(`unknown note: ${comment.split('\n')[0]} (known notes: ${NAMES.join(', ')})`);
    }
    const above = html.slice(0, index).split('\n').length - 1;
    return { name: name as Note['name'], value: value.trim(), body, line: line + above + 1 };
  });
}
