import type { Json } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import {
  afterCopies,
  COPY,
  copies,
  copyItems,
  instead,
  itemsOf,
  leaveOut,
  leaveOutAfter,
  request,
} from './support/storage.ts';
import { listStored } from './support/uploads.ts';

const isIncomplete = (item: object) => 'srcPath' in item !== 'dstPath' in item;

/** Makes only the item without a field fail, not the call. */
const failWithout = (name: string) =>
  leaveOut(COPY, (item) =>
    isIncomplete(item) && !(name in item)
      ? { code: 'INVALID_PARAM', message: `${name} is missing.` }
      : undefined,
  );

/** Gives the copies of empty files this entry instead of making them. */
const emptyFilesGet =
  (entry: object): Mutant['create'] =>
  (context) =>
    leaveOutAfter(COPY, async (call) => {
      const empty = await listStored(context, call, 'srcPath', ({ length }) => length === 0);
      return ({ srcPath }) => (empty.has(srcPath) ? entry : undefined);
    });

/** Removes the source of a move that failed. */
const sourceIsGone =
  (isWanted: (item: Json, entry: Json) => unknown): Mutant['create'] =>
  ({ remove }) =>
    afterCopies((item, entry) =>
      item.removeOriginal && entry?.code && isWanted(item, entry)
        ? remove(item.srcPath)
        : undefined,
    );

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

/** Acts on copies of more than this size. */
const afterLong =
  (
    size: number,
    act: (context: MutantContext, item: Json, bytes: Buffer) => Promise<void>,
  ): Mutant['create'] =>
  (context) =>
    afterCopies(async (item, entry) => {
      if (!entry || entry.code || item.srcPath === item.dstPath) return;
      const bytes = await context.read(item.dstPath);
      if (bytes && bytes.length > size) await act(context, item, bytes);
    });

/** Truncates copies to a size. */
const copiesOf = (size: number) =>
  afterLong(size, ({ store }, { dstPath }, bytes) => store(dstPath, bytes.subarray(0, size)));

export const storageCopy: Rows = {
  'ST-COPY-CALL': {
    'an empty file is not copied, and its entry reports no failure': emptyFilesGet({}),
    'from the fourth item on, the source of the first item is copied': copyItems((item, first) => {
      item.srcPath = first.srcPath;
    }, 3),
    'a copy of more than 64 KiB is truncated': copiesOf(65_536),
  },
  'ST-COPY-SRC-PATH': {
    'an item without srcPath fails, but the call does not': failWithout('srcPath'),
  },
  'ST-COPY-DST-PATH': {
    'an item without dstPath fails, but the call does not': failWithout('dstPath'),
    'an item without it is a copy onto the source': request(COPY, (call) => {
      const { json } = call;
      if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
      for (const item of json.fileList) item.dstPath ??= `${item.srcPath}-copy`;
      call.json = json;
    }),
  },
  'ST-COPY-OVERWRITE-DEFAULT': {
    'an existing destination is kept if overwrite is omitted': copyItems({
      overwrite: instead(undefined, false),
    }),
    'it is false for moves': copyItems((item) => {
      if (item.removeOriginal) item.overwrite ??= false;
    }),
  },
  'ST-COPY-OVERWRITE-TRUE': {
    'an existing destination is kept even if overwrite is true': copyItems({
      overwrite: instead(true, false),
    }),
    'it is ignored in the second item': copyItems({ overwrite: instead(true, false) }, 1),
  },
  'ST-COPY-OVERWRITE-FALSE': {
    'overwrite false is ignored': copyItems({ overwrite: instead(false, true) }),
    'if overwrite is false, the item fails, but the destination is overwritten': ({ storage }) =>
      afterCopies(({ srcPath, dstPath }, entry) =>
        entry?.code === 'OBJECT_ALREADY_EXIST'
          ? storage(COPY, { fileList: [{ srcPath, dstPath }] })
          : undefined,
      ),
    'an existing destination is silently skipped': copies('OBJECT_ALREADY_EXIST', {
      code: undefined,
      message: undefined,
    }),
  },
  'ST-COPY-KEEPS-SOURCE': {
    'a copy removes its source': copyItems({ removeOriginal: instead(undefined, true) }),
    'removeOriginal of the first item applies to all': copyItems((item, first) => {
      item.removeOriginal = first.removeOriginal ?? false;
    }, 1),
  },
  'ST-COPY-MOVE': {
    'a move keeps its source': copyItems({ removeOriginal: instead(true, false) }),
    'removeOriginal counts only in the first two items': copyItems(
      { removeOriginal: undefined },
      2,
    ),
  },
  'ST-COPY-MOVE-FAILED': {
    'a failed move removes its source': sourceIsGone(() => true),
    'the source is removed if the destination exists': sourceIsGone(
      (_, { code }) => code === 'OBJECT_ALREADY_EXIST',
    ),
  },
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
