import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  COPY,
  DELETE,
  failure,
  failureBody,
  GRANT,
  LINKS,
  success,
  successBody,
} from './support/storage.ts';

export const storageEnvelope: Rows = {
  'ST-ENVELOPE-STATUS-CODE': {
    'the statusCode of a rejected deletion is a string': failure({ statusCode: String }, DELETE),
    'a links response has no statusCode': success({ statusCode: undefined }, LINKS),
    'it is a string': success({ statusCode: '200' }, DELETE),
    'failures have none': failure({ statusCode: undefined }),
    'it is null if credentials are missing': failure({ statusCode: null }, 401),
  },
  'ST-ENVELOPE-SUCCESS': {
    'the statusCode of a links response is 0, like an exit code': success({ statusCode: 0 }, LINKS),
    'it is 201 with upload metadata': success({ statusCode: 201 }, GRANT),
  },
  'ST-COPY-STATUS-CODE': {
    'the statusCode of a rejected copy call is 200': failure({ statusCode: 200 }, COPY),
    'the statusCode of a successful copy is 201': success({ statusCode: 201 }, COPY),
    'it is 207 if an item failed': success((json) => {
      if (json.body.data.fileList?.some(({ code }: Json) => code)) json.statusCode = 207;
    }, COPY),
    'it is 500 in every rejection': failure({ statusCode: 500 }, COPY),
    'it is 400 if the HTTP status is 401': failure({ statusCode: 400 }, 401),
    'a successful copy has 201 as HTTP status and statusCode': success((json, response) => {
      response.status = 201;
      json.statusCode = 201;
    }, COPY),
  },
  'ST-ENVELOPE-BODY': {
    'a credential error has no body object': failure((json) => {
      Object.assign(json, json.body, { body: undefined });
    }, 401),
    'the body of a deletion response is JSON in a string': success(
      { body: JSON.stringify },
      DELETE,
    ),
    'it is a string of JSON in failures': failure({ body: JSON.stringify }),
    'it is null without credentials': failure({ body: null }, 401),
  },
  'ST-ENVELOPE-REQUEST-ID': {
    'the requestId of a deletion response is a number': successBody(
      { requestId: 20_260_101 },
      DELETE,
    ),
    'it is a number': successBody({ requestId: 12 }, COPY),
    'it is null in failures': [failureBody({ requestId: null }), 'ST-ENVELOPE-REQUEST-ID-PRESENT'],
  },
  'ST-ENVELOPE-REQUEST-ID-PRESENT': {
    'a credential error has no requestId': failureBody({ requestId: undefined }, 401),
    'deletions have none': successBody({ requestId: undefined }, DELETE),
  },
  'ST-ENVELOPE-DATA': {
    'the data of a deletion response is the list itself': successBody(
      { data: ({ fileList }) => fileList },
      DELETE,
    ),
    'it is null for an empty list': successBody({
      data: (data) => (data.fileList?.length === 0 ? null : data),
    }),
    'it is a string of JSON with upload metadata': successBody({ data: JSON.stringify }, GRANT),
  },
  'ST-ENVELOPE-CODE': {
    'the code of a credential error is a number': failureBody({ code: 401 }, 401),
    'a credential error has data that is null': failureBody({ data: null }, 401),
    'the error for a wrong content type has no code': failureBody({ code: undefined }, 415),
    'it is a number': failureBody({ code: -1 }),
    'failures have an empty object data': failureBody({ data: {} }),
    'a rejected copy has an empty list in data': failureBody({ data: { fileList: [] } }, COPY),
    'a credential error has none': failureBody({ code: undefined }, 401),
  },
  'ST-ENVELOPE-MESSAGE': {
    'the message of a credential error is an object keyed by language': failureBody(
      { message: (en) => ({ en }) },
      401,
    ),
    'it is a list': failureBody({ message: (text) => text && [text] }),
    'it is null in successes': successBody({ message: null }),
  },
  'ST-ENVELOPE-MESSAGE-PRESENT': {
    'a rejected copy call has no message': failureBody({ message: undefined }, COPY),
    'a credential error has none': failureBody({ message: undefined }, 401),
  },
};
