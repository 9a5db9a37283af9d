import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { Hooks, Json } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant } from '../mutant.ts';
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

/** Changes the items of copies before they are passed on. */
const onItems = (rule: RuleId, breaks: string, change: (item: Json) => void): Mutant =>
  mutant(rule, breaks, items(COPY, change));

/** Changes the items after the first. */
const onLaterItems = (
  rule: RuleId,
  breaks: string,
  change: (item: Json, first: Json) => void,
): Mutant => mutant(rule, breaks, items(COPY, change, 1));

/** Acts on each item of a copy after it. */
const after = (
  rule: RuleId,
  breaks: string,
  act: (context: MutantContext, item: Json, entry: Json) => unknown,
): Mutant =>
  mutant(rule, breaks, (context) => afterCopies((item, entry) => act(context, item, entry)));

/** Removes the source of a move that failed. */
const sourceIsGone = (breaks: string, isWanted: (item: Json, entry: Json) => unknown): Mutant =>
  after('ST-COPY-MOVE-FAILED', breaks, async (context, item, entry) => {
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

/** Mutants that damage or lose the files in a copy, as real stores do. */
export const copiedFiles: readonly Mutant[] = [
  after('ST-COPY-CALL', 'the copy is empty', async (context, { dstPath }, entry) => {
    if (entry && !entry.code) await storeFile(context, plainPath(dstPath));
  }),
  onLaterItems('ST-COPY-CALL', 'the second item has the bytes of the first', (item, first) => {
    item.srcPath = first.srcPath;
  }),
  mutant('UP-KEPT', 'a copy changes with its source', alias(true, false)),
  mutant('UP-KEPT', 'a copy is removed with its source', alias(false, true)),
  mutant('ST-COPY-CALL', 'the copy of an empty file fails', (context) =>
    leaveOutAfter(COPY, async (call) => {
      const empty = await listStored(context, call, 'srcPath', ({ length }) => length === 0);
      return ({ srcPath }) => (empty.has(srcPath) ? { code: 'EMPTY', message: 'no' } : undefined);
    }),
  ),
  mutant('ST-COPY-SRC-PATH', 'an item without it fails alone', failWithout('srcPath')),
  mutant('ST-COPY-DST-PATH', 'an item without it fails alone', failWithout('dstPath')),
  mutant(
    'ST-COPY-DST-PATH',
    'an item without it is a copy onto the source',
    request(COPY, (call) => {
      const { json } = call;
      if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
      call.json = {
        fileList: json.fileList.map((item: Json) => ({ dstPath: `${item.srcPath}-copy`, ...item })),
      };
    }),
  ),
  onItems('ST-COPY-OVERWRITE-DEFAULT', 'it is false', (item) => {
    item.overwrite ??= false;
  }),
  onItems('ST-COPY-OVERWRITE-DEFAULT', 'it is false for moves', (item) => {
    if (item.removeOriginal) item.overwrite ??= false;
  }),
  onItems('ST-COPY-OVERWRITE-TRUE', 'it is ignored', (item) => {
    if (item.overwrite === true) item.overwrite = false;
  }),
  onLaterItems('ST-COPY-OVERWRITE-TRUE', 'it is ignored in the second item', (item) => {
    if (item.overwrite === true) item.overwrite = false;
  }),
  onItems('ST-COPY-OVERWRITE-FALSE', 'it is ignored', (item) => {
    delete item.overwrite;
  }),
  onItems('ST-COPY-OVERWRITE-FALSE', 'it is ignored with moves', (item) => {
    if (item.removeOriginal) delete item.overwrite;
  }),
  onLaterItems('ST-COPY-OVERWRITE-FALSE', 'it is ignored in the second item', (item) => {
    delete item.overwrite;
  }),
  mutant('ST-COPY-OVERWRITE-FALSE', 'a new destination is not written', (context) =>
    leaveOutAfter(COPY, async (call) => {
      const stored = await listStored(context, call, 'dstPath');
      return ({ dstPath, overwrite }) =>
        overwrite === false && dstPath !== undefined && !stored.has(dstPath)
          ? { code: 'NO', message: 'no' }
          : undefined;
    }),
  ),
  mutant(
    'ST-COPY-OVERWRITE-FALSE',
    'an existing destination is silently skipped',
    copies(({ code }) => code === 'OBJECT_ALREADY_EXIST', { code: undefined, message: undefined }),
  ),
  after(
    'ST-COPY-OVERWRITE-FALSE',
    'the copy fails, but is written',
    async ({ storage }, { srcPath, dstPath }, entry) => {
      if (entry?.code === 'OBJECT_ALREADY_EXIST')
        await storage(COPY, { fileList: [{ srcPath, dstPath }] });
    },
  ),
  onItems('ST-COPY-KEEPS-SOURCE', 'a source that is copied is removed', (item) => {
    item.removeOriginal ??= true;
  }),
  onItems('ST-COPY-KEEPS-SOURCE', 'removeOriginal counts as true if it is present', (item) => {
    if ('removeOriginal' in item) item.removeOriginal = true;
  }),
  onLaterItems(
    'ST-COPY-KEEPS-SOURCE',
    'removeOriginal of the first item applies to all',
    (item, first) => {
      item.removeOriginal = first.removeOriginal ?? false;
    },
  ),
  onItems('ST-COPY-MOVE', 'it is a copy', (item) => {
    delete item.removeOriginal;
  }),
  mutant('ST-COPY-MOVE', 'it is a copy if it overwrites', (context) =>
    request(COPY, async (call) => {
      const stored = await listStored(context, call, 'dstPath');
      changeItems(call, (item) => {
        if (item.removeOriginal && stored.has(item.dstPath)) item.removeOriginal = false;
      });
    }),
  ),
  onLaterItems('ST-COPY-MOVE', 'only the first item of a call is moved', (item) => {
    delete item.removeOriginal;
  }),
  after(
    'ST-COPY-MOVE',
    'the destination is removed too',
    async (context, { removeOriginal, dstPath }, entry) => {
      if (removeOriginal && entry && !entry.code) await deleteFile(context, plainPath(dstPath));
    },
  ),
  sourceIsGone('the source of a failed move is removed', ({ srcPath }) =>
    /^[\w/.-]+$/.test(srcPath),
  ),
  sourceIsGone(
    'the source is removed if the path of the destination is invalid',
    ({ dstPath }, { code }) => code === 'INVALID_PARAM' && /[^\w/.,!*-]/.test(dstPath),
  ),
  sourceIsGone(
    'the source is removed if the destination exists',
    (_, { code }) => code === 'OBJECT_ALREADY_EXIST',
  ),
  after(
    'ST-COPY-MOVE-FAILED',
    'a move onto itself loses the file',
    async (context, { removeOriginal, srcPath, dstPath }) => {
      if (removeOriginal && srcPath === dstPath) await deleteFile(context, plainPath(srcPath));
    },
  ),
];
