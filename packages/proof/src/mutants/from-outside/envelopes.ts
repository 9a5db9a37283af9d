import type { Json } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { fault, ofFailure, ofSuccess } from './fault.ts';

/** What storage services put into envelopes. */
export const envelopes: readonly Mutant[] = [
  fault(
    'ST-ENVELOPE-STATUS-CODE',
    'it is a string',
    ofSuccess((json, _, operation) => {
      if (operation === 'batchDelete') json.statusCode = '200';
    }),
    ['ST-ENVELOPE-SUCCESS'],
  ),
  fault(
    'ST-ENVELOPE-STATUS-CODE',
    'failures have none',
    ofFailure((json) => {
      delete json.statusCode;
    }),
    ['ST-COPY-STATUS-CODE'],
  ),
  fault(
    'ST-ENVELOPE-STATUS-CODE',
    'it is null where credentials are missing',
    ofFailure((json, { status }) => {
      if (status === 401) json.statusCode = null;
    }),
    ['ST-COPY-STATUS-CODE'],
  ),
  fault(
    'ST-ENVELOPE-SUCCESS',
    'it is 0 with links',
    ofSuccess((json, _, operation) => {
      if (operation === 'batchGetTempUrls') json.statusCode = 0;
    }),
  ),
  fault(
    'ST-ENVELOPE-SUCCESS',
    'it is 201 with upload metadata',
    ofSuccess((json, _, operation) => {
      if (operation === 'getUploadMetaData') json.statusCode = 201;
    }),
  ),
  fault(
    'ST-COPY-STATUS-CODE',
    'it is 207 where an item failed',
    ofSuccess((json, _, operation) => {
      if (operation === 'batchCopyFile' && json.body.data.fileList?.some(({ code }: Json) => code))
        json.statusCode = 207;
    }),
  ),
  fault(
    'ST-COPY-STATUS-CODE',
    'it is 500 in every refusal',
    ofFailure((json, _, operation) => {
      if (operation === 'batchCopyFile') json.statusCode = 500;
    }),
  ),
  fault(
    'ST-COPY-STATUS-CODE',
    'it is 400 where the HTTP status is 401',
    ofFailure((json, { status }, operation) => {
      if (operation === 'batchCopyFile' && status === 401) json.statusCode = 400;
    }),
  ),
  fault(
    'ST-ENVELOPE-BODY',
    'it is a string of JSON in failures',
    ofFailure((json) => {
      json.body = JSON.stringify(json.body);
    }),
    ['ST-ENVELOPE-CODE'],
  ),
  fault(
    'ST-ENVELOPE-BODY',
    'it is null without credentials',
    ofFailure((json, { status }) => {
      if (status === 401) json.body = null;
    }),
    ['ST-ENVELOPE-CODE'],
  ),
  fault(
    'ST-ENVELOPE-REQUEST-ID',
    'it is a number',
    ofSuccess((json, _, operation) => {
      if (operation === 'batchCopyFile') json.body.requestId = 12;
    }),
  ),
  fault(
    'ST-ENVELOPE-REQUEST-ID',
    'it is null in failures',
    ofFailure((json) => {
      json.body.requestId = null;
    }),
  ),
  fault(
    'ST-ENVELOPE-REQUEST-ID-PRESENT',
    'failures have none',
    ofFailure((json) => {
      delete json.body.requestId;
    }),
  ),
  fault(
    'ST-ENVELOPE-REQUEST-ID-PRESENT',
    'deletions have none',
    ofSuccess((json, _, operation) => {
      if (operation === 'batchDelete') delete json.body.requestId;
    }),
  ),
  fault(
    'ST-ENVELOPE-DATA',
    'it is a list with deletions',
    ofSuccess((json, _, operation) => {
      if (operation === 'batchDelete') json.body.data = json.body.data.fileList;
    }),
  ),
  fault(
    'ST-ENVELOPE-DATA',
    'it is null for an empty list',
    ofSuccess((json) => {
      if (json.body.data.fileList?.length === 0) json.body.data = null;
    }),
  ),
  fault(
    'ST-ENVELOPE-DATA',
    'it is a string of JSON with upload metadata',
    ofSuccess((json, _, operation) => {
      if (operation === 'getUploadMetaData') json.body.data = JSON.stringify(json.body.data);
    }),
  ),
  fault(
    'ST-ENVELOPE-CODE',
    'it is a number',
    ofFailure((json) => {
      json.body.code = -1;
    }),
  ),
  fault(
    'ST-ENVELOPE-CODE',
    'failures have an empty object data',
    ofFailure((json) => {
      json.body.data = {};
    }),
  ),
  fault(
    'ST-ENVELOPE-CODE',
    'a copy that is refused has an empty list in data',
    ofFailure((json, _, operation) => {
      if (operation === 'batchCopyFile') json.body.data = { fileList: [] };
    }),
  ),
  fault(
    'ST-ENVELOPE-CODE',
    'a failure for want of credentials has none',
    ofFailure((json, { status }) => {
      if (status === 401) delete json.body.code;
    }),
  ),
  fault(
    'ST-ENVELOPE-MESSAGE',
    'it is a list',
    ofFailure((json) => {
      if (json.body.message) json.body.message = [json.body.message];
    }),
  ),
  fault(
    'ST-ENVELOPE-MESSAGE',
    'it is null in successes',
    ofSuccess((json) => {
      json.body.message = null;
    }),
  ),
  fault(
    'ST-ENVELOPE-MESSAGE-PRESENT',
    'failures have none',
    ofFailure((json) => {
      delete json.body.message;
    }),
  ),
  fault(
    'ST-ENVELOPE-MESSAGE-PRESENT',
    'a failure for want of credentials has none',
    ofFailure((json, { status }) => {
      if (status === 401) delete json.body.message;
    }),
  ),
];
