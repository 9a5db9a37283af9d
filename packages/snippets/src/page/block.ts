import type { Note } from './read-notes.ts';

/** A fenced block of a page. */
export type Block = {
  /** Path of the page from the root of the repository. */
  page: string;
  /** Line of the page on which the code begins, from 1. */
  line: number;
  lang: string;
  code: string;
  notes: Note[];
};

/** What has become of a block: exactly one class, and what is wrong. */
export type Outcome = {
  block: Block;
  class: 'run' | 'type-checked' | 'validated' | 'parsed' | 'left alone' | 'wrong';
  /** Why no more was done. */
  why?: string;
};

/** The name that a block gives itself as a file: by a note, or by a comment in its first line. */
export function toFileName({ notes, code }: Block): string | undefined {
  const note = notes.find(({ name }) => name === 'file');
  return (
    note?.value ??
    /^(?:\/\/|#) ((?:[\w.-]+\/)*[\w.-]+\.[a-z]+)$/m.exec(code.split('\n')[0] ?? '')?.[1]
  );
}

export function findNote({ notes }: Block, name: Note['name']): Note | undefined {
  return notes.find((note) => note.name === name);
}
