import type { Hooks, Mutant, MutantContext } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';
import { deleteFile, fileIdOf, readFile, storeFile } from '../support/files.ts';
import { readForm } from '../support/forms.ts';
import { changeItems, itemsOf } from '../support/items-of.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';
import { fault } from './fault.ts';

// biome-ignore lint/suspicious/noExplicitAny: mutants change whatever is there
type Item = any;
const plain = (path: string) => String(path).replace(/^\//, '');
const isCopy = ({ operation }: { operation: string | undefined }) => operation === 'batchCopyFile';
const changing = (change: (item: Item) => void): Hooks => ({
  request(request) {
    if (isCopy(request)) changeItems(request, change);
  },
});
const ofEntries = (change: (entries: Item[], items: Item[]) => unknown): Hooks => ({
  request: () => undefined,
  answer(answer, request) {
    if (isCopy(request)) changeEntries(answer, (entries) => change(entries, itemsOf(request)));
  },
});
const each = (change: (entry: Item) => void) => (entries: Item[]) => {
  for (const entry of entries) change(entry);
};
const aliases =
  (onUpload: boolean, onDelete: boolean) =>
  (context: MutantContext): Hooks => {
    const links = new Map<string, string>();
    return {
      request: () => undefined,
      async answer(answer, request) {
        if (isCopy(request)) {
          const entries = answer.json?.body?.data?.fileList ?? [];
          for (const [index, { srcPath, dstPath, removeOriginal }] of itemsOf(request).entries())
            if (entries[index] && !entries[index].code && !removeOriginal)
              links.set(plain(dstPath), plain(srcPath));
        }
        if (onUpload && request.isUpload && answer.status < 300) {
          const form = readForm(request);
          for (const [dst, src] of links)
            if (src === plain(String(form.get('key'))))
              await storeFile(context, dst, form.get('file'));
        }
        if (onDelete && request.operation === 'batchDelete') {
          for (const fileID of itemsOf(request))
            for (const [dst, src] of links)
              if (String(fileID).endsWith(`/${src}`)) await deleteFile(context, dst);
        }
      },
    };
  };
function changingSecond(change: (item: Item, first: Item) => void): Hooks {
  return {
    request(request) {
      if (!isCopy(request)) return;
      const items = itemsOf(request);
      if (items.length < 2) return;
      for (const item of items.slice(1)) change(item, items[0]);
      request.json = { fileList: items };
    },
  };
}
function failingWithout(name: string): Hooks {
  return {
    request(request) {
      if (isCopy(request))
        leaveOutItems(request, (item) =>
          item[name] === undefined ? { code: 'INVALID_PARAM', message: 'no' } : undefined,
        );
    },
    answer(answer, request) {
      if (isCopy(request)) putEntries(answer, request);
    },
  };
}

/** What stores do to the files of a copy. */
export const copiedFiles: readonly Mutant[] = [
  fault(
    'ST-COPY-CALL',
    'the copy is empty',
    (context) => ({
      request: () => undefined,
      async answer(answer, request) {
        const entries = answer.json?.body?.data?.fileList ?? [];
        if (isCopy(request))
          for (const [index, { dstPath }] of itemsOf(request).entries())
            if (entries[index] && !entries[index].code) await storeFile(context, plain(dstPath));
      },
    }),
    [
      'ST-COPY-MOVE',
      'ST-COPY-OVERWRITE-DEFAULT',
      'ST-COPY-OVERWRITE-TRUE',
      'ST-COPY-OVERWRITE-FALSE',
      'ST-COPY-ALONE',
      'ST-COPY-PATH-LEVELS',
      'ST-COPY-PATH-CHARACTERS',
      'ST-COPY-KEEPS-SOURCE',
      'ST-COPY-PATH-ABSOLUTE',
    ],
  ),
  fault(
    'ST-COPY-CALL',
    'the second item has the bytes of the first',
    changingSecond((item, first) => {
      item.srcPath = first.srcPath;
    }),
  ),
  fault('UP-KEPT', 'a copy changes with its source', aliases(true, false)),
  fault('UP-KEPT', 'a copy goes with its source', aliases(false, true)),
  fault('ST-COPY-CALL', 'the copy of an empty file fails', (context) => ({
    async request(request) {
      if (!isCopy(request)) return;
      const empty = new Set<string>();
      for (const { srcPath } of itemsOf(request))
        if (
          typeof srcPath === 'string' &&
          /^[\w/.-]+$/.test(srcPath) &&
          (await readFile(context, await fileIdOf(context, plain(srcPath))))?.length === 0
        )
          empty.add(srcPath);
      leaveOutItems(request, ({ srcPath }) =>
        empty.has(srcPath) ? { code: 'EMPTY', message: 'no' } : undefined,
      );
    },
    answer(answer, request) {
      if (isCopy(request)) putEntries(answer, request);
    },
  })),
  fault('ST-COPY-SRC-PATH', 'an item without it fails alone', failingWithout('srcPath')),
  fault('ST-COPY-DST-PATH', 'an item without it fails alone', failingWithout('dstPath')),
  fault('ST-COPY-DST-PATH', 'an item without it is a copy onto the source', {
    request(request) {
      if (
        isCopy(request) &&
        request.json?.fileList?.some?.((item: Item) => item?.srcPath && !('dstPath' in item))
      )
        request.json = {
          fileList: request.json.fileList.map((item: Item) => ({
            dstPath: `${item.srcPath}-copy`,
            ...item,
          })),
        };
    },
  }),
  fault(
    'ST-COPY-OVERWRITE-DEFAULT',
    'it is false',
    changing((item) => {
      item.overwrite ??= false;
    }),
  ),
  fault(
    'ST-COPY-OVERWRITE-DEFAULT',
    'it is false for moves',
    changing((item) => {
      if (item.removeOriginal) item.overwrite ??= false;
    }),
  ),
  fault(
    'ST-COPY-OVERWRITE-TRUE',
    'it is not looked at',
    changing((item) => {
      if (item.overwrite === true) item.overwrite = false;
    }),
  ),
  fault(
    'ST-COPY-OVERWRITE-TRUE',
    'it is not looked at in the second item',
    changingSecond((item) => {
      if (item.overwrite === true) item.overwrite = false;
    }),
  ),
  fault(
    'ST-COPY-OVERWRITE-FALSE',
    'it is not looked at',
    changing((item) => {
      delete item.overwrite;
    }),
  ),
  fault(
    'ST-COPY-OVERWRITE-FALSE',
    'it is not looked at with moves',
    changing((item) => {
      if (item.removeOriginal) delete item.overwrite;
    }),
  ),
  fault(
    'ST-COPY-OVERWRITE-FALSE',
    'it is not looked at in the second item',
    changingSecond((item) => {
      delete item.overwrite;
    }),
  ),
  fault('ST-COPY-OVERWRITE-FALSE', 'a free destination is not written', (context) => ({
    async request(request) {
      if (!isCopy(request)) return;
      const free = new Set<string>();
      for (const { dstPath, overwrite } of itemsOf(request))
        if (
          overwrite === false &&
          typeof dstPath === 'string' &&
          (await readFile(context, await fileIdOf(context, plain(dstPath)))) === undefined
        )
          free.add(dstPath);
      leaveOutItems(request, ({ dstPath, overwrite }) =>
        overwrite === false && free.has(dstPath) ? { code: 'NO', message: 'no' } : undefined,
      );
    },
    answer(answer, request) {
      if (isCopy(request)) putEntries(answer, request);
    },
  })),
  fault(
    'ST-COPY-OVERWRITE-FALSE',
    'an existing destination is skipped in silence',
    ofEntries(
      each((entry) => {
        if (entry.code === 'OBJECT_ALREADY_EXIST') {
          delete entry.code;
          delete entry.message;
        }
      }),
    ),
  ),
  fault('ST-COPY-OVERWRITE-FALSE', 'the copy fails and is written all the same', (context) => ({
    request: () => undefined,
    async answer(answer, request) {
      const entries = answer.json?.body?.data?.fileList ?? [];
      for (const [index, { srcPath, dstPath }] of itemsOf(request).entries())
        if (isCopy(request) && entries[index]?.code === 'OBJECT_ALREADY_EXIST')
          await context.storage('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
    },
  })),
  fault(
    'ST-COPY-KEEPS-SOURCE',
    'a source that is copied is gone',
    changing((item) => {
      item.removeOriginal ??= true;
    }),
  ),
  fault(
    'ST-COPY-KEEPS-SOURCE',
    'removeOriginal is taken for true where it is there',
    changing((item) => {
      if ('removeOriginal' in item) item.removeOriginal = true;
    }),
  ),
  fault(
    'ST-COPY-KEEPS-SOURCE',
    'removeOriginal of the first item is that of all',
    changingSecond((item, first) => {
      item.removeOriginal = first.removeOriginal ?? false;
    }),
    ['ST-COPY-MOVE'],
  ),
  fault(
    'ST-COPY-MOVE',
    'it is a copy',
    changing((item) => {
      delete item.removeOriginal;
    }),
  ),
  fault('ST-COPY-MOVE', 'it is a copy where it overwrites', (context) => ({
    async request(request) {
      if (!isCopy(request)) return;
      const taken = new Set<string>();
      for (const { dstPath, removeOriginal } of itemsOf(request))
        if (
          removeOriginal &&
          typeof dstPath === 'string' &&
          (await readFile(context, await fileIdOf(context, plain(dstPath)))) !== undefined
        )
          taken.add(dstPath);
      changeItems(request, (item) => {
        if (taken.has(item.dstPath)) item.removeOriginal = false;
      });
    },
  })),
  fault(
    'ST-COPY-MOVE',
    'only the first item of a call is moved',
    changingSecond((item) => {
      delete item.removeOriginal;
    }),
  ),
  fault(
    'ST-COPY-MOVE',
    'the destination is gone too',
    (context) => ({
      request: () => undefined,
      async answer(answer, request) {
        const entries = answer.json?.body?.data?.fileList ?? [];
        if (isCopy(request))
          for (const [index, item] of itemsOf(request).entries())
            if (item.removeOriginal && entries[index] && !entries[index].code)
              await deleteFile(context, plain(item.dstPath));
      },
    }),
    ['ST-COPY-FILE-ID'],
  ),
  fault('ST-COPY-MOVE-FAILED', 'the source of a failed move is gone', (context) => ({
    request: () => undefined,
    async answer(answer, request) {
      const entries = answer.json?.body?.data?.fileList ?? [];
      if (isCopy(request))
        for (const [index, item] of itemsOf(request).entries())
          if (item.removeOriginal && entries[index]?.code && /^[\w/.-]+$/.test(item.srcPath))
            await deleteFile(context, plain(item.srcPath));
    },
  })),
  fault(
    'ST-COPY-MOVE-FAILED',
    'the source is gone where the path of the destination is bad',
    (context) => ({
      request: () => undefined,
      async answer(answer, request) {
        const entries = answer.json?.body?.data?.fileList ?? [];
        if (isCopy(request))
          for (const [index, item] of itemsOf(request).entries())
            if (
              item.removeOriginal &&
              entries[index]?.code === 'INVALID_PARAM' &&
              /[^\w/.,!*-]/.test(item.dstPath)
            )
              await deleteFile(context, plain(item.srcPath));
      },
    }),
  ),
  fault('ST-COPY-MOVE-FAILED', 'the source is gone where the destination exists', (context) => ({
    request: () => undefined,
    async answer(answer, request) {
      const entries = answer.json?.body?.data?.fileList ?? [];
      if (isCopy(request))
        for (const [index, item] of itemsOf(request).entries())
          if (item.removeOriginal && entries[index]?.code === 'OBJECT_ALREADY_EXIST')
            await deleteFile(context, plain(item.srcPath));
    },
  })),
  fault('ST-COPY-MOVE-FAILED', 'a move onto itself loses the file', (context) => ({
    request: () => undefined,
    async answer(_, request) {
      if (isCopy(request))
        for (const item of itemsOf(request))
          if (item.removeOriginal && item.srcPath === item.dstPath)
            await deleteFile(context, plain(item.srcPath));
    },
  })),
];
