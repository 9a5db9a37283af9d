import type { Mutant } from './mutant.ts';
import { changeItems, itemsOf, leaveOutItems, putEntries, seesItems } from './support/answers.ts';
import { deleteFile, fileIdOf, readFile } from './support/uploads.ts';

export const storageCopy: readonly Mutant[] = [
  {
    rule: 'ST-COPY-CALL',
    breaks: 'an empty file is not copied, and its entry tells of no failure',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchCopyFile') return;
        const empty = new Set<string>();
        for (const { srcPath } of itemsOf(request)) {
          const bytes = srcPath && (await readFile(context, await fileIdOf(context, srcPath)));
          if (bytes?.length === 0) empty.add(srcPath);
        }
        leaveOutItems(request, (item) => (empty.has(item?.srcPath) ? {} : undefined));
      },
      answer: putEntries,
    }),
  },
  {
    rule: 'ST-COPY-SRC-PATH',
    breaks: 'an item without srcPath fails alone, and not the call',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        leaveOutItems(request, (item) =>
          'srcPath' in Object(item) !== 'dstPath' in Object(item) && !('srcPath' in item)
            ? { code: 'INVALID_PARAM', message: 'srcPath is missing.' }
            : undefined,
        );
      },
      answer: putEntries,
    }),
  },
  {
    rule: 'ST-COPY-DST-PATH',
    breaks: 'an item without dstPath fails alone, and not the call',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        leaveOutItems(request, (item) =>
          'srcPath' in Object(item) !== 'dstPath' in Object(item) && !('dstPath' in item)
            ? { code: 'INVALID_PARAM', message: 'dstPath is missing.' }
            : undefined,
        );
      },
      answer: putEntries,
    }),
  },
  {
    rule: 'ST-COPY-OVERWRITE-DEFAULT',
    breaks: 'without overwrite an existing destination stays',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          if (item.overwrite === undefined) item.overwrite = false;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-OVERWRITE-TRUE',
    breaks: 'with overwrite true an existing destination stays',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          if (item.overwrite === true) item.overwrite = false;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-OVERWRITE-FALSE',
    breaks: 'overwrite false is ignored',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          if (item.overwrite === false) item.overwrite = true;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-OVERWRITE-FALSE',
    breaks: 'with overwrite false the item fails, and the destination is overwritten all the same',
    companions: [],
    create: (context) => ({
      ...seesItems,
      async answer(answer, { operation, json }) {
        if (operation !== 'batchCopyFile') return;
        const entries = answer.json?.body?.data?.fileList ?? [];
        for (const [index, { code }] of entries.entries()) {
          if (code !== 'OBJECT_ALREADY_EXIST') continue;
          const { srcPath, dstPath } = json.fileList[index];
          await context.storage('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
        }
      },
    }),
  },
  {
    rule: 'ST-COPY-KEEPS-SOURCE',
    breaks: 'a copy removes its source',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          if (item.removeOriginal === undefined) item.removeOriginal = true;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-KEEPS-SOURCE',
    breaks: 'removeOriginal false removes the source',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          if (item.removeOriginal === false) item.removeOriginal = true;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-MOVE',
    breaks: 'a move leaves its source',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          if (item.removeOriginal === true) item.removeOriginal = false;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-MOVE',
    breaks: 'a move onto an existing file leaves its source',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchCopyFile') return;
        const existing = new Set<string>();
        for (const { removeOriginal, dstPath } of itemsOf(request)) {
          if (!removeOriginal || !dstPath) continue;
          const isThere = await readFile(context, await fileIdOf(context, dstPath));
          if (isThere) existing.add(dstPath);
        }
        changeItems(request, (item) => {
          if (existing.has(item.dstPath)) item.removeOriginal = false;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-MOVE-FAILED',
    breaks: 'a move that fails removes its source',
    companions: [],
    create: (context) => ({
      ...seesItems,
      async answer(answer, { operation, json }) {
        if (operation !== 'batchCopyFile') return;
        const entries = answer.json?.body?.data?.fileList ?? [];
        for (const [index, { code }] of entries.entries()) {
          const { srcPath, removeOriginal } = json.fileList[index];
          if (code !== undefined && removeOriginal) await deleteFile(context, srcPath);
        }
      },
    }),
  },
];
