import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Block } from './block.ts';
import { type Note, readNotes } from './read-notes.ts';

type Node = ReturnType<typeof fromMarkdown>['children'][number];

/**
 * Returns the fenced blocks on a page, in order, including those in lists and quotes.
 *
 * @param page - path of the page, for messages
 */
export function readPage(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
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
        blocks.push({ page, section, line: line + 1, lang: lang ?? '', code, notes });
        notes = [];
      } else if (node.type === 'heading') {
        section = toText(node);
      } else if ('children' in node) {
        visit(node.children as Node[]);
      }
    }
  }
}

function toText(node: Node): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map((child) => toText(child as Node)).join('') : '';
}

/** Returns whether a comment, or the comments that follow it, come directly before a block. */
function leadsToCode(nodes: Node[], index: number): boolean {
  const next = nodes.slice(index).find(({ type }) => type !== 'html');
  return next?.type === 'code';
}
