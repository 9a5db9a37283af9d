import type { Readable } from 'node:stream';
import type { StoredFile } from './file-store.ts';

/** The bytes of one file. They never change. */
export interface Content {
  /** All of them in memory. */
  bytes(): Buffer;
  /** Those from `start` to `end`, both included. */
  read(start: number, end: number): Buffer | Readable;
}

/** Bytes that are being written. */
interface ContentDraft {
  append(chunk: Buffer): void;
  finish(): Content;
  discard(): void;
}

/** Where a store keeps its bytes, and what it remembers of them. */
export interface Contents {
  draft(): ContentDraft;
  /** The same bytes for another file. */
  copy(content: Content): Content;
  /** The files that were kept, by key. */
  load(): Iterable<readonly [key: string, file: StoredFile]>;
  /** Remembers a file under a key; `old` is the one that it replaces. */
  save(key: string, file: StoredFile, old: StoredFile | undefined): void;
  remove(key: string, file: StoredFile): void;
}
