import type { Json } from '../proxy/messages.ts';
import {
  any,
  COPY,
  entries,
  failure,
  isBad,
  LINKS,
  list,
  metadata,
  success,
} from './hooks/storage.ts';
import type { Rows } from './mutant.ts';

const isDone = ({ code }: Json) => code === undefined;

export const storageResponses: Rows = {
  'ST-RESPONSE: the url of a grant lacks the scheme': metadata((data) => {
    data.url = data.url?.replace(/^http:/, '');
  }),
  'ST-RESPONSE: a grant has storeFileId': metadata((data) => {
    if (!data.fileID.includes('/deeper/')) return;
    Object.assign(data, { storeFileId: data.storeFileID, storeFileID: undefined });
  }),
  'ST-RESPONSE: the statusCode of a copy is 207': success((json: Json) => {
    if (json.body.data.fileList?.some(({ code }: Json) => code)) json.statusCode = 207;
  }, COPY),
  'ST-RESPONSE: rejected calls have data': failure(({ body }) => {
    body.data = {};
  }),
  'ST-RESPONSE: the fileID of a copy is unknown': entries(COPY, isDone, (entry) => {
    entry.fileID += '.copied';
  }),
  'ST-RESPONSE: a copy has the code SUCCESS': entries(COPY, isDone, { code: 'SUCCESS' }),
  'ST-PRESENT/1: an error has no requestId': failure(({ body }, { status }) => {
    if (status === 401) body.requestId = undefined;
  }),
  'ST-PRESENT/2: a rejected copy has no message': failure(({ body }, _, { operation }) => {
    if (operation === COPY) body.message = undefined;
  }),
  'ST-PRESENT/3: a move has no fileID': list(COPY, (all, items) => {
    for (const [index, entry] of all.entries())
      if (items[index]?.removeOriginal) entry.fileID = undefined;
  }),
  'ST-LISTS/1: a missing file gets no entry': list(LINKS, (all) =>
    all.filter((entry) => !isBad(entry)),
  ),
  'ST-LISTS/1: lists are cut after 20 items': list(LINKS, (all) => all.slice(0, 20)),
  'ST-LISTS/2: the fileID is only a name': entries(LINKS, any, (entry) => {
    entry.fileID = entry.fileID.replace(/^.*\//, '');
  }),
};
