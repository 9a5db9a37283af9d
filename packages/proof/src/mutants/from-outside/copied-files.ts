import type { Hooks, Json } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant, mutantsOf } from '../mutant.ts';
import {
  afterCopies,
  changeItems,
  copies,
  items,
  itemsOf,
  leaveOut,
  leaveOutAfter,
  readsRequests,
  request,
} from '../support/storage.ts';
import {
  deleteFile,
  keyOf,
  listStored,
  plainPath,
  readForm,
  storeFile,
} from '../support/uploads.ts';

const COPY = 'batchCopyFile';

/** Acts on each item of a copy after it. */
const after =
  (act: (context: MutantContext, item: Json, entry: Json) => unknown): Mutant['create'] =>
  (context) =>
    afterCopies((item, entry) => act(context, item, entry));

/** Removes the source of a move that failed. */
const sourceIsGone = (isWanted: (item: Json, entry: Json) => unknown) =>
  after(async (context, item, entry) => {
    if (item.removeOriginal && entry?.code && isWanted(item, entry))
      await deleteFile(context, plainPath(item.srcPath));
  });

/** Makes the copy share whatever happens to the source. */
const alias =
  (onUpload: boolean, onDelete: boolean): Mutant['create'] =>
  (context): Hooks => {
    const sources = new Map<string, string>();
    return {
      ...readsRequests,
      async response(response, call) {
        const entries = response.json?.body?.data?.fileList ?? [];
        if (call.operation === COPY) {
          for (const [index, { srcPath, dstPath, removeOriginal }] of itemsOf(call).entries())
            if (entries[index] && !entries[index].code && !removeOriginal)
              sources.set(plainPath(dstPath), plainPath(srcPath));
        }
        const form = onUpload && call.isUpload && response.status < 300 && readForm(call);
        const deleted = onDelete && call.operation === 'batchDelete' ? itemsOf(call) : [];
        for (const [copy, source] of sources) {
          if (form && keyOf(form) === source) await storeFile(context, copy, form.get('file'));
          if (deleted.some((id) => id.endsWith(`/${source}`))) await deleteFile(context, copy);
        }
      },
    };
  };

/** Makes an item without this field fail on its own. */
const failWithout = (name: string): Hooks =>
  leaveOut(COPY, (item) =>
    item[name] === undefined ? { code: 'INVALID_PARAM', message: 'no' } : undefined,
  );

/** Mutants that damage or lose the files in a copy, as some real stores do. */
export const copiedFiles: readonly Mutant[] = [
  ...mutantsOf('ST-COPY-CALL', {
    'the copy is empty': after(async (context, { dstPath }, entry) => {
      if (entry && !entry.code) await storeFile(context, plainPath(dstPath));
    }),
    'the second item has the bytes of the first': items(
      COPY,
      (item, first) => {
        item.srcPath = first.srcPath;
      },
      1,
    ),
  }),
  ...mutantsOf('UP-KEPT', {
    'a copy changes with its source': alias(true, false),
    'a copy is removed with its source': alias(false, true),
  }),
  mutant('ST-COPY-CALL', 'the copy of an empty file fails', (context) =>
    leaveOutAfter(COPY, async (call) => {
      const empty = await listStored(context, call, 'srcPath', ({ length }) => length === 0);
      return ({ srcPath }) => (empty.has(srcPath) ? { code: 'EMPTY', message: 'no' } : undefined);
    }),
  ),
  mutant('ST-COPY-SRC-PATH', 'an item without it fails alone', failWithout('srcPath')),
  ...mutantsOf('ST-COPY-DST-PATH', {
    'an item without it fails alone': failWithout('dstPath'),
    'an item without it is a copy onto the source': request(COPY, (call) => {
      const { json } = call;
      if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
      call.json = {
        fileList: json.fileList.map((item: Json) => ({ dstPath: `${item.srcPath}-copy`, ...item })),
      };
    }),
  }),
  ...mutantsOf('ST-COPY-OVERWRITE-DEFAULT', {
    'it is false': items(COPY, (item) => {
      item.overwrite ??= false;
    }),
    'it is false for moves': items(COPY, (item) => {
      if (item.removeOriginal) item.overwrite ??= false;
    }),
  }),
  ...mutantsOf('ST-COPY-OVERWRITE-TRUE', {
    'it is ignored': items(COPY, (item) => {
      if (item.overwrite === true) item.overwrite = false;
    }),
    'it is ignored in the second item': items(
      COPY,
      (item) => {
        if (item.overwrite === true) item.overwrite = false;
      },
      1,
    ),
  }),
  ...mutantsOf('ST-COPY-OVERWRITE-FALSE', {
    'it is ignored': items(COPY, (item) => {
      delete item.overwrite;
    }),
    'it is ignored with moves': items(COPY, (item) => {
      if (item.removeOriginal) delete item.overwrite;
    }),
    'it is ignored in the second item': items(
      COPY,
      (item) => {
        delete item.overwrite;
      },
      1,
    ),
    'a new destination is not written': (context) =>
      leaveOutAfter(COPY, async (call) => {
        const stored = await listStored(context, call, 'dstPath');
        return ({ dstPath, overwrite }) =>
          overwrite === false && dstPath !== undefined && !stored.has(dstPath)
            ? { code: 'NO', message: 'no' }
            : undefined;
      }),
    'an existing destination is silently skipped': copies(
      ({ code }) => code === 'OBJECT_ALREADY_EXIST',
      { code: undefined, message: undefined },
    ),
    'the copy fails, but is written': after(async ({ storage }, { srcPath, dstPath }, entry) => {
      if (entry?.code === 'OBJECT_ALREADY_EXIST')
        await storage(COPY, { fileList: [{ srcPath, dstPath }] });
    }),
  }),
  ...mutantsOf('ST-COPY-KEEPS-SOURCE', {
    'a source that is copied is removed': items(COPY, (item) => {
      item.removeOriginal ??= true;
    }),
    'removeOriginal counts as true if it is present': items(COPY, (item) => {
      if ('removeOriginal' in item) item.removeOriginal = true;
    }),
    'removeOriginal of the first item applies to all': items(
      COPY,
      (item, first) => {
        item.removeOriginal = first.removeOriginal ?? false;
      },
      1,
    ),
  }),
  ...mutantsOf('ST-COPY-MOVE', {
    'it is a copy': items(COPY, (item) => {
      delete item.removeOriginal;
    }),
    'it is a copy if it overwrites': (context) =>
      request(COPY, async (call) => {
        const stored = await listStored(context, call, 'dstPath');
        changeItems(call, (item) => {
          if (item.removeOriginal && stored.has(item.dstPath)) item.removeOriginal = false;
        });
      }),
    'only the first item of a call is moved': items(
      COPY,
      (item) => {
        delete item.removeOriginal;
      },
      1,
    ),
    'the destination is removed too': after(async (context, { removeOriginal, dstPath }, entry) => {
      if (removeOriginal && entry && !entry.code) await deleteFile(context, plainPath(dstPath));
    }),
  }),
  ...mutantsOf('ST-COPY-MOVE-FAILED', {
    'the source of a failed move is removed': sourceIsGone(({ srcPath }) =>
      /^[\w/.-]+$/.test(srcPath),
    ),
    'the source is removed if the path of the destination is invalid': sourceIsGone(
      ({ dstPath }, { code }) => code === 'INVALID_PARAM' && /[^\w/.,!*-]/.test(dstPath),
    ),
    'the source is removed if the destination exists': sourceIsGone(
      (_, { code }) => code === 'OBJECT_ALREADY_EXIST',
    ),
    'a move onto itself loses the file': after(
      async (context, { removeOriginal, srcPath, dstPath }) => {
        if (removeOriginal && srcPath === dstPath) await deleteFile(context, plainPath(srcPath));
      },
    ),
  }),
];
