import { setTimeout as wait } from 'node:timers/promises';
import { MutatedAnswer } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import { changeJson, itemsOf, seesItems } from './support/answers.ts';
import { deleteFile, fileIdOf, readForm, storeFile, writeForm } from './support/uploads.ts';

/** How long one upload waits for another of its key, in milliseconds. */
const LONGEST = 300;

export const uploadAnswers: readonly Mutant[] = [
  {
    rule: 'UP-ERROR',
    breaks: 'a form that is refused is answered with JSON',
    companions: [],
    create: () => ({
      answer(answer, { isUpload }) {
        if (!isUpload || answer.status < 400) return;
        answer.headers.set('Content-Type', 'application/json');
        answer.body = Buffer.from('{"code":"AccessDenied"}');
      },
    }),
  },
  {
    rule: 'UP-ERROR',
    breaks: 'a form without a key is refused without a body',
    companions: [],
    create: () => ({
      ...seesItems,
      answer(answer, request) {
        if (!request.isUpload || answer.status < 400 || readForm(request).has('key')) return;
        answer.body = Buffer.alloc(0);
      },
    }),
  },
  {
    rule: 'UP-SUCCESS',
    breaks: 'an empty file is stored, and answered with an Error',
    companions: [],
    create: () => ({
      ...seesItems,
      answer(answer, request) {
        if (!request.isUpload || answer.status >= 400) return;
        if (readForm(request).get('file')?.length !== 0) return;
        answer.status = 200;
        answer.body = Buffer.from('<Error><Code>EmptyFile</Code></Error>');
      },
    }),
  },
  {
    rule: 'UP-SUCCESS',
    breaks: 'an empty file is answered as a success, and not stored',
    companions: [],
    create: () => ({
      request(request) {
        const isEmpty = request.isUpload && readForm(request).get('file')?.length === 0;
        return isEmpty ? new MutatedAnswer(204) : undefined;
      },
    }),
  },
  {
    rule: 'UP-FILE-ID',
    breaks: 'the fileID of step 1 names nothing',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'getUploadMetaData') return;
        changeJson(answer, ({ body }) => {
          if (body.data) body.data.fileID += '#upload';
        });
      },
    }),
  },
  {
    rule: 'UP-WHOLE',
    breaks: 'half of a large file can be read while the rest is written',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (!request.isUpload || request.body.length < 150_000) return;
        const form = readForm(request);
        const file = form.get('file') ?? Buffer.alloc(0);
        await storeFile(context, String(form.get('key')), file.subarray(0, file.length / 2));
        await wait(300);
      },
    }),
  },
  {
    rule: 'UP-BROKEN',
    breaks: 'what came of an upload that breaks off is stored',
    companions: [],
    create: (context) => ({
      async broken(request) {
        if (!request.isUpload || request.headers.get('transfer-encoding')) return;
        const form = readForm(request);
        const file = form.get('file');
        if (file) await storeFile(context, String(form.get('key')), file);
      },
    }),
  },
  {
    rule: 'UP-BROKEN',
    breaks: 'what came of a chunked upload that breaks off is stored',
    companions: [],
    create: (context) => ({
      async broken(request) {
        if (!request.isUpload || !request.headers.get('transfer-encoding')) return;
        const form = readForm(request);
        const file = form.get('file');
        if (file) await storeFile(context, String(form.get('key')), file);
      },
    }),
  },
  {
    rule: 'UP-BROKEN',
    breaks: 'an upload that breaks off deletes the file that was there',
    companions: [],
    create: (context) => ({
      async broken(request) {
        if (!request.isUpload) return;
        await deleteFile(context, String(readForm(request).get('key')));
      },
    }),
  },
  {
    rule: 'UP-KEPT',
    breaks: 'a copy that fails deletes its destination',
    companions: [],
    create: (context) => ({
      ...seesItems,
      async answer(answer, { operation, json }) {
        if (operation !== 'batchCopyFile') return;
        const entries = answer.json?.body?.data?.fileList ?? [];
        for (const [index, { code }] of entries.entries()) {
          const isMissing = code === 'STORAGE_FILE_NONEXIST';
          if (isMissing) await deleteFile(context, json.fileList[index].dstPath);
        }
      },
    }),
  },
  {
    rule: 'UP-KEPT',
    breaks: 'a copy goes when its source is deleted',
    companions: [],
    create: (context) => {
      const copies = new Map<string, string>();
      return {
        async request(request) {
          if (request.operation === 'batchCopyFile') {
            for (const { srcPath, dstPath, removeOriginal } of itemsOf(request)) {
              if (srcPath && dstPath && !removeOriginal)
                copies.set(await fileIdOf(context, srcPath), dstPath);
            }
          }
          if (request.operation !== 'batchDelete') return;
          for (const id of itemsOf(request)) {
            const copy = copies.get(String(id));
            if (copy !== undefined) await deleteFile(context, copy);
          }
        },
      };
    },
  },
  {
    rule: 'UP-KEPT',
    breaks: 'two uploads of one file at once are mixed up',
    companions: [],
    create: () => {
      const underWay = new Map<string, { file: Buffer; met: (file: Buffer) => void }>();
      return {
        async request(request) {
          if (!request.isUpload || request.body.length < 25_000) return;
          const form = readForm(request);
          const key = String(form.get('key'));
          const file = form.get('file') ?? Buffer.alloc(0);
          const other = underWay.get(key);
          other?.met(file);
          const meeting = Promise.withResolvers<Buffer>();
          if (!other) underWay.set(key, { file, met: meeting.resolve });
          const second = other?.file ?? (await Promise.race([meeting.promise, wait(LONGEST)]));
          underWay.delete(key);
          if (second) writeForm(request, form.set('file', Buffer.concat([file, second])));
        },
      };
    },
  },
];
