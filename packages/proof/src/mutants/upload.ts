import type { Mutant } from './mutant.ts';
import { changeJson } from './support/answers.ts';
import { toUploadError } from './support/refusals.ts';
import { fileIdOf, readFile, readForm, rememberGrants, writeForm } from './support/uploads.ts';

export const upload: readonly Mutant[] = [
  {
    rule: 'UP-FORM',
    breaks: 'a form with more than 15,000 bytes is refused',
    companions: [],
    create: () => ({
      request({ isUpload, body }) {
        const isRefused = isUpload && body.length > 15_000;
        return isRefused ? toUploadError(400, 'EntityTooLarge') : undefined;
      },
    }),
  },
  {
    rule: 'UP-FORM',
    breaks: 'a form for a file that exists is refused',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (!request.isUpload) return;
        const key = readForm(request).get('key')?.toString();
        const isThere = key && (await readFile(context, await fileIdOf(context, key)));
        return isThere ? toUploadError(403, 'AccessDenied') : undefined;
      },
    }),
  },
  {
    rule: 'UP-URL-VERBATIM',
    breaks: 'the returned url is not where forms are taken',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isUpload) return;
        if (request.path !== '/') return toUploadError(404, 'AccessDenied');
        request.target = '/upload';
      },
      answer(answer, { operation }) {
        if (operation !== 'getUploadMetaData') return;
        changeJson(answer, ({ body }) => {
          if (body.data) body.data.url = new URL('/bucket/put?grant=1', body.data.url).href;
        });
      },
    }),
  },
  {
    rule: 'UP-SIGNATURE',
    breaks: 'a form without Signature is stored',
    companions: [],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, 'Signature', (value) => value === undefined),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-SIGNATURE',
    breaks: 'a form with the Signature of another grant is stored',
    companions: ['UP-FILE'],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, 'Signature', (value) => Boolean(value)),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-TOKEN',
    breaks: 'the token of a form is not looked at',
    companions: ['UP-FILE'],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, 'x-store-security-token'),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-TOKEN',
    breaks: 'a form with an empty token is stored',
    companions: [],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) =>
          grants.repair(request, 'x-store-security-token', (value) => value === ''),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-META-FILE-ID',
    breaks: 'the meta file ID of a form is not looked at',
    companions: [],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, 'x-store-meta-fileid'),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-KEY',
    breaks: 'a form with a wrong key is stored at the right one',
    companions: ['UP-FILE'],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, 'key', (value) => Boolean(value)),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-KEY',
    breaks: 'a form without a key is stored',
    companions: [],
    create: () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, 'key', (value) => value === undefined),
        answer: grants.note,
      };
    },
  },
  {
    rule: 'UP-FILE',
    breaks: 'a line end at the end of a file is cut off',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isUpload) return;
        const form = readForm(request);
        const file = form.get('file');
        if (!file?.toString('latin1').endsWith('\r\n')) return;
        writeForm(request, form.set('file', file.subarray(0, -2)));
      },
    }),
  },
  {
    rule: 'UP-FILE',
    breaks: 'a byte order mark at the beginning of a file is cut off',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isUpload) return;
        const form = readForm(request);
        const file = form.get('file');
        if (file?.subarray(0, 3).toString('hex') !== 'efbbbf') return;
        writeForm(request, form.set('file', file.subarray(3)));
      },
    }),
  },
];
