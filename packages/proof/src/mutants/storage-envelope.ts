import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { failure, failureBody, type Patch, success, successBody } from './support/storage.ts';

/** Changes the body of every credential error. */
const unauthorized = (patch: Patch) => failureBody(patch, undefined, 401);
const copy = 'batchCopyFile';
const remove = 'batchDelete';
const grant = 'getUploadMetaData';

export const storageEnvelope: Rows = {
  'ST-ENVELOPE-STATUS-CODE': {
    'the statusCode of a rejected deletion is a string': failure((json) => {
      json.statusCode = String(json.statusCode);
    }, 'batchDelete'),
    'a links response has no statusCode': success({ statusCode: undefined }, 'batchGetTempUrls'),
    'it is a string': success({ statusCode: '200' }, remove),
    'failures have none': failure({ statusCode: undefined }),
    'it is null if credentials are missing': failure({ statusCode: null }, undefined, 401),
  },
  'ST-ENVELOPE-SUCCESS': {
    'the statusCode of a links response is 0, like an exit code': success(
      { statusCode: 0 },
      'batchGetTempUrls',
    ),
    'it is 201 with upload metadata': success({ statusCode: 201 }, grant),
  },
  'ST-COPY-STATUS-CODE': {
    'the statusCode of a rejected copy call is 200': failure({ statusCode: 200 }, 'batchCopyFile'),
    'the statusCode of a successful copy is 201': success({ statusCode: 201 }, 'batchCopyFile'),
    'it is 207 if an item failed': success((json) => {
      if (json.body.data.fileList?.some(({ code }: Json) => code)) json.statusCode = 207;
    }, copy),
    'it is 500 in every rejection': failure({ statusCode: 500 }, copy),
    'it is 400 if the HTTP status is 401': failure({ statusCode: 400 }, copy, 401),
  },
  'ST-ENVELOPE-BODY': {
    'a credential error has no body object': failure(
      (json) => {
        Object.assign(json, json.body, { body: undefined });
      },
      undefined,
      401,
    ),
    'the body of a deletion response is JSON in a string': success((json) => {
      json.body = JSON.stringify(json.body);
    }, 'batchDelete'),
    'it is a string of JSON in failures': failure((json) => {
      json.body = JSON.stringify(json.body);
    }),
    'it is null without credentials': failure({ body: null }, undefined, 401),
  },
  'ST-ENVELOPE-REQUEST-ID': {
    'the requestId of a deletion response is a number': successBody(
      { requestId: 20_260_101 },
      'batchDelete',
    ),
    'it is a number': successBody({ requestId: 12 }, copy),
    'it is null in failures': failureBody({ requestId: null }),
  },
  'ST-ENVELOPE-REQUEST-ID-PRESENT': {
    'a credential error has no requestId': unauthorized({ requestId: undefined }),
    'deletions have none': successBody({ requestId: undefined }, remove),
  },
  'ST-ENVELOPE-DATA': {
    'the data of a deletion response is the list itself': successBody((body) => {
      body.data = body.data.fileList;
    }, 'batchDelete'),
    'it is null for an empty list': successBody((body) => {
      if (body.data.fileList?.length === 0) body.data = null;
    }),
    'it is a string of JSON with upload metadata': successBody((body) => {
      body.data = JSON.stringify(body.data);
    }, grant),
  },
  'ST-ENVELOPE-CODE': {
    'the code of a credential error is a number': unauthorized({ code: 401 }),
    'a credential error has data that is null': unauthorized({ data: null }),
    'the error for a wrong content type has no code': failureBody(
      { code: undefined },
      undefined,
      415,
    ),
    'it is a number': failureBody({ code: -1 }),
    'failures have an empty object data': failureBody({ data: {} }),
    'a rejected copy has an empty list in data': failureBody({ data: { fileList: [] } }, copy),
    'a credential error has none': failureBody({ code: undefined }, undefined, 401),
  },
  'ST-ENVELOPE-MESSAGE': {
    'the message of a credential error is an object keyed by language': unauthorized((body) => {
      body.message = { en: body.message };
    }),
    'it is a list': failureBody((body) => {
      if (body.message) body.message = [body.message];
    }),
    'it is null in successes': successBody({ message: null }),
  },
  'ST-ENVELOPE-MESSAGE-PRESENT': {
    'a rejected copy call has no message': failureBody({ message: undefined }, 'batchCopyFile'),
    'a credential error has none': failureBody({ message: undefined }, undefined, 401),
  },
};
