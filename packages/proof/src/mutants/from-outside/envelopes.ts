import type { Json } from '../../proxy/messages.ts';
import { type Mutant, mutantsOf } from '../mutant.ts';
import { failure, failureBody, success, successBody } from '../support/storage.ts';

const copy = 'batchCopyFile';
const remove = 'batchDelete';
const grant = 'getUploadMetaData';

/** Mutants that send incorrect envelopes, as some real storage services do. */
export const envelopes: readonly Mutant[] = [
  ...mutantsOf('ST-ENVELOPE-STATUS-CODE', {
    'it is a string': success({ statusCode: '200' }, remove),
    'failures have none': failure({ statusCode: undefined }),
    'it is null if credentials are missing': failure({ statusCode: null }, undefined, 401),
  }),
  ...mutantsOf('ST-ENVELOPE-SUCCESS', {
    'it is 0 with links': success({ statusCode: 0 }, 'batchGetTempUrls'),
    'it is 201 with upload metadata': success({ statusCode: 201 }, grant),
  }),
  ...mutantsOf('ST-COPY-STATUS-CODE', {
    'it is 207 if an item failed': success((json) => {
      if (json.body.data.fileList?.some(({ code }: Json) => code)) json.statusCode = 207;
    }, copy),
    'it is 500 in every rejection': failure({ statusCode: 500 }, copy),
    'it is 400 if the HTTP status is 401': failure({ statusCode: 400 }, copy, 401),
  }),
  ...mutantsOf('ST-ENVELOPE-BODY', {
    'it is a string of JSON in failures': failure((json) => {
      json.body = JSON.stringify(json.body);
    }),
    'it is null without credentials': failure({ body: null }, undefined, 401),
  }),
  ...mutantsOf('ST-ENVELOPE-REQUEST-ID', {
    'it is a number': successBody({ requestId: 12 }, copy),
    'it is null in failures': failureBody({ requestId: null }),
  }),
  ...mutantsOf('ST-ENVELOPE-REQUEST-ID-PRESENT', {
    'failures have none': failureBody({ requestId: undefined }),
    'deletions have none': successBody({ requestId: undefined }, remove),
  }),
  ...mutantsOf('ST-ENVELOPE-DATA', {
    'it is a list with deletions': successBody((body) => {
      body.data = body.data.fileList;
    }, remove),
    'it is null for an empty list': successBody((body) => {
      if (body.data.fileList?.length === 0) body.data = null;
    }),
    'it is a string of JSON with upload metadata': successBody((body) => {
      body.data = JSON.stringify(body.data);
    }, grant),
  }),
  ...mutantsOf('ST-ENVELOPE-CODE', {
    'it is a number': failureBody({ code: -1 }),
    'failures have an empty object data': failureBody({ data: {} }),
    'a rejected copy has an empty list in data': failureBody({ data: { fileList: [] } }, copy),
    'a credential error has none': failureBody({ code: undefined }, undefined, 401),
  }),
  ...mutantsOf('ST-ENVELOPE-MESSAGE', {
    'it is a list': failureBody((body) => {
      if (body.message) body.message = [body.message];
    }),
    'it is null in successes': successBody({ message: null }),
  }),
  ...mutantsOf('ST-ENVELOPE-MESSAGE-PRESENT', {
    'failures have none': failureBody({ message: undefined }),
    'a credential error has none': failureBody({ message: undefined }, undefined, 401),
  }),
];
