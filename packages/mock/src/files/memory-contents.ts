import { collectBytes } from './collect-bytes.ts';
import type { Content, Contents } from './contents.ts';

/** Keeps the bytes of files in memory. */
export const memoryContents: Contents = {
  draft() {
    let collected = collectBytes();
    return {
      append: (chunk) => collected.append(chunk),
      finish: () => toContent(collected.join()),
      discard() {
        collected = collectBytes();
      },
    };
  },
  copy: (content) => content,
  load: () => [],
  save() {},
  remove() {},
};

function toContent(bytes: Buffer): Content {
  return { bytes: () => bytes, read: (start, end) => bytes.subarray(start, end + 1) };
}
