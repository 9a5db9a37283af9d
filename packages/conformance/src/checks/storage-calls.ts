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
import {
  areThere,
  expectAccepted,
  expectAt,
  expectBytes,
  expectNothing,
  expectRefused,
  type GoodFields,
  makeGoodFields,
  needsFiles,
  reachGoodFields,
  toCopyItems,
} from './stored-files.ts';

/** Statuses that mean that a method is not supported (RFC 9110, sections 15.5.6 and 15.6.2). */
const METHOD_REFUSED = new Set([405, 501]);

/**
 * Why a valid POST is not accepted: because of its method, because there seems to be no such operation, or
 * otherwise.
 */
type Fate = 'accepted' | 'method' | 'no operation' | 'refused';

async function callGood(
  t: CheckContext,
  operation: StorageOperation,
  fields: GoodFields,
): Promise<{ reply: StorageReply; fate: Fate }> {
  const options = { acceptsRefusal: true };
  const reply = await t.storage.call(operation, fields[operation], options);
  if (!reply.refused) return { reply, fate: 'accepted' };
  if (METHOD_REFUSED.has(reply.received.status)) return { reply, fate: 'method' };
  const unknown = await t.storage.call(t.uniqueName(), fields[operation], options);
  const isAlike = unknown.received.status === reply.received.status && unknown.code === reply.code;
  return { reply, fate: isAlike ? 'no operation' : 'refused' };
}

/** Defines a check that no valid call is rejected in one way. Other refusals are covered by other rules. */
const defineFateCheck = (rule: SentenceId, bad: Fate, wanted: string): Check =>
  defineCheck(rule, [], async (t: CheckContext) => {
    const fields = await makeGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const { reply, fate } = await callGood(t, operation, fields);
      const came = `but the response was ${reply.received.status}`;
      t.expect(fate !== bad, `${operation} must ${wanted}, ${came}`, reply);
      const isElsewhere = fate !== 'accepted' && fate !== bad;
      t.reach(!isElsewhere, `a valid call to ${operation} was rejected, ${came}`);
    }
  });

const ENDINGS = ['X', 'XYZ', 's', '2', '_v2', '.json'];

const FORMS: Record<RequestForm, string> = { top: 'at the top level', data: 'inside data' };

async function listRefused(
  t: CheckContext,
  form: RequestForm,
  fields: GoodFields,
): Promise<{ what: string; reply: StorageReply }[]> {
  const refused: { what: string; reply: StorageReply }[] = [];
  for (const operation of STORAGE_OPERATIONS) {
    const body = JSON.stringify(toForm(fields[operation], form));
    const reply = await t.storage.call(operation, {}, { body, acceptsRefusal: true });
    const what = `${operation} ${FORMS[form]} with ${reply.received.status} ${reply.code ?? ''}`;
    if (reply.refused) refused.push({ what: what.trim(), reply });
  }
  return refused;
}

/** Returns valid requests with one to three items, and with each combination of optional fields. */
async function listValid(t: CheckContext): Promise<[StorageOperation, object][]> {
  const [first, second, third] = ['first.txt', 'second.txt', 'third.txt'].map((name) =>
    t.storage.path(`missing-${name}`),
  ) as [string, string, string];
  const ids: string[] = [];
  for (const path of [first, second, third]) ids.push(await t.upload.fileIdOf(path));
  const lists = [ids.slice(0, 1), ids.slice(0, 2), ids];
  const toCopies = (more: object): object[] => [
    ...toCopyItems(t, [{ from: first, to: second, ...more }]),
    ...toCopyItems(t, [{ from: second, to: third }]),
    ...toCopyItems(t, [{ from: third, to: first, ...more }]),
  ];
  const choices = [{}, { overwrite: true }, { overwrite: false }].flatMap((overwrite) =>
    [{}, { removeOriginal: true }, { removeOriginal: false }].map((removeOriginal) => ({
      ...{ ...overwrite, ...removeOriginal },
    })),
  );
  const requests: Record<StorageOperation, object[]> = {
    getUploadMetaData: [{ path: first }, { path: `${third}/level/a` }],
    batchGetTempUrls: lists.map((list) => ({ fileList: list.map((fileID) => ({ fileID })) })),
    batchDelete: lists.map((fileList) => ({ fileList })),
    batchCopyFile: choices.flatMap((choice) => {
      const copies = toCopies(choice);
      return [{ fileList: copies.slice(0, 1) }, { fileList: copies }];
    }),
  };
  return STORAGE_OPERATIONS.flatMap((operation) =>
    requests[operation].map((request): [StorageOperation, object] => [operation, request]),
  );
}

/** Expects whatever the schemas allow to be accepted, in any combination. */
async function sendValid(t: CheckContext, form: RequestForm): Promise<void> {
  t.expect(true, `all four operations accept fields ${FORMS[form]}`);
  for (const [operation, request] of await listValid(t)) {
    const body = JSON.stringify(toForm(request, form));
    const reply = await t.storage.call(operation, {}, { body, acceptsRefusal: true });
    expectAccepted(t, reply, `${operation} with fields ${FORMS[form]}`);
  }
}

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"; a=b',
  'Application/JSON',
];

/** Returns other serializations of the same JSON value (RFC 8259). */
function spell(json: string): Record<string, string> {
  return {
    'with line breaks and spaces': ` \t\r\n${JSON.stringify(JSON.parse(json), null, 2)}\n`,
    'with escaped slashes': json.replaceAll('/', '\\/'),
    'with escaped letters': json
      .replaceAll('sample', '\\u0073ample')
      .replaceAll('path', 'p\\u0061th'),
  };
}

/** Fields that no operation has, of each JSON type, and names that careless code handles badly. */
const UNKNOWN: readonly Record<string, unknown>[] = [
  { unknown: 'text' },
  { unknown: 1, other: [true, null], more: { a: {} } },
  { constructor: 'text', toString: 1 },
  { 'a.b c/中': null, '': '' },
];

/** Expects unknown fields to be ignored. Reports at most one finding for each place. */
async function expectIgnored(
  t: CheckContext,
  operation: StorageOperation,
  place: string,
  add: (unknown: object) => object,
): Promise<void> {
  for (const unknown of UNKNOWN) {
    const reply = await t.storage.call(operation, add(unknown), { acceptsRefusal: true });
    const names = Object.keys(unknown).map((name) => JSON.stringify(name));
    const { status } = reply.received;
    const came = `rejected with ${status} ${reply.code}`;
    const what = `${operation}: ${names.join(', ')} ${place}`;
    t.expect(!reply.refused, `${what} must be ignored, but the call was ${came}`);
    if (reply.refused) return;
  }
}

/** Makes calls in the form that a run does not use otherwise, if the deployment accepts both. */
async function expectFormsAlike(t: CheckContext): Promise<void> {
  t.apply(t.settings.requestForm === undefined, 'only the form in --request-form is checked');
  const call = (operation: StorageOperation, fields: object) =>
    t.storage.call(operation, fields, { isOtherForm: true, acceptsRefusal: true });
  const path = t.storage.path('form.txt');
  if ((await call('getUploadMetaData', { path })).refused) {
    t.expect(true, 'there is no other form');
    return t.note('The deployment accepts only one form of requests.');
  }
  const form = t.storage.body({}, true).includes('data') ? 'inside data' : 'at the top level';
  const given = await t.upload.grant(path, true);
  const bytes = Buffer.from('uploaded with a grant from the other form');
  const reply = await t.upload.post(given, t.upload.fields(given, bytes));
  const stored = `getUploadMetaData ${form}: a form with the grant must be stored at the path`;
  t.expect(reply.isAccepted, `${stored}, but the response was ${reply.received.status}`, reply);
  await expectAt(t, path, bytes, `getUploadMetaData ${form}: the file`);

  const copied = await t.upload.store('copied.txt');
  const moved = await t.upload.store('moved.txt');
  const kept = await t.upload.store('kept.txt');
  const [copyPath, movePath] = [`${copied.path}.copy`, `${moved.path}.moved`];
  const items = toCopyItems(t, [
    { from: copied.path, to: copyPath },
    { from: moved.path, to: movePath, removeOriginal: true },
    { from: copied.path, to: kept.path, overwrite: false },
  ]);
  const copies = await call('batchCopyFile', { fileList: items });
  if (copies.refused) return t.note('Only one form of copy calls is accepted.');
  const what = `batchCopyFile ${form}`;
  await expectAt(t, copyPath, copied.bytes, `${what}: the first destination`);
  await expectAt(t, movePath, moved.bytes, `${what}: the second destination`);
  expectNothing(t, await t.upload.read(moved.fileId), `${what}: the source of the move`);
  const unchanged = `${what}: the existing destination of an item with overwrite false`;
  expectBytes(t, await t.upload.read(kept.fileId), kept.bytes, unchanged);

  const ids = [copied, kept].map(({ fileId }) => fileId);
  const links = await call('batchGetTempUrls', { fileList: ids.map((fileID) => ({ fileID })) });
  if (links.refused) return t.note('Only one form of calls for links is accepted.');
  const linked = links.entries?.filter(({ code }) => code === 'SUCCESS').length;
  const both = `batchGetTempUrls ${form}: both files must get links, not ${linked}`;
  t.expect(linked === 2, both, links);
  const empty = await call('batchDelete', {});
  t.expect(empty.refused, `batchDelete ${form} without fileList must be rejected`, empty);
  const deletion = await call('batchDelete', { fileList: ids });
  if (deletion.refused) return t.note('Only one form of deletions is accepted.');
  const isLeft = (await areThere(t, ids)).includes(true);
  t.expect(!isLeft, `batchDelete ${form}: both files must be deleted`, deletion);
}

export const storageCalls: readonly Check[] = [
  defineFateCheck('ST-PATH/1', 'no operation', 'exist at its path'),
  defineCheck('ST-PATH/2', [], async (t) => {
    const fields = await reachGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      for (const ending of ENDINGS) {
        const name = operation + ending;
        const reply = await t.storage.call(name, fields[operation], { acceptsRefusal: true });
        expectRefused(t, reply, `storages:${name}`);
      }
    }
  }),
  defineFateCheck('ST-POST/1', 'method', 'accept POST'),
  defineCheck('ST-POST/2', [], async (t) => {
    const fields = await reachGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const plain = { method: 'GET', acceptsRefusal: true };
      const reply = await t.storage.call(operation, {}, plain);
      expectRefused(t, reply, `GET ${operation}`);
      const query = Object.entries(fields[operation]).map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return `${name}=${encodeURIComponent(text)}`;
      });
      const { url } = reply.sent;
      const target = `${url.slice(new URL(url).origin.length)}?${query.join('&')}`;
      const asked = await t.storage.call(operation, {}, { ...plain, target });
      expectRefused(t, asked, `GET ${operation} with its fields in the query`);
    }
  }),
  defineCheck('ST-REQUEST/1', [], async (t) => {
    const fields = await reachGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const call = async (what: string, options: StorageCallOptions) => {
        const all = { ...options, acceptsRefusal: true };
        const reply = await t.storage.call(operation, fields[operation], all);
        expectAccepted(t, reply, `a ${operation} body ${what}`);
      };
      for (const type of TYPES)
        await call(`of type ${type}`, { headers: { 'Content-Type': type } });
      for (const [spelling, body] of Object.entries(spell(t.storage.body(fields[operation])))) {
        await call(spelling, { body });
      }
      await call('that arrives in two pieces', { isSlow: true });
    }
  }),
  defineCheck('ST-REQUEST/2', [], async (t: CheckContext) => {
    const fields = await makeGoodFields(t);
    const { requestForm } = t.settings;
    const forms = requestForm ? [requestForm] : REQUEST_FORMS;
    const refusals: string[] = [];
    let last: StorageReply | undefined;
    for (const form of forms) {
      const refused = await listRefused(t, form, fields);
      last = refused.at(-1)?.reply ?? last;
      if (refused.length === 0) return sendValid(t, form);
      refusals.push(...refused.map(({ what }) => what));
    }
    for (const operation of STORAGE_OPERATIONS) {
      const { fate } = await callGood(t, operation, fields);
      const isThere = fate === 'accepted' || fate === 'refused';
      t.reach(isThere, `${operation} does not exist, or does not accept POST`);
    }
    const tried = forms.map((form) => `fields ${FORMS[form]}`).join(' or ');
    const message = `all four operations must accept ${tried}; rejected: ${refusals.join(', ')}`;
    t.expect(false, message, last);
  }),
  defineCheck('ST-REQUEST/3', needsFiles, expectFormsAlike),
  defineCheck('ST-UNKNOWN-FIELDS', [], async (t) => {
    const fields = await reachGoodFields(t);
    for (const operation of STORAGE_OPERATIONS) {
      const good = fields[operation];
      const beside = (unknown: object) => ({ ...unknown, ...good });
      await expectIgnored(t, operation, 'next to the fields', beside);
      const [item] = Array.isArray(good.fileList) ? good.fileList : [];
      if (typeof item !== 'object') continue;
      const inside = (unknown: object) => ({ fileList: [{ ...item, ...unknown }] });
      await expectIgnored(t, operation, 'in an item', inside);
    }
  }),
];
