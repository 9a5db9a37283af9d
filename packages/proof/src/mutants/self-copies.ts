import type { Json } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { itemsOf, readsRequests } from './support/storage.ts';
import { deleteFile, fileIdOf, plainPath, readFile, storeFile } from './support/uploads.ts';

interface Done {
  items: Json[];
  /** The entries of the response; they can be changed. */
  entries: Json[];
  read: (path: unknown) => Promise<Buffer | undefined>;
  store: (path: unknown, bytes: Buffer) => Promise<void>;
  remove: (path: unknown) => Promise<void>;
  /** What the paths of the call contained before it. */
  before: ReadonlyMap<string, Buffer>;
}

/** Does something after a copy call with such items. */
const after =
  (isWanted: (items: Json[]) => unknown, act: (done: Done) => Promise<void>): Mutant['create'] =>
  (context: MutantContext) => {
    const contents = new WeakMap<object, Map<string, Buffer>>();
    const read = async (path: unknown) =>
      readFile(context, await fileIdOf(context, plainPath(path)));
    return {
      ...readsRequests,
      async request(call) {
        const items = call.operation === 'batchCopyFile' ? itemsOf(call) : [];
        if (items.length === 0 || !isWanted(items)) return;
        const before = new Map<string, Buffer>();
        for (const path of items.flatMap(({ srcPath, dstPath }) => [srcPath, dstPath])) {
          const bytes = await read(path);
          if (bytes) before.set(String(path), bytes);
        }
        contents.set(call, before);
      },
      async response(response, call) {
        const before = contents.get(call);
        const { json } = response;
        const entries = json?.body?.data?.fileList;
        if (!before || !Array.isArray(entries)) return;
        await act({
          ...{ items: itemsOf(call), entries, before, read },
          store: (path, bytes) => storeFile(context, plainPath(path), bytes),
          remove: (path) => deleteFile(context, plainPath(path)),
        });
        response.json = json;
      },
    };
  };
const isSelf = ({ srcPath, dstPath }: Json) => srcPath === dstPath;
const isSelfCopy = (item: Json) => isSelf(item) && !item.removeOriginal;
const isSelfMove = (item: Json) => isSelf(item) && item.removeOriginal;

/** Turns an entry into that of a success. */
function succeed(entry: Json): void {
  delete entry.code;
  delete entry.message;
}

const empty = Buffer.alloc(0);

/** Acts on the items of a call that are copied onto themselves. */
const onSelf = (
  isWanted: (item: Json) => unknown,
  act: (done: Done, path: string, entry: Json) => Promise<unknown>,
) =>
  after(
    (items) => items.some(isWanted),
    async (done) => {
      for (const [index, item] of done.items.entries()) {
        const exists = done.before.has(item.srcPath);
        if (isWanted(item) && exists) await act(done, item.srcPath, done.entries[index]);
      }
    },
  );

const isSwap = (items: Json[]) =>
  items.some((one) =>
    items.some(
      (other) => one !== other && one.srcPath === other.dstPath && one.dstPath === other.srcPath,
    ),
  );

const isChain = (items: Json[]) =>
  items.some((one) => items.some((other) => one !== other && one.dstPath === other.srcPath)) &&
  !isSwap(items);

const shareDestination = (items: Json[]) =>
  new Set(items.map(({ dstPath }) => dstPath)).size < items.length;

const shareSource = (items: Json[]) =>
  new Set(items.map(({ srcPath }) => srcPath)).size < items.length &&
  items.every((item) => item.removeOriginal);

/** Mutants that lose or mix files that are copied onto themselves or each other (D28, D30). */
export const selfCopies: Rows = {
  'ST-COPY-SELF': {
    'a copy onto itself empties the file': onSelf(isSelfCopy, async ({ store }, path, entry) => {
      await store(path, empty);
      succeed(entry);
    }),
    'a copy onto itself deletes the file': onSelf(isSelfCopy, ({ remove }, path) => remove(path)),
    'a copy onto itself doubles the file': onSelf(isSelfCopy, ({ store, before }, path) =>
      store(path, Buffer.concat([before.get(path) ?? empty, before.get(path) ?? empty])),
    ),
    'a copy onto itself with overwrite false empties the file': onSelf(
      (item) => isSelfCopy(item) && item.overwrite === false,
      ({ store }, path) => store(path, empty),
    ),
    'a move onto itself succeeds, and the file is gone': onSelf(
      isSelfMove,
      async ({ remove }, path, entry) => {
        await remove(path);
        succeed(entry);
      },
    ),
    'a move onto itself fails, and the file is gone': onSelf(isSelfMove, ({ remove }, path) =>
      remove(path),
    ),
    'a move onto itself with overwrite false fails, and the file is gone': onSelf(
      (item) => isSelfMove(item) && item.overwrite === false,
      ({ remove }, path) => remove(path),
    ),
    'two files that are moved onto each other are both gone': after(
      isSwap,
      async ({ items, remove }) => {
        for (const { srcPath } of items) await remove(srcPath);
      },
    ),
    'two files that are copied onto each other are mixed': after(
      isSwap,
      async ({ items, before, store }) => {
        const [one, other] = items.map(({ srcPath }) => before.get(srcPath) ?? empty);
        if (one && other)
          await store(items[0].dstPath, Buffer.concat([one.subarray(0, 20), other.subarray(20)]));
      },
    ),
    'the middle file of a chain of copies is emptied': after(isChain, ({ items, store }) =>
      store(items[0].dstPath, empty),
    ),
    'a chain of moves loses the file': after(
      (items) => isChain(items) && items.every(({ removeOriginal }) => removeOriginal),
      async ({ items, remove }) => {
        for (const { srcPath, dstPath } of items)
          for (const path of [srcPath, dstPath]) await remove(path);
      },
    ),
    'two copies onto one destination are joined': after(
      shareDestination,
      async ({ items, before, store }) => {
        const all = items.map(({ srcPath }) => before.get(srcPath) ?? empty);
        await store(items[0].dstPath, Buffer.concat(all));
      },
    ),
    'two moves of one file lose it': after(shareSource, async ({ items, remove }) => {
      for (const { dstPath } of items) await remove(dstPath);
    }),
  },
};
