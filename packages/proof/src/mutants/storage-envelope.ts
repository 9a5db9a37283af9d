import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { failure, failureBody, type Patch, success, successBody } from './support/storage.ts';

/** Changes the body of every credential error. */
const unauthorized = (patch: Patch) => failureBody(patch, undefined, 401);

export const storageEnvelope: readonly Mutant[] = [
  ...mutantsOf('ST-ENVELOPE-STATUS-CODE', {
    'the statusCode of a rejected deletion is a string': failure((json) => {
      json.statusCode = String(json.statusCode);
    }, 'batchDelete'),
    'a links response has no statusCode': success({ statusCode: undefined }, 'batchGetTempUrls'),
  }),
  mutant(
    'ST-ENVELOPE-SUCCESS',
    'the statusCode of a links response is 0, like an exit code',
    success({ statusCode: 0 }, 'batchGetTempUrls'),
  ),
  ...mutantsOf('ST-COPY-STATUS-CODE', {
    'the statusCode of a rejected copy call is 200': failure({ statusCode: 200 }, 'batchCopyFile'),
    'the statusCode of a successful copy is 201': success({ statusCode: 201 }, 'batchCopyFile'),
  }),
  ...mutantsOf('ST-ENVELOPE-BODY', {
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
  }),
  mutant(
    'ST-ENVELOPE-REQUEST-ID',
    'the requestId of a deletion response is a number',
    successBody({ requestId: 20_260_101 }, 'batchDelete'),
  ),
  mutant(
    'ST-ENVELOPE-REQUEST-ID-PRESENT',
    'a credential error has no requestId',
    unauthorized({ requestId: undefined }),
  ),
  mutant(
    'ST-ENVELOPE-DATA',
    'the data of a deletion response is the list itself',
    successBody((body) => {
      body.data = body.data.fileList;
    }, 'batchDelete'),
  ),
  ...mutantsOf('ST-ENVELOPE-CODE', {
    'the code of a credential error is a number': unauthorized({ code: 401 }),
    'a credential error has data that is null': unauthorized({ data: null }),
    'the error for a wrong content type has no code': failureBody(
      { code: undefined },
      undefined,
      415,
    ),
  }),
  mutant(
    'ST-ENVELOPE-MESSAGE',
    'the message of a credential error is an object keyed by language',
    unauthorized((body) => {
      body.message = { en: body.message };
    }),
  ),
  mutant(
    'ST-ENVELOPE-MESSAGE-PRESENT',
    'a rejected copy call has no message',
    failureBody({ message: undefined }, 'batchCopyFile'),
  ),
];
