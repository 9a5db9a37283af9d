import type { Json } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { COPY, itemsOf } from './support/storage.ts';

interface Done extends MutantContext {
  items: Json[];
  /** The entries of the response; they can be changed. */
  entries: Json[];
  /** What a path of the call contained before it. */
  before: (path: unknown) => Buffer | undefined;
}

/** Does something after a copy call with such items. */
const after =
  (isWanted: (items: Json[]) => unknown, act: (done: Done) => Promise<void>): Mutant['create'] =>
  (context) => {
    const contents = new WeakMap<object, Map<unknown, Buffer>>();
    return {
      async request(call) {
        const items = call.operation === COPY ? itemsOf(call) : [];
        if (items.length === 0 || !isWanted(items)) return;
        const files = new Map<unknown, Buffer>();
        for (const path of items.flatMap(({ srcPath, dstPath }) => [srcPath, dstPath])) {
          const bytes = await context.read(path);
          if (bytes) files.set(path, bytes);
        }
        contents.set(call, files);
      },
      async response(response, call) {
        const files = contents.get(call);
        const { json } = response;
        const entries = json?.body?.data?.fileList;
        if (!files || !Array.isArray(entries)) return;
        const before = (path: unknown) => files.get(path);
        await act({ ...context, items: itemsOf(call), entries, before });
        response.json = json;
      },
    };
  };
const isSelf = ({ srcPath, dstPath }: Json) => srcPath === dstPath;
const isSelfCopy = (item: Json) => isSelf(item) && !item.removeOriginal;

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
      for (const [index, item] of done.items.entries())
        if (isWanted(item) && done.before(item.srcPath))
          await act(done, item.srcPath, done.entries[index]);
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

const share = (items: Json[], name: 'srcPath' | 'dstPath') =>
  new Set(items.map((item) => item[name])).size < items.length;

/** Mutants that lose or mix files that are copied onto themselves or each other (D28, D30). */
export const selfCopies: Rows = {
  'ST-COPY-SELF': {
    'a copy onto itself empties the file': onSelf(isSelfCopy, async ({ store }, path, entry) => {
      await store(path, empty);
      succeed(entry);
    }),
    'the middle file of a chain of copies is emptied': after(isChain, ({ items, store }) =>
      store(items[0].dstPath, empty),
    ),
    'two copies onto one destination are joined': after(
      (items) => share(items, 'dstPath'),
      async ({ items, before, store }) => {
        const all = items.map(({ srcPath }) => before(srcPath) ?? empty);
        await store(items[0].dstPath, Buffer.concat(all));
      },
    ),
  },
};
