import type { Hooks, MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { seesItems } from '../support/answers.ts';
import { deleteFile, fileIdOf, readFile, readForm, storeFile } from '../support/uploads.ts';
import { fault, keyOf, ofStored } from './fault.ts';

const ofErrors = (change: (answer: MutatedAnswer) => void): Hooks => ({
  ...seesItems,
  answer(answer, { isUpload }) {
    if (isUpload && answer.status >= 400) change(answer);
  },
});

/** What upload targets answer, and keep. */
export const uploadAnswers: readonly Mutant[] = [
  fault(
    'UP-ERROR',
    'errors are JSON',
    ofErrors((answer) => {
      answer.body = Buffer.from('{"code":"AccessDenied"}');
      answer.headers.set('Content-Type', 'application/json');
    }),
    ['UP-SUCCESS'],
  ),
  fault(
    'UP-ERROR',
    'errors are a page',
    ofErrors((answer) => {
      answer.body = Buffer.from('<html><body><h1>403 Forbidden</h1></body></html>');
      answer.headers.set('Content-Type', 'text/html');
    }),
  ),
  fault(
    'UP-ERROR',
    'errors have no body',
    ofErrors((answer) => {
      answer.body = Buffer.alloc(0);
    }),
  ),
  fault(
    'UP-ERROR',
    'a form that is malformed gets no XML',
    ofErrors((answer) => {
      if (answer.body.includes('Malformed')) answer.body = Buffer.from('Bad Request');
    }),
  ),
  fault(
    'UP-ERROR',
    'the element is spelled error',
    ofErrors((answer) => {
      answer.body = Buffer.from(answer.body.toString().replaceAll('Error>', 'error>'));
    }),
  ),
  fault(
    'UP-SUCCESS',
    'a success has an empty Error',
    ofStored((answer) => {
      answer.status = 200;
      answer.body = Buffer.from('<PostResponse><Error/></PostResponse>');
      answer.headers.set('Content-Type', 'application/xml');
    }),
    ['UP-FORM'],
  ),
  fault(
    'UP-ERROR',
    'a form that is refused gets 200 and a page',
    ofErrors((answer) => {
      answer.status = 200;
      answer.body = Buffer.from('<html>Sorry</html>');
      answer.headers.set('Content-Type', 'text/html');
    }),
    ['UP-ERROR', 'UP-SIGNATURE', 'UP-TOKEN', 'UP-META-FILE-ID', 'UP-KEY'],
  ),
  fault('UP-FILE-ID', 'it names the file by another one after the upload', () => {
    const seen = new Map<string, string>();
    return {
      ...seesItems,
      answer(answer, { operation, json }) {
        const { json: body } = answer;
        if (operation !== 'getUploadMetaData' || !body?.body?.data) return;
        seen.set(json?.path, body.body.data.fileID);
        body.body.data.fileID += '.tmp';
        answer.json = body;
      },
    };
  }),
  fault(
    'ST-DELETE-CODE',
    'a deletion by it finds nothing',
    {
      ...seesItems,
      answer(answer, { operation }) {
        const { json } = answer;
        for (const entry of json?.body?.data?.fileList ?? [])
          if (operation === 'batchDelete' && entry.code === 'SUCCESS')
            entry.code = 'STORAGE_FILE_NONEXIST';
        if (operation === 'batchDelete' && json !== undefined) answer.json = json;
      },
    },
    ['ST-DELETE-CODE', 'ST-DELETE-CALL', 'ST-DELETE-ALONE'],
  ),
  fault(
    'UP-WHOLE',
    'an empty file is there as soon as it is granted',
    (context) => ({
      ...seesItems,
      async answer(_, request) {
        const path = request.json?.path;
        if (
          request.operation !== 'getUploadMetaData' ||
          typeof path !== 'string' ||
          !/^[\w/.-]+$/.test(path)
        )
          return;
        if ((await readFile(context, await fileIdOf(context, path))) === undefined)
          await storeFile(context, path);
      },
    }),
    [
      'ST-LINKS-MISSING',
      'ST-DELETE-MISSING',
      'UP-BROKEN',
      'UP-SIGNATURE',
      'UP-TOKEN',
      'UP-META-FILE-ID',
      'UP-KEY',
      'UP-SUCCESS',
      'UP-ERROR',
      'ST-COPY-MISSING',
      'ST-DELETE-CALL',
      'ST-COPY-MOVE',
    ],
  ),
  fault(
    'UP-KEPT',
    'a file is gone as soon as another one is granted for its path',
    (context) => ({
      async request(request) {
        const path = request.json?.path;
        if (
          request.operation === 'getUploadMetaData' &&
          typeof path === 'string' &&
          /^[\w/.-]+$/.test(path)
        )
          await deleteFile(context, path);
      },
    }),
    ['UP-BROKEN', 'UP-WHOLE', 'UP-SIGNATURE', 'UP-TOKEN', 'UP-META-FILE-ID', 'UP-KEY'],
  ),
  fault('UP-BROKEN', 'what had come is kept', (context) => ({
    async broken(request) {
      const form = readForm(request);
      if (request.isUpload && form.has('file'))
        await storeFile(context, keyOf(form), form.get('file'));
    },
  })),
  fault('UP-BROKEN', 'what was there is emptied', (context) => ({
    async broken(request) {
      const path = keyOf(readForm(request));
      if (request.isUpload && (await readFile(context, await fileIdOf(context, path))))
        await storeFile(context, path);
    },
  })),
  fault('UP-BROKEN', 'what was there is gone', (context) => ({
    async broken(request) {
      if (request.isUpload) await deleteFile(context, keyOf(readForm(request)));
    },
  })),
  fault(
    'UP-KEPT',
    'a file is there until it was read once',
    (context) => ({
      async answer(answer, { isDownload, path }) {
        if (isDownload && answer.status === 200)
          await deleteFile(
            context,
            decodeURIComponent(path).replace(/^\/files\/[^/]*\/files\//, ''),
          );
      },
    }),
    ['ST-LINKS-DOWNLOAD'],
  ),
  fault(
    'UP-KEPT',
    'a file that is uploaded again keeps its old content',
    (context) => {
      const first = new Map<string, Buffer>();
      return ofStored(async (_, form) => {
        const key = keyOf(form);
        const old = first.get(key);
        if (old) await storeFile(context, key, old);
        else first.set(key, form.get('file') ?? Buffer.alloc(0));
      });
    },
    ['UP-FILE'],
  ),
  fault('UP-KEPT', 'a file can be read only a while after the answer', () => {
    const stored = new Map<string, number>();
    return {
      request(request) {
        if (request.isUpload) stored.set(keyOf(readForm(request)), Date.now());
      },
      answer(answer, { operation }) {
        const { json } = answer;
        if (operation !== 'batchGetTempUrls' || !json?.body?.data?.fileList) return;
        for (const entry of json.body.data.fileList) {
          const at = stored.get(String(entry.fileID).replace(/^cloud:\/\/[^/]*\//, ''));
          if (at && Date.now() - at < 100)
            Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
        }
        answer.json = json;
      },
    };
  }),
];
