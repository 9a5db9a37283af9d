import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { setBody } from './support/gateway.ts';
import { COPY, DELETE, failure, failureBody, LINKS, metadata, success } from './support/storage.ts';

const isDeep = ({ fileID }: Json) => String(fileID).includes('/deeper/');

/** Two for each kind of response: grants, links, deletions, copies, and calls that are rejected. */
export const storageResponses: Rows = {
  'ST-RESPONSE: the url of a grant lacks the scheme': metadata({
    url: (url) => url?.replace(/^http:/, ''),
  }),
  'ST-RESPONSE: the storeFileID of a grant for several levels is spelled storeFileId': metadata(
    (data) => Object.assign(data, { storeFileId: data.storeFileID, storeFileID: undefined }),
    isDeep,
  ),
  'ST-RESPONSE: the statusCode of a links response is 0, like an exit code': success(
    { statusCode: 0 },
    LINKS,
  ),
  'ST-RESPONSE: the body of a deletion response is JSON in a string': success(
    { body: JSON.stringify },
    DELETE,
  ),
  'ST-RESPONSE: the statusCode of a rejected copy call is 200': failure({ statusCode: 200 }, COPY),
  'ST-RESPONSE: the statusCode of a copy call is 207 if an item failed': success((json) => {
    if (json.body.data.fileList?.some(({ code }: Json) => code)) json.statusCode = 207;
  }, COPY),
  'ST-RESPONSE: rejected calls have an empty object as data': failureBody({ data: {} }),
  'ST-RESPONSE: the response to a call for another environment is an HTML page': {
    response(response, { path }) {
      if (path.startsWith('/api/') && response.status === 404)
        setBody('<h1>Not Found</h1>', 'text/html')(response);
    },
  },
  'ST-PRESENT/1: a credential error has no requestId': failureBody({ requestId: undefined }, 401),
  'ST-PRESENT/2: a rejected copy call has no message': failureBody({ message: undefined }, COPY),
};
