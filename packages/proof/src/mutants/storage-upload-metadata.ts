import type { Hooks, Json } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import { changeJson } from './support/answers.ts';
import { toStorageRefusal } from './support/refusals.ts';

/** Only paths of several levels are concerned. */
function isDeep(path: unknown): boolean {
  return String(path).includes('/deeper/');
}

/** Changes the upload metadata of such paths. */
function ofDeepPaths(change: (data: Json) => void): () => Hooks {
  return () => ({
    answer(answer, { operation }) {
      if (operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID)) return;
      changeJson(answer, ({ body }) => change(body.data));
    },
  });
}

export const storageUploadMetadata: readonly Mutant[] = [
  {
    rule: 'ST-META-CALL',
    breaks: 'no upload is granted to a path of several levels',
    companions: [],
    create: () => ({
      request({ operation, json }) {
        const isRefused =
          operation === 'getUploadMetaData' && typeof json?.path === 'string' && isDeep(json.path);
        return isRefused ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
      },
    }),
  },
  {
    rule: 'ST-META-URL',
    breaks: 'the url for a path of several levels is relative',
    companions: [],
    create: ofDeepPaths((data) => {
      data.url = new URL(data.url).pathname;
    }),
  },
  {
    rule: 'ST-META-TOKEN',
    breaks: 'a grant for a path of several levels has no token',
    companions: [],
    create: ofDeepPaths((data) => {
      delete data.token;
    }),
  },
  {
    rule: 'ST-META-AUTHORIZATION',
    breaks: 'the authorization for a path of several levels is an object',
    companions: [],
    create: ofDeepPaths((data) => {
      data.authorization = { Signature: data.authorization };
    }),
  },
  {
    rule: 'ST-META-FILE-ID',
    breaks: 'the fileID for a path of several levels is a number',
    companions: [],
    create: ofDeepPaths((data) => {
      data.fileID = 42;
    }),
  },
  {
    rule: 'ST-META-STORE-FILE-ID',
    breaks: 'the storeFileID for a path of several levels has another name',
    companions: [],
    create: ofDeepPaths((data) => {
      data.storeFileId = data.storeFileID;
      delete data.storeFileID;
    }),
  },
];
