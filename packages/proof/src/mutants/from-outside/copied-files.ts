import type { Hooks, Json } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { changeItems, itemsOf, leaveOutItems, putEntries, seesItems } from '../support/answers.ts';
import { deleteFile, fileIdOf, readFile, readForm, storeFile } from '../support/uploads.ts';

import {
  afterCopies,
  changing,
  each,
  fault,
  isCopy,
  keyOf,
  leavingOut,
  ofCopies,
  plainPath,
} from './fault.ts';

/** Has the copy share what becomes of the source. */
const aliases =
  (onUpload: boolean, onDelete: boolean) =>
  (context: MutantContext): Hooks => {
    const links = new Map<string, string>();
    return {
      ...seesItems,
      async answer(answer, request) {
        if (isCopy(request)) {
          const entries = answer.json?.body?.data?.fileList ?? [];
          for (const [index, { srcPath, dstPath, removeOriginal }] of itemsOf(request).entries())
            if (entries[index] && !entries[index].code && !removeOriginal)
              links.set(plainPath(dstPath), plainPath(srcPath));
        }
        if (onUpload && request.isUpload && answer.status < 300) {
          const form = readForm(request);
          for (const [dst, src] of links)
            if (src === keyOf(form)) await storeFile(context, dst, form.get('file'));
        }
        if (onDelete && request.operation === 'batchDelete') {
          for (const fileID of itemsOf(request))
            for (const [dst, src] of links)
              if (String(fileID).endsWith(`/${src}`)) await deleteFile(context, dst);
        }
      },
    };
  };
/** Changes the items of copies after the first. */
function changingSecond(change: (item: Json, first: Json) => void): Hooks {
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
/** Lets an item without this field fail alone. */
const failingWithout = (name: string): Hooks =>
  leavingOut((item) =>
    item[name] === undefined ? { code: 'INVALID_PARAM', message: 'no' } : undefined,
  );

/** What stores do to the files of a copy. */
export const copiedFiles: readonly Mutant[] = [
  fault(
    'ST-COPY-CALL',
    'the copy is empty',
    (context) =>
      afterCopies(async ({ dstPath }, entry) => {
        if (entry && !entry.code) await storeFile(context, plainPath(dstPath));
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
          (await readFile(context, await fileIdOf(context, plainPath(srcPath))))?.length === 0
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
        request.json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))
      )
        request.json = {
          fileList: request.json.fileList.map((item: Json) => ({
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
          (await readFile(context, await fileIdOf(context, plainPath(dstPath)))) === undefined
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
    ofCopies(
      each((entry) => {
        if (entry.code === 'OBJECT_ALREADY_EXIST') {
          delete entry.code;
          delete entry.message;
        }
      }),
    ),
  ),
  fault('ST-COPY-OVERWRITE-FALSE', 'the copy fails and is written all the same', (context) =>
    afterCopies(async ({ srcPath, dstPath }, entry) => {
      if (entry?.code === 'OBJECT_ALREADY_EXIST')
        await context.storage('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
    }),
  ),
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
          (await readFile(context, await fileIdOf(context, plainPath(dstPath)))) !== undefined
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
    (context) =>
      afterCopies(async ({ removeOriginal, dstPath }, entry) => {
        if (removeOriginal && entry && !entry.code) await deleteFile(context, plainPath(dstPath));
      }),
    ['ST-COPY-FILE-ID'],
  ),
  fault('ST-COPY-MOVE-FAILED', 'the source of a failed move is gone', (context) =>
    afterCopies(async ({ removeOriginal, srcPath }, entry) => {
      if (removeOriginal && entry?.code && /^[\w/.-]+$/.test(srcPath))
        await deleteFile(context, plainPath(srcPath));
    }),
  ),
  fault(
    'ST-COPY-MOVE-FAILED',
    'the source is gone where the path of the destination is bad',
    (context) =>
      afterCopies(async ({ removeOriginal, srcPath, dstPath }, entry) => {
        if (removeOriginal && entry?.code === 'INVALID_PARAM' && /[^\w/.,!*-]/.test(dstPath))
          await deleteFile(context, plainPath(srcPath));
      }),
  ),
  fault('ST-COPY-MOVE-FAILED', 'the source is gone where the destination exists', (context) =>
    afterCopies(async ({ removeOriginal, srcPath }, entry) => {
      if (removeOriginal && entry?.code === 'OBJECT_ALREADY_EXIST')
        await deleteFile(context, plainPath(srcPath));
    }),
  ),
  fault('ST-COPY-MOVE-FAILED', 'a move onto itself loses the file', (context) =>
    afterCopies(async ({ removeOriginal, srcPath, dstPath }) => {
      if (removeOriginal && srcPath === dstPath) await deleteFile(context, plainPath(srcPath));
    }),
  ),
];
