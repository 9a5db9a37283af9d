import { DisabledError, SkipError } from '../errors.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { entryOf, isSuccess, linkOf } from '../http/read-response.ts';
import { toFields } from '../json.ts';
import { quoteText } from '../results/redact.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import type { StorageCallOptions, StorageOperation } from '../run/clients.ts';
import { postForm, toFormFields, toItems } from '../run/files.ts';
import {
  expectAccepted,
  expectRejected,
  makeValidFields,
  needsFiles,
  type ValidFields,
} from './storage-calls.ts';

type CallArguments = [operation: string, fields: object, options?: StorageCallOptions];

type ToCalls = (valid: ValidFields, t: CheckContext) => CallArguments[];

/** Defines a check that expects calls to be accepted, in the form that `prepare` detected. */
const defineAccepted = (id: SentenceId, toCalls: ToCalls): Check =>
  defineCheck(id, [], async (t) => {
    for (const call of toCalls(await makeValidFields(t), t))
      expectAccepted(t, await t.storage.call(...call));
  });

/** Defines a check that expects calls to be rejected; `ST-RESPONSE` is about the format of the responses. */
const defineRejection = (id: SentenceId, toCalls: ToCalls): Check =>
  defineCheck(id, [], async (t) => {
    for (const [operation, fields, options = {}] of toCalls(await makeValidFields(t), t)) {
      const reply = await t.storage.call(operation, fields, options);
      expectRejected(t, reply);
      const { body } = options;
      const { status } = reply.received;
      // D30: an invalid body never causes a 5xx.
      const message = `a body must not cause a ${status}: ${quoteText(body)}`;
      if (body !== undefined) t.expect(status < 500, message, reply);
    }
  });

/** Other ways to send the same JSON value (RFC 8259), and types with and without parameters. */
function toSpellings(
  toBody: (operation: StorageOperation) => string,
): [StorageOperation, StorageCallOptions][] {
  const indented = JSON.stringify(JSON.parse(toBody('batchDelete')), null, 2);
  const withType = (type: string): StorageCallOptions => ({ headers: { 'Content-Type': type } });
  return [
    ['getUploadMetaData', withType('application/json; charset=utf-8')],
    ['batchDelete', withType('application/json; charset=utf-8')],
    ['batchGetTempUrls', withType('Application/JSON')],
    ['batchCopyFile', withType('application/json;charset="UTF-8"; a=b')],
    ['batchDelete', { body: ` \t\r\n${indented}\n` }],
    ['getUploadMetaData', { body: toBody('getUploadMetaData').replace('path', 'p\\u0061th') }],
    ['batchCopyFile', { body: toBody('batchCopyFile').replaceAll('/', '\\/') }],
  ];
}

function toCopies({ files }: CheckContext) {
  const options = [undefined, true, false];
  const copies = options.flatMap((overwrite) =>
    options.map((removeOriginal) => {
      const to = `sample.txt.copy.${overwrite}.${removeOriginal}`;
      return { from: 'sample.txt', to, overwrite, removeOriginal };
    }),
  );
  return files.toCopyItems(copies);
}

/** Fields that no operation has, and names that careless code handles badly. */
const UNUSED = { unknown: 'text', more: [{ a: null }], constructor: 'text', toString: 1, '': true };

/** Deep enough for a recursive parser. */
const DEPTH = 10_000;
const DEEP = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

/**
 * Returns invalid variants of a JSON text. Not included: a byte order mark, which RFC 8259 allows a parser to
 * ignore; bytes that are not UTF-8, which many parsers replace; and duplicate names, which are valid JSON.
 */
const toInvalidJson = (text: string): string[] => [
  '',
  'path=a.txt',
  text + text,
  text.slice(0, -1),
  `${text}x`,
  text.replace(/\}$/, ',}'),
  text.replace(/"(\w+)":/g, '$1:'),
  text.replaceAll('"', "'"),
  '['.repeat(DEPTH),
];

/** Values of other types, for each JSON type: some that a lax server mistakes for it, or that end in a 5xx. */
const MISTYPED: Record<string, (value: unknown) => unknown[]> = {
  string: (value) => [1, null, [value], {}],
  number: () => ['60', true, null],
  boolean: () => ['false', 1, null],
  array: (value) => ['', {}, null, [value].flat()[0]],
  object: (value) => ['text', null, [value]],
};

/** Returns variants of a value, each of which has one value of another JSON type. */
function toMistyped(value: unknown): unknown[] {
  const mistyped = MISTYPED[Array.isArray(value) ? 'array' : typeof value]?.(value) ?? [];
  // Code that looks only at the first item misses a later one.
  if (Array.isArray(value))
    return [...mistyped, ...toMistyped(value[0]).flatMap((item) => [[item], [value[0], item]])];
  if (typeof value === 'string') return mistyped;
  const objects = Object.entries(toFields(value)).flatMap(([name, field]) =>
    toMistyped(field).map((variant) => ({ ...Object(value), [name]: variant })),
  );
  return [...mistyped, ...objects];
}

const REQUIRED = ['path', 'fileList', 'fileID', 'srcPath', 'dstPath'];

/** Returns variants of an object, each without one of the required fields. */
const withoutField = (fields: object): object[] =>
  REQUIRED.filter((name) => name in fields).map((name) => ({ ...fields, [name]: undefined }));

/** The same for the items of a list: the incomplete one alone, after a complete one and before one. */
const toIncompleteItems = ({ fileList: [item] = [] }: { fileList?: unknown[] }): object[] =>
  withoutField(toFields(item)).flatMap((incomplete) =>
    [[incomplete], [item, incomplete], [incomplete, item]].map((fileList) => ({ fileList })),
  );

const toQuery = (fields: object): string => {
  const values = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)];
  });
  return `${new URLSearchParams(Object.fromEntries(values))}`;
};

const withBodies = (valid: Record<string, object>, toBodies: (fields: object) => string[]) =>
  Object.entries(valid).flatMap(([operation, fields]) =>
    toBodies(fields).map((body): CallArguments => [operation, {}, { body }]),
  );

type WrongCall = [operation: string, fileList: unknown, options?: StorageCallOptions];

export const storageRequests: readonly Check[] = [
  defineAccepted('ST-PATH/1', (valid) => Object.entries(valid)),
  defineAccepted('ST-REQUEST/1', (valid, t) =>
    toSpellings((operation) => t.storage.body(valid[operation])).map(([operation, options]) => {
      return [operation, valid[operation], options];
    }),
  ),
  defineAccepted('ST-REQUEST/2', (valid, t) => [
    ...Object.entries(valid),
    ['batchCopyFile', { fileList: toCopies(t) }],
  ]),
  defineAccepted('ST-UNKNOWN-FIELDS', (valid) => {
    const [link] = valid.batchGetTempUrls.fileList;
    const [copy] = valid.batchCopyFile.fileList;
    return [
      ...STORAGE_OPERATIONS.map((name): CallArguments => [name, { ...UNUSED, ...valid[name] }]),
      ['batchGetTempUrls', { fileList: [{ ...link, ...UNUSED }] }],
      ['batchCopyFile', { fileList: [{ ...copy, ...UNUSED }] }],
    ];
  }),
  defineAccepted('ST-META-CALL', (_, t) =>
    ['file.txt', 'level/deeper/file', 'file.txt'].map((name) => {
      return ['getUploadMetaData', { path: t.files.path(name) }];
    }),
  ),
  // What lenient routers ignore after the name of an operation.
  defineRejection('ST-PATH/2', (valid) =>
    Object.entries(valid).flatMap(([operation, fields]): CallArguments[] => [
      [`${operation}X`, fields],
      [`${operation}.json`, fields],
    ]),
  ),
  defineRejection('ST-PATH/3', (valid) =>
    Object.entries(valid).map(([operation, fields]) => {
      return [operation, {}, { method: 'GET', query: toQuery(fields) }];
    }),
  ),
  defineRejection('ST-INVALID/1', (valid, t) =>
    withBodies(valid, (fields) => toInvalidJson(t.storage.body(fields))),
  ),
  defineRejection('ST-INVALID/2', (valid, t) =>
    withBodies(valid, (fields) =>
      [...withoutField(fields), ...toIncompleteItems(fields)].map(t.storage.body),
    ),
  ),
  defineRejection('ST-INVALID/3', (valid, t) => {
    const [{ fileID }] = valid.batchGetTempUrls.fileList;
    const batchGetTempUrls = { fileList: [{ fileID, maxAge: t.storage.maxAge(600) }] };
    const toBodies = (fields: object) => [...toMistyped(fields).map(t.storage.body), DEEP];
    return withBodies({ ...valid, batchGetTempUrls }, toBodies);
  }),
  defineCheck('ST-REQUEST/3', needsFiles, async (t) => {
    const { requestForm, nameOf } = t.run.settings;
    if (requestForm !== undefined) {
      throw new DisabledError(`only the form in ${nameOf('requestForm')} is checked`);
    }
    const form = t.run.deployment.requestForm === 'top' ? 'data' : 'top';
    const call = async (operation: StorageOperation, fields: object) => {
      const reply = await t.storage.call(operation, fields, { form });
      if (reply.rejected) throw new DisabledError(`${operation} accepts only one form of requests`);
      return reply;
    };
    const { files } = t;
    await call('getUploadMetaData', { path: files.path('uploaded.txt') });
    const grant = await files.grant('uploaded.txt', form);
    const bytes = Buffer.from('uploaded with a grant from the other form');
    const reply = await postForm(t, grant, toFormFields(t.run, grant, bytes));
    const rejected = 'a form with a grant from a call in the other form must be accepted';
    t.expect(reply.isAccepted, rejected, reply);
    await files.storeAll(['moved.txt', 'kept.txt']);
    const fileList = files.toCopyItems([
      { from: 'uploaded.txt', to: 'copied.txt' },
      { from: 'moved.txt', to: 'moved.to', removeOriginal: true },
      { from: 'uploaded.txt', to: 'kept.txt', overwrite: false },
    ]);
    await call('batchCopyFile', { fileList });
    await t.expectContents('after batchCopyFile in the other form', {
      'copied.txt': bytes,
      'moved.to': files.contentOf('moved.txt'),
      'moved.txt': undefined,
      'kept.txt': files.contentOf('kept.txt'),
    });
    const ids = [grant.fileId, ...(await files.ids('kept.txt'))];
    const links = await call('batchGetTempUrls', { fileList: toItems(ids) });
    const linked = links.entries?.filter(isSuccess).length;
    t.expect(linked === 2, `batchGetTempUrls must return 2 links, not ${linked}`, links);
    await call('batchDelete', { fileList: ids });
    await t.expectGone('after batchDelete in the other form', 'uploaded.txt', 'kept.txt');
  }),
  defineCheck('ST-REFUSED-UNDONE', needsFiles, async (t) => {
    await t.files.storeReadable(['kept.txt']);
    const ids = await t.files.ids('kept.txt', 'never.txt');
    const [fileId] = ids;
    const [item = {}] = t.files.toCopyItems([{ from: 'kept.txt', to: 'never.txt' }]);
    const move = { ...item, removeOriginal: true };
    const incomplete = { ...item, dstPath: undefined };
    const trailing = { body: `${t.storage.body({ fileList: [fileId] })}x` };
    const calls: Record<string, WrongCall> = {
      'a deletion without credentials': ['batchDelete', [fileId], { credentials: 'none' }],
      'a deletion with a number after a file ID': ['batchDelete', [fileId, 1]],
      'a deletion with characters after the JSON': ['batchDelete', [], trailing],
      'a move for another environment': ['batchCopyFile', [move], { env: t.run.uniqueName() }],
      'a move followed by an item without dstPath': ['batchCopyFile', [move, incomplete]],
    };
    for (const [what, [operation, fileList, options]] of Object.entries(calls)) {
      const reply = await t.storage.call(operation, { fileList }, options);
      // Other rules cover a call that is not rejected.
      if (!reply.rejected) throw new SkipError(`${what} is not rejected`);
      const { entries } = await t.storage.list('batchGetTempUrls', toItems(ids));
      const [isKept, isCreated] = ids.map((id) => linkOf(entryOf(entries, id)) !== undefined);
      const rejected = `${what} was rejected with ${reply.received.status}`;
      t.expect(isKept === true, `${rejected}, but the file that it names is gone`, reply);
      t.expect(!isCreated, `${rejected}, but a file was created at its destination`, reply);
      if (!isKept || isCreated) return;
    }
  }),
];
