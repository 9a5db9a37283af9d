import type { Hooks, Json } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { fault } from './support/fault.ts';
import { ofSuccess } from './support/of-envelopes.ts';
import { refusing } from './support/refusing.ts';

const ofGrant = (change: (data: Json) => void): Hooks =>
  ofSuccess((json, _, operation) => {
    if (operation === 'getUploadMetaData') change(json.body.data);
  });

/** What storage services make of upload metadata. */
export const grants: readonly Mutant[] = [
  fault(
    'ST-META-CALL',
    'only the first directory may hold files',
    refusing(
      ({ operation, json }) =>
        operation === 'getUploadMetaData' &&
        String((json?.data ?? json)?.path).split('/').length > 2,
    ),
    ['ST-COPY-PATH-LEVELS'],
  ),
  fault('ST-META-CALL', 'a file that exists gets no second grant', () => {
    const seen = new Set<string>();
    return refusing(({ operation, json }) => {
      const path = (json?.data ?? json)?.path;
      if (operation !== 'getUploadMetaData' || typeof path !== 'string') return false;
      const isSecond = seen.has(path);
      seen.add(path);
      return isSecond;
    });
  }),
  fault(
    'ST-META-URL',
    'it lacks the scheme',
    ofGrant((data) => {
      data.url = data.url?.replace(/^http:/, '');
    }),
  ),
  fault(
    'ST-META-URL',
    'it is a path',
    ofGrant((data) => {
      data.url = new URL(data.url).pathname;
    }),
  ),
  fault(
    'ST-META-TOKEN',
    'it is null',
    ofGrant((data) => {
      data.token = null;
    }),
  ),
  fault(
    'ST-META-TOKEN',
    'it is missing',
    ofGrant((data) => {
      delete data.token;
    }),
  ),
  fault(
    'ST-META-AUTHORIZATION',
    'it is an object',
    ofGrant((data) => {
      data.authorization = { value: data.authorization };
    }),
  ),
  fault(
    'ST-META-AUTHORIZATION',
    'it is missing',
    ofGrant((data) => {
      delete data.authorization;
    }),
  ),
  fault(
    'ST-META-FILE-ID',
    'it is a number',
    ofGrant((data) => {
      data.fileID = 4;
    }),
  ),
  fault(
    'ST-META-FILE-ID',
    'it is spelled fileId',
    ofGrant((data) => {
      data.fileId = data.fileID;
      delete data.fileID;
    }),
  ),
  fault(
    'ST-META-STORE-FILE-ID',
    'it is null',
    ofGrant((data) => {
      data.storeFileID = null;
    }),
  ),
  fault(
    'ST-META-STORE-FILE-ID',
    'it is spelled storeFileId',
    ofGrant((data) => {
      data.storeFileId = data.storeFileID;
      delete data.storeFileID;
    }),
  ),
];
