import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
  toForm,
} from '../context/storage-client.ts';
import { REQUEST_FORMS, type RequestForm } from '../options.ts';
import { Inapplicable, Unreached } from '../result.ts';
import {
  expectAccepted,
  expectRefused,
  makeGoodFields,
  reachGoodFields,
  tryCall,
} from './storage-calls.ts';
import { Folder, isSuccess, needsFiles, toItems } from './stored-files.ts';

/** Statuses that mean that a method is not supported (RFC 9110, sections 15.5.6 and 15.6.2). */
const METHOD_REFUSED = [405, 501];

/** Returns whether a rejected call seems to have no such operation, or one with another method. */
async function isUnrouted(
  t: CheckContext,
  { received: { status }, code }: StorageReply,
  fields: object,
): Promise<boolean> {
  if (METHOD_REFUSED.includes(status)) return true;
  const unknown = await tryCall(t, t.uniqueName(), fields);
  return unknown.received.status === status && unknown.code === code;
}

/** What lenient routers ignore after the name of an operation. */
const SUFFIXES: Record<StorageOperation, string> = {
  getUploadMetaData: 's',
  batchGetTempUrls: '.json',
  batchDelete: 'X',
  batchCopyFile: '2',
};

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

const FORMS: Record<RequestForm, string> = { top: 'at the top level', data: 'inside data' };

const COPY_OPTIONS = [undefined, true, false].flatMap((overwrite) =>
  [undefined, true, false].map((removeOriginal) => ({ overwrite, removeOriginal })),
);

/** Expects all operations to accept one form, and in that form, copies with each combination of options. */
async function expectOneForm(t: CheckContext): Promise<void> {
  const fields = await makeGoodFields(t);
  const send = (operation: StorageOperation, request: object, form: RequestForm) =>
    tryCall(t, operation, {}, { body: JSON.stringify(toForm(request, form)) });
  const forms = t.settings.requestForm ? [t.settings.requestForm] : REQUEST_FORMS;
  const refusals: { operation: StorageOperation; what: string; reply: StorageReply }[] = [];
  for (const form of forms) {
    const before = refusals.length;
    for (const operation of STORAGE_OPERATIONS) {
      const reply = await send(operation, fields[operation], form);
      const { status } = reply.received;
      const what = `${operation} ${FORMS[form]} with ${status} ${reply.code ?? ''}`.trim();
      if (reply.refused) refusals.push({ operation, what, reply });
    }
    if (refusals.length > before) continue;
    const { srcPath, dstPath } = fields.batchCopyFile.fileList[0];
    const fileList = COPY_OPTIONS.map((options, index) => {
      return { srcPath, dstPath: `${dstPath}.${index}`, ...options };
    });
    const reply = await send('batchCopyFile', { fileList }, form);
    expectAccepted(t, reply, `batchCopyFile ${FORMS[form]} with each combination of options`);
    return;
  }
  for (const { operation, reply } of refusals) {
    if (await isUnrouted(t, reply, fields[operation]))
      throw new Unreached(`${operation} does not exist, or does not accept POST`);
  }
  const rejected = refusals.map(({ what }) => what).join(', ');
  const message = `all four operations must accept one form of a request; rejected: ${rejected}`;
  t.expect(false, message, refusals.at(-1)?.reply);
}

/** Makes calls in the form that a run does not use otherwise, if the deployment accepts both. */
async function expectFormsAlike(t: CheckContext): Promise<void> {
  if (t.settings.requestForm !== undefined) {
    throw new Inapplicable('only the form in --request-form is checked');
  }
  const call = async (operation: StorageOperation, fields: object) => {
    const reply = await tryCall(t, operation, fields, { isOtherForm: true });
    if (reply.refused) throw new Inapplicable(`${operation} accepts only one form of requests`);
    return reply;
  };
  const folder = new Folder(t);
  const path = folder.path('uploaded.txt');
  await call('getUploadMetaData', { path });
  const grant = await t.upload.grant(path, true);
  const bytes = Buffer.from('uploaded with a grant from the other form');
  const { isAccepted } = await t.upload.post(grant, t.upload.fields(grant, bytes));
  t.expect(isAccepted, 'a form with a grant from a call in the other form must be accepted');

  for (const name of ['moved.txt', 'kept.txt']) await folder.store(name);
  const fileList = folder.toCopyItems([
    { from: 'uploaded.txt', to: 'copied.txt' },
    { from: 'moved.txt', to: 'moved.to', removeOriginal: true },
    { from: 'uploaded.txt', to: 'kept.txt', overwrite: false },
  ]);
  await call('batchCopyFile', { fileList });
  await folder.expect('after batchCopyFile in the other form', {
    'copied.txt': bytes,
    'moved.to': 'moved.txt',
    'moved.txt': undefined,
    'kept.txt': 'kept.txt',
  });
  const ids = [grant.fileId, ...(await folder.ids('kept.txt'))];
  const { entries } = await call('batchGetTempUrls', { fileList: toItems(ids) });
  const linked = entries?.filter(isSuccess).length;
  t.expect(linked === 2, 'batchGetTempUrls in the other form: both files must get links');
  await call('batchDelete', { fileList: ids });
  const left = await t.storage.list('batchGetTempUrls', toItems(ids));
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

export const storageRequests: readonly Check[] = [
  defineCheck('ST-PATH/1', [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const reply = await tryCall(t, operation, fields[operation]);
      const isFound = !reply.refused || !(await isUnrouted(t, reply, fields[operation]));
      const actual = `but the response was ${reply.received.status}`;
      t.expect(isFound, `${operation} must accept POST at its path, ${actual}`, reply);
      // Other rules are about calls that are rejected for another reason.
      if (isFound && reply.refused)
        throw new Unreached(`a valid call to ${operation} was rejected, ${actual}`);
    }
  }),
  defineCheck('ST-PATH/2', [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const name = operation + SUFFIXES[operation];
      expectRefused(t, await tryCall(t, name, fields[operation]), `storages:${name}`);
    }
  }),
  defineCheck('ST-PATH/3', [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(fields[operation]))
        query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
      const reply = await tryCall(t, operation, {}, { method: 'GET', query: query.toString() });
      expectRefused(t, reply, `GET ${operation} with its fields in the query`);
    }
  }),
  defineCheck('ST-REQUEST/1', [], async (t) => {
    const fields = await reachGoodFields(t);
    const spellings = toSpellings((operation) => t.storage.body(fields[operation]));
    for (const [operation, options] of spellings) {
      const reply = await tryCall(t, operation, fields[operation], options);
      expectAccepted(t, reply, `${operation} with this spelling of its body and content type`);
    }
  }),
  defineCheck('ST-REQUEST/2', [], expectOneForm),
  defineCheck('ST-REQUEST/3', needsFiles, expectFormsAlike),
  defineCheck('ST-UNKNOWN-FIELDS', [], async (t) => {
    const fields = await reachGoodFields(t);
    const [link] = fields.batchGetTempUrls.fileList;
    const [copy] = fields.batchCopyFile.fileList;
    const requests: [StorageOperation, object][] = [
      ...STORAGE_OPERATIONS.map((operation): [StorageOperation, object] => [
        operation,
        { ...UNKNOWN, ...fields[operation] },
      ]),
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
