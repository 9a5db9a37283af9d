import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
  toForm,
} from '../context/storage-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { REQUEST_FORMS, type RequestForm } from '../options.ts';
import { Unreached } from '../result.ts';
import {
  areThere,
  expectAccepted,
  expectAt,
  expectNothing,
  expectRefused,
  type GoodFields,
  makeGoodFields,
  needsFiles,
  reachGoodFields,
  storeAll,
  toCopyItems,
} from './stored-files.ts';

/** Statuses that mean that a method is not supported (RFC 9110, sections 15.5.6 and 15.6.2). */
const METHOD_REFUSED = [405, 501];

/** Why a valid POST is rejected: there seems to be no such operation, the method is not supported, or otherwise. */
type Fault = 'operation' | 'method' | 'other';

/** Returns why a valid call is rejected; undefined if it is accepted. */
async function findFault(
  t: CheckContext,
  operation: StorageOperation,
  fields: GoodFields,
): Promise<{ reply: StorageReply; fault: Fault | undefined }> {
  const options = { acceptsRefusal: true };
  const reply = await t.storage.call(operation, fields[operation], options);
  if (!reply.refused) return { reply, fault: undefined };
  if (METHOD_REFUSED.includes(reply.received.status)) return { reply, fault: 'method' };
  const unknown = await t.storage.call(t.uniqueName(), fields[operation], options);
  const isAlike = unknown.received.status === reply.received.status && unknown.code === reply.code;
  return { reply, fault: isAlike ? 'operation' : 'other' };
}

/** Defines a check that no valid call is rejected with one fault. Other rules cover other faults. */
const defineFaultCheck = (id: SentenceId, excluded: Fault, requirement: string): Check =>
  defineCheck(id, [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const { reply, fault } = await findFault(t, operation, fields);
      const actual = `but the response was ${reply.received.status}`;
      if (fault !== undefined && fault !== excluded)
        throw new Unreached(`a valid call to ${operation} was rejected, ${actual}`);
      t.expect(fault === undefined, `${operation} must ${requirement}, ${actual}`, reply);
    }
  });

/** What lenient routers ignore after the name of an operation. */
const SUFFIXES: Record<StorageOperation, string> = {
  getUploadMetaData: 's',
  batchGetTempUrls: '.json',
  batchDelete: 'X',
  batchCopyFile: '2',
};

function toQuery(fields: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return query.toString();
}

const withType = (type: string): StorageCallOptions => ({ headers: { 'Content-Type': type } });

/** Other ways to send the same JSON value (RFC 8259). */
function toSpellings(
  toBody: (operation: StorageOperation) => string,
): [StorageOperation, string, StorageCallOptions][] {
  const indented = JSON.stringify(JSON.parse(toBody('batchDelete')), null, 2);
  const escaped = toBody('getUploadMetaData').replaceAll('path', 'p\\u0061th');
  return [
    ...STORAGE_OPERATIONS.map((operation): [StorageOperation, string, StorageCallOptions] => [
      operation,
      'of type application/json; charset=utf-8',
      withType('application/json; charset=utf-8'),
    ]),
    ['batchGetTempUrls', 'of type Application/JSON', withType('Application/JSON')],
    [
      'batchCopyFile',
      'of a type with two parameters',
      withType('application/json;charset="UTF-8"; a=b'),
    ],
    ['batchDelete', 'with line breaks and spaces', { body: ` \t\r\n${indented}\n` }],
    ['getUploadMetaData', 'with escaped letters', { body: escaped }],
    [
      'batchCopyFile',
      'with escaped slashes',
      { body: toBody('batchCopyFile').replaceAll('/', '\\/') },
    ],
    ['batchGetTempUrls', 'that arrives in two pieces', { isSlow: true }],
  ];
}

const FORMS: Record<RequestForm, string> = { top: 'at the top level', data: 'inside data' };

const COPY_OPTIONS = [
  {},
  { overwrite: true },
  { removeOriginal: true },
  { overwrite: true, removeOriginal: true },
  { overwrite: true, removeOriginal: false },
  { overwrite: false, removeOriginal: true },
  { overwrite: false, removeOriginal: false },
];

/** Expects all operations to accept one form, and in that form, copies with each combination of options. */
async function expectOneForm(t: CheckContext): Promise<void> {
  const fields = await makeGoodFields(t);
  const send = (operation: StorageOperation, request: object, form: RequestForm) => {
    const body = JSON.stringify(toForm(request, form));
    return t.storage.call(operation, {}, { body, acceptsRefusal: true });
  };
  const forms = t.settings.requestForm ? [t.settings.requestForm] : REQUEST_FORMS;
  const refusals: { what: string; reply: StorageReply }[] = [];
  for (const form of forms) {
    const before = refusals.length;
    for (const operation of STORAGE_OPERATIONS) {
      const reply = await send(operation, fields[operation], form);
      const { status } = reply.received;
      const what = `${operation} ${FORMS[form]} with ${status} ${reply.code ?? ''}`.trim();
      if (reply.refused) refusals.push({ what, reply });
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
  for (const operation of STORAGE_OPERATIONS) {
    const { fault } = await findFault(t, operation, fields);
    if (fault === 'operation' || fault === 'method')
      throw new Unreached(`${operation} does not exist, or does not accept POST`);
  }
  const tried = forms.map((form) => `fields ${FORMS[form]}`).join(' or ');
  const rejected = refusals.map(({ what }) => what).join(', ');
  const message = `all four operations must accept ${tried}; rejected: ${rejected}`;
  t.expect(false, message, refusals.at(-1)?.reply);
}

/** Makes calls in the form that a run does not use otherwise, if the deployment accepts both. */
async function expectFormsAlike(t: CheckContext): Promise<void> {
  t.apply(t.settings.requestForm === undefined, 'only the form in --request-form is checked');
  const call = (operation: StorageOperation, fields: object) =>
    t.storage.call(operation, fields, { isOtherForm: true, acceptsRefusal: true });
  const path = t.storage.path('uploaded.txt');
  if ((await call('getUploadMetaData', { path })).refused) {
    t.expect(true, 'there is no other form');
    return t.note('The deployment accepts only one form of requests.');
  }
  const form = t.storage.body({}, true).includes('data') ? 'inside data' : 'at the top level';
  const grant = await t.upload.grant(path, true);
  const bytes = Buffer.from('uploaded with a grant from the other form');
  const reply = await t.upload.post(grant, t.upload.fields(grant, bytes));
  const uploaded = `a form with a grant from a call ${form}`;
  t.expect(reply.isAccepted, `${uploaded} must be accepted, not ${reply.received.status}`, reply);

  const [moved, kept] = await storeAll(t, 'moved.txt', 'kept.txt');
  if (moved === undefined || kept === undefined) throw new Unreached('no file could be uploaded');
  const [copyPath, movePath] = [`${path}.copy`, `${moved.path}.moved`];
  const fileList = toCopyItems(t, [
    { from: path, to: copyPath },
    { from: moved.path, to: movePath, removeOriginal: true },
    { from: path, to: kept.path, overwrite: false },
  ]);
  if ((await call('batchCopyFile', { fileList })).refused)
    return t.note('Only one form of copy calls is accepted.');
  const copied = `batchCopyFile ${form}:`;
  await expectAt(t, copyPath, bytes, `${copied} the copy of a file`);
  await expectAt(t, movePath, moved.bytes, `${copied} the moved file`);
  expectNothing(t, await t.upload.read(moved.fileId), `${copied} the source of the move`);
  await expectAt(t, kept.path, kept.bytes, `${copied} a destination with overwrite false`);

  const ids = [grant.fileId, kept.fileId];
  const links = await call('batchGetTempUrls', { fileList: ids.map((fileID) => ({ fileID })) });
  if (links.refused) return t.note('Only one form of calls for links is accepted.');
  const linked = links.entries?.filter(({ code }) => code === 'SUCCESS').length;
  t.expect(linked === 2, `batchGetTempUrls ${form}: both files must get links`, links);
  const deletion = await call('batchDelete', { fileList: ids });
  if (deletion.refused) return t.note('Only one form of deletions is accepted.');
  const isLeft = (await areThere(t, ids)).includes(true);
  t.expect(!isLeft, `batchDelete ${form}: both files must be deleted`, deletion);
}

/** Fields that no operation has, and names that careless code handles badly. */
const UNKNOWN = {
  unknown: 'text',
  more: [{ a: null }],
  constructor: 'text',
  toString: 1,
  '': true,
};

export const storageCalls: readonly Check[] = [
  defineFaultCheck('ST-PATH/1', 'operation', 'exist at its path'),
  defineCheck('ST-PATH/2', [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const name = operation + SUFFIXES[operation];
      const reply = await t.storage.call(name, fields[operation], { acceptsRefusal: true });
      expectRefused(t, reply, `storages:${name}`);
    }
  }),
  defineFaultCheck('ST-POST/1', 'method', 'accept POST'),
  defineCheck('ST-POST/2', [], async (t) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const query = toQuery(fields[operation]);
      const options = { method: 'GET', query, acceptsRefusal: true };
      const reply = await t.storage.call(operation, {}, options);
      expectRefused(t, reply, `GET ${operation} with its fields in the query`);
    }
  }),
  defineCheck('ST-REQUEST/1', [], async (t) => {
    const fields = await reachGoodFields(t);
    const spellings = toSpellings((operation) => t.storage.body(fields[operation]));
    for (const [operation, what, options] of spellings) {
      const all = { ...options, acceptsRefusal: true };
      const reply = await t.storage.call(operation, fields[operation], all);
      expectAccepted(t, reply, `a ${operation} body ${what}`);
    }
  }),
  defineCheck('ST-REQUEST/2', [], expectOneForm),
  defineCheck('ST-REQUEST/3', needsFiles, expectFormsAlike),
  defineCheck('ST-UNKNOWN-FIELDS', [], async (t) => {
    const fields = await reachGoodFields(t);
    const calls: [StorageOperation, string, object][] = STORAGE_OPERATIONS.map((operation) => [
      operation,
      'next to the fields',
      { ...UNKNOWN, ...fields[operation] },
    ]);
    for (const operation of ['batchGetTempUrls', 'batchCopyFile'] as const) {
      const [item] = fields[operation].fileList;
      calls.push([operation, 'in an item', { fileList: [{ ...item, ...UNKNOWN }] }]);
    }
    const names = Object.keys(UNKNOWN).map((name) => JSON.stringify(name));
    for (const [operation, place, request] of calls) {
      const reply = await t.storage.call(operation, request, { acceptsRefusal: true });
      expectAccepted(t, reply, `${operation} with ${names.join(', ')} ${place}`);
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
