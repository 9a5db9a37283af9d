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
  'ST-RESPONSE: the statusCode of a rejected deletion is a string': failure(
    { statusCode: String },
    DELETE,
  ),
  'ST-RESPONSE: a links response has no statusCode': success({ statusCode: undefined }, LINKS),
  'ST-RESPONSE: the statusCode of a links response is 0, like an exit code': success(
    { statusCode: 0 },
    LINKS,
  ),
  'ST-RESPONSE: it is 201 with upload metadata': success({ statusCode: 201 }, GRANT),
  'ST-RESPONSE: the statusCode of a rejected copy call is 200': failure({ statusCode: 200 }, COPY),
  'ST-RESPONSE: it is 207 if an item failed': success((json) => {
    if (json.body.data.fileList?.some(({ code }: Json) => code)) json.statusCode = 207;
  }, COPY),
  'ST-RESPONSE: a credential error has no body object': failure((json) => {
    Object.assign(json, json.body, { body: undefined });
  }, 401),
  'ST-RESPONSE: the body of a deletion response is JSON in a string': success(
    { body: JSON.stringify },
    DELETE,
  ),
  'ST-RESPONSE: the requestId of a deletion response is a number': successBody(
    { requestId: 20_260_101 },
    DELETE,
  ),
  'ST-RESPONSE: it is null in failures': failureBody({ requestId: null }),
  'ST-PRESENT/1: a credential error has no requestId': failureBody({ requestId: undefined }, 401),
  'ST-PRESENT/1: deletions have none': successBody({ requestId: undefined }, DELETE),
  'ST-RESPONSE: the data of a deletion response is the list itself': successBody(
    { data: ({ fileList }) => fileList },
    DELETE,
  ),
  'ST-RESPONSE: it is null for an empty list': successBody({
    data: (data) => (data.fileList?.length === 0 ? null : data),
  }),
  'ST-RESPONSE: the code of a credential error is a number': failureBody({ code: 401 }, 401),
  'ST-RESPONSE: failures have an empty object data': failureBody({ data: {} }),
  'ST-RESPONSE: the message of a credential error is an object keyed by language': failureBody(
    { message: (en) => ({ en }) },
    401,
  ),
  'ST-RESPONSE: it is null in successes': successBody({ message: null }),
  'ST-PRESENT/2: a rejected copy call has no message': failureBody({ message: undefined }, COPY),
  'ST-PRESENT/2: a credential error has none': failureBody({ message: undefined }, 401),
};
