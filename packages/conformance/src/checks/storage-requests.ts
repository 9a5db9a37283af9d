import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { toItems } from '../context/files.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
  toForm,
} from '../context/storage-client.ts';
import { REQUEST_FORMS } from '../options.ts';
import { DisabledError } from '../result.ts';
import { isSuccess } from '../validation/read-storage.ts';
import {
  acceptedFields,
  expectAccepted,
  expectRefused,
  makeGoodFields,
  needsFiles,
  tryCall,
} from './storage-calls.ts';

/** Other ways to send the same JSON value (RFC 8259), and types with and without parameters. */
function toSpellings(
  toBody: (operation: StorageOperation) => string,
): [StorageOperation, StorageCallOptions][] {
  const indented = JSON.stringify(JSON.parse(toBody('batchDelete')), null, 2);
  const ofType = (type: string): StorageCallOptions => ({ headers: { 'Content-Type': type } });
  return [
    ['getUploadMetaData', ofType('application/json; charset=utf-8')],
    ['batchDelete', ofType('application/json; charset=utf-8')],
    ['batchGetTempUrls', ofType('Application/JSON')],
    ['batchCopyFile', ofType('application/json;charset="UTF-8"; a=b')],
    ['batchDelete', { body: ` \t\r\n${indented}\n` }],
    ['getUploadMetaData', { body: toBody('getUploadMetaData').replace('path', 'p\\u0061th') }],
    ['batchCopyFile', { body: toBody('batchCopyFile').replaceAll('/', '\\/') }],
  ];
}

const FORMS = { top: 'at the top level', data: 'inside data' };

const COPY_OPTIONS = [undefined, true, false].flatMap((overwrite) =>
  [undefined, true, false].map((removeOriginal) => ({ overwrite, removeOriginal })),
);

/** Expects all operations to accept one form, and in that form, copies with each combination of options. */
async function expectOneForm(t: CheckContext): Promise<void> {
  const fields = await makeGoodFields(t);
  const { srcPath, dstPath } = fields.batchCopyFile.fileList[0];
  const copies = COPY_OPTIONS.map((options, index) => {
    return { srcPath, dstPath: `${dstPath}.${index}`, ...options };
  });
  const refusals: string[] = [];
  let last: StorageReply | undefined;
  for (const form of t.settings.requestForm ? [t.settings.requestForm] : REQUEST_FORMS) {
    const send = (operation: StorageOperation, request: object) =>
      tryCall(t, operation, {}, { body: JSON.stringify(toForm(request, form)) });
    const before = refusals.length;
    for (const operation of STORAGE_OPERATIONS) {
      const reply = await send(operation, fields[operation]);
      if (!reply.refused) continue;
      const actual = `${reply.received.status} ${reply.code ?? ''}`;
      refusals.push(`${operation} ${FORMS[form]} with ${actual}`);
      last = reply;
    }
    if (refusals.length > before) continue;
    const reply = await send('batchCopyFile', { fileList: copies });
    expectAccepted(t, reply, `batchCopyFile ${FORMS[form]} with each combination of options`);
    return;
  }
  const message = `all four operations must accept one form of a request; rejected: ${refusals.join(', ')}`;
  t.expect(false, message, last);
}

/** Makes calls in the form that a run does not use otherwise, if the deployment accepts both. */
async function expectFormsAlike(t: CheckContext): Promise<void> {
  if (t.settings.requestForm !== undefined) {
    throw new DisabledError('only the form in --request-form is checked');
  }
  const call = async (operation: StorageOperation, fields: object) => {
    const reply = await tryCall(t, operation, fields, { isOtherForm: true });
    if (reply.refused) throw new DisabledError(`${operation} accepts only one form of requests`);
    return reply;
  };
  const { files } = t;
  await call('getUploadMetaData', { path: files.path('uploaded.txt') });
  const grant = await files.grant('uploaded.txt', true);
  const bytes = Buffer.from('uploaded with a grant from the other form');
  const { isAccepted } = await files.post(grant, files.fields(grant, bytes));
  t.expect(isAccepted, 'a form with a grant from a call in the other form must be accepted');

  await files.storeAll(['moved.txt', 'kept.txt']);
  const fileList = files.toCopyItems([
    { from: 'uploaded.txt', to: 'copied.txt' },
    { from: 'moved.txt', to: 'moved.to', removeOriginal: true },
    { from: 'uploaded.txt', to: 'kept.txt', overwrite: false },
  ]);
  await call('batchCopyFile', { fileList });
  await files.expect('after batchCopyFile in the other form', {
    'copied.txt': bytes,
    'moved.to': 'moved.txt',
    'moved.txt': undefined,
    'kept.txt': 'kept.txt',
  });
  const ids = [grant.fileId, ...(await files.ids('kept.txt'))];
  const { entries } = await call('batchGetTempUrls', { fileList: toItems(ids) });
  const linked = entries?.filter(isSuccess).length;
  t.expect(linked === 2, 'batchGetTempUrls in the other form: both files must get links');
  await call('batchDelete', { fileList: ids });
  const left = (await t.storage.list('batchGetTempUrls', toItems(ids))).entries;
  t.expect(!left.some(isSuccess), 'batchDelete in the other form: both files must be deleted');
}

/** Fields that no operation has, and names that careless code handles badly. */
const UNKNOWN = {
  unknown: 'text',
  more: [{ a: null }],
  constructor: 'text',
  toString: 1,
  '': true,
};

/** Makes the same calls to each operation, with fields that every deployment must accept. */
const defineForEach = (
  id: 'ST-PATH/1' | 'ST-PATH/2' | 'ST-PATH/3',
  call: (t: CheckContext, operation: StorageOperation, fields: object) => Promise<unknown>,
) =>
  defineCheck(id, [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) await call(t, operation, fields[operation]);
  });

export const storageRequests: readonly Check[] = [
  defineForEach('ST-PATH/1', async (t, operation, fields) =>
    expectAccepted(t, await tryCall(t, operation, fields), `a POST of ${operation}`),
  ),
  defineForEach('ST-PATH/2', async (t, operation, fields) => {
    // What lenient routers ignore after the name of an operation.
    for (const name of [`${operation}X`, `${operation}.json`]) {
      expectRefused(t, await tryCall(t, name, fields), `storages:${name}`);
    }
  }),
  defineForEach('ST-PATH/3', async (t, operation, fields) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    const reply = await tryCall(t, operation, {}, { method: 'GET', query: `${query}` });
    expectRefused(t, reply, `GET ${operation} with its fields in the query`);
  }),
  defineCheck('ST-REQUEST/1', [], async (t) => {
    const fields = await acceptedFields(t);
    const spellings = toSpellings((operation) => t.storage.body(fields[operation]));
    for (const [operation, options] of spellings) {
      const reply = await tryCall(t, operation, fields[operation], options);
      expectAccepted(t, reply, `${operation} with this spelling of its body and content type`);
    }
  }),
  defineCheck('ST-REQUEST/2', [], expectOneForm),
  defineCheck('ST-REQUEST/3', needsFiles, expectFormsAlike),
  defineCheck('ST-UNKNOWN-FIELDS', [], async (t) => {
    const fields = await acceptedFields(t);
    const [link] = fields.batchGetTempUrls.fileList;
    const [copy] = fields.batchCopyFile.fileList;
    const requests: (readonly [StorageOperation, object])[] = [
      ...STORAGE_OPERATIONS.map((name) => [name, { ...UNKNOWN, ...fields[name] }] as const),
      ['batchGetTempUrls', { fileList: [{ ...link, ...UNKNOWN }] }],
      ['batchCopyFile', { fileList: [{ ...copy, ...UNKNOWN }] }],
    ];
    for (const [operation, request] of requests) {
      const reply = await tryCall(t, operation, request);
      expectAccepted(t, reply, `${operation} with unknown fields`);
    }
  }),
  defineCheck('ST-META-CALL', ['storageCredentials'], async (t) => {
    for (const name of ['file.txt', 'level/deeper/file', 'file.txt']) {
      const reply = await t.storage.call('getUploadMetaData', { path: t.storage.path(name) });
      const message = `getUploadMetaData of ${name} must return the attributes for the upload`;
      t.expect(!reply.refused && reply.data !== undefined, message, reply);
    }
  }),
];
