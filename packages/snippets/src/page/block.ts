import type { Note } from './read-notes.ts';

/** A fenced code block on a page. */
export type Block = {
  /** Path of the page, relative to the repository root. */
  page: string;
  /** The heading above it. */
  section: string;
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
