import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import {
  STORAGE_OPERATIONS,
  type StorageCallOptions,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import { isNamed, readAll, withHeaders } from '../http/exchange.ts';
import { isClosed } from '../http/faults.ts';
import { claimRefusal } from '../invariants.ts';
import { areThere, needsFiles, toCopyItems } from './stored-files.ts';
import { changeLetters } from './support/credentials.ts';
import {
  isWrongType,
  JSON_TYPES,
  type JsonType,
  listRequestPlaces,
  type RequestPlace,
  readRequestSchema,
  replaceAt,
  sampleRequest,
  spellPlace,
  spellType,
} from './support/requests.ts';

function callWrongly(
  t: CheckContext,
  operation: StorageOperation,
  body: string,
): Promise<StorageReply> {
  return t.storage.call(operation, {}, { body, acceptsRefusal: true });
}

/**
 * Checks the response to an invalid body.
 *
 * @param what describes the body: `batchDelete, the body is an array`
 */
function expectRefusal(t: CheckContext, reply: StorageReply, what: string): void {
  for (const [holds, message] of claimRefusal(reply)) t.expect(holds, `${what}: ${message}`, reply);
}

const SIZE = 262_144;

/** Statuses of a server in front of the API, which may not know about the envelope. */
const TOO_LARGE = 413;

/** Sends 256 KiB of text instead of a list. Size limits are not specified, so any refusal will do. */
async function expectLargeRefused(t: CheckContext, operation: StorageOperation): Promise<void> {
  const what = `${operation} with a string of ${SIZE} bytes as fileList`;
  let reply: StorageReply;
  try {
    reply = await callWrongly(t, operation, t.storage.body({ fileList: 'a'.repeat(SIZE) }));
  } catch (error) {
    // A connection that is closed while a large body is still being sent counts as a refusal.
    if (isClosed(error)) return;
    throw error;
  }
  if (reply.received.status === TOO_LARGE) return;
  expectRefusal(t, reply, what);
}

/** Deep enough for a recursive parser. */
const DEPTH = 10_000;

function toText(t: CheckContext, operation: StorageOperation): string {
  return t.storage.body(sampleRequest(t, operation));
}

/**
 * Not included: a byte order mark, which RFC 8259 allows a parser to ignore; bytes that are not UTF-8, which
 * many parsers replace; and duplicate names, which are valid JSON.
 */
async function sendBroken(t: CheckContext, operation: StorageOperation): Promise<void> {
  const text = toText(t, operation);
  const number = t.storage.maxAge(60);
  const bodies: Record<string, string> = {
    nothing: '',
    'only spaces': '  \n',
    'a word': 'nothing',
    'a form': 'path=a.txt&fileList=a.txt',
    XML: '<request><path>a.txt</path></request>',
    'JSON truncated in the middle': text.slice(0, Math.floor(text.length / 2)),
    'JSON without its last character': text.slice(0, -1),
    'JSON without its first character': text.slice(1),
    'JSON without its first colon': text.replace(':', ''),
    'JSON without its first quotation mark': text.replace('"', ''),
    'JSON with a bracket too many': text.replace('{', '{{'),
    'JSON with a stray control character': text.replace('{', '{\0'),
    'trailing characters': `${text}x`,
    'two bodies': text + text,
    'a trailing comma': text.replace(/\}$/, ',}'),
    'single quotes': text.replaceAll('"', "'"),
    'unquoted names': text.replace(/"(\w+)":/g, '$1:'),
    'a comment': `${text}// end`,
    'a line break inside a string': text.replace('sample', 'sam\nple'),
    'an unknown escape': text.replace('sample', '\\x73ample'),
    [`${DEPTH} unclosed brackets`]: '['.repeat(DEPTH),
    [`${DEPTH} unclosed objects`]: '{"a":'.repeat(DEPTH),
  };
  if (operation === 'batchGetTempUrls') {
    for (const word of ['NaN', 'Infinity', '0x3C', '060', '.5']) {
      bodies[`${word} for a number`] = text.replace(`:${number}`, `:${word}`);
    }
  }
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(t, reply, `${operation} with a body that is not JSON (${what})`);
  }
}

async function sendWithoutEach(t: CheckContext, operation: StorageOperation): Promise<void> {
  const [required = ''] = readRequestSchema(operation).required;
  const others = required === 'path' ? sampleRequest(t, 'batchDelete') : { path: 'a.txt' };
  const sample = sampleRequest(t, operation);
  const inherited = JSON.parse(`{"__proto__":${JSON.stringify(sample)}}`);
  const bodies = {
    'an empty object': '{}',
    'an empty request in the form that the deployment accepts': t.storage.body({}),
    'an empty object as data': '{"data":{}}',
    'a field of another operation': t.storage.body(others),
    'an unknown field': t.storage.body({ unknown: 1 }),
    'fields with similar names': t.storage.body({
      ...{ [`${required}s`]: sample[required], [` ${required}`]: sample[required] },
    }),
    'values of each type': t.storage.body({ '': null, a: true, b: 'text', c: [[]], d: {} }),
    'the fields inside another field': t.storage.body({ fields: sample }),
    'the fields inside __proto__': t.storage.body(inherited),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(t, reply, `${operation} without ${required} (${what})`);
  }
}

/**
 * Returns a value of a type, namely the one that a lax server most easily mistakes for a valid one: `"60"`
 * for a number, an object with a string field for a string.
 *
 * @param place the type that the contract requires
 * @param text a text that the field could contain
 */
function toLaxValue(type: JsonType, place: JsonType, text: string): unknown {
  const texts: Partial<Record<JsonType, string>> = { number: '60', boolean: 'true' };
  const values: Record<JsonType, unknown> = {
    object: { path: text, fileID: text },
    array: place === 'object' ? [] : [text],
    string: texts[place] ?? text,
    number: 1,
    boolean: true,
    null: null,
  };
  return values[type];
}

/** Values that count as absent in many languages. */
const EMPTY: Record<JsonType, unknown> = {
  ...{ object: {}, array: [], string: '', number: 0, boolean: false, null: null },
};

/**
 * Yields every place with every wrong type; for lists, the second item, because code that looks only at the
 * first misses it.
 */
async function sendMistyped(t: CheckContext, operation: StorageOperation): Promise<void> {
  const request = sampleRequest(t, operation);
  const text = t.storage.path('sample.txt');
  const places = listRequestPlaces(readRequestSchema(operation), request);
  for (const place of places.filter(({ path }) => !path.includes(0))) {
    for (const type of JSON_TYPES.filter((one) => isWrongType(place, one))) {
      const fault = `${operation} with ${spellPlace(place.path)} as ${spellType(type)}`;
      const isBody = place.path.length === 0;
      const bodies = [toLaxValue(type, place.type, text), EMPTY[type]].flatMap((value) => {
        const fields = replaceAt(request, place.path, value);
        // Something that is not an object is wrong in both forms of a request.
        return [t.storage.body(fields), ...(isBody ? [JSON.stringify(fields)] : [])];
      });
      for (const body of new Set(bodies)) {
        expectRefusal(t, await callWrongly(t, operation, body), fault);
      }
    }
  }
  const item = places.find(({ path }) => path.at(-1) === 1);
  if (item) await sendMistypedItems(t, operation, request, item);
}

/** Expects a wrong item to be rejected where it is the only one, and where it is the last of three. */
async function sendMistypedItems(
  t: CheckContext,
  operation: StorageOperation,
  request: object,
  { path, type: right, required }: RequestPlace,
): Promise<void> {
  const [field = ''] = path;
  const [first, second] = Object(request)[field];
  for (const type of JSON_TYPES.filter((one) => isWrongType({ type: right, required }, one))) {
    const wrong = toLaxValue(type, right, t.storage.path('sample.txt'));
    for (const list of type === 'number' ? [[wrong], [first, second, wrong]] : [[wrong]]) {
      const body = t.storage.body({ ...request, [field]: list });
      const place = spellPlace([field, list.length - 1]);
      const fault = `${operation} with ${place} of ${list.length} as ${spellType(type)}`;
      expectRefusal(t, await callWrongly(t, operation, body), fault);
    }
  }
}

/** Lists that are nested so deeply that careless code ends in a 5xx. */
async function sendNested(t: CheckContext, operation: StorageOperation): Promise<void> {
  const [field = ''] = readRequestSchema(operation).required;
  const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const body = t.storage.body({ [field]: 'DEEP' }).replace('"DEEP"', deep);
  for (const [place, text] of Object.entries({ [field]: body, 'the body': deep })) {
    const reply = await callWrongly(t, operation, text);
    const what = `${operation} with an array nested ${DEPTH} levels deep as ${place}`;
    expectRefusal(t, reply, what);
  }
}

async function ofEach(send: (operation: StorageOperation) => Promise<void>): Promise<void> {
  await Promise.all(STORAGE_OPERATIONS.map(send));
}

/** The files that rejected calls try to change. */
interface Victims {
  /** A file that must stay. */
  path: string;
  fileId: string;
  /** A path at which no file must appear. */
  to: string;
}

type WrongCall = [operation: string, fileList: unknown, options?: StorageCallOptions];

/** Returns calls that every deployment must reject as a whole, keyed by description. */
async function toWrongCalls(t: CheckContext, victims: Victims): Promise<Record<string, WrongCall>> {
  const { path, fileId, to } = victims;
  const { env, storageUrl, wireProfile } = t.settings;
  const { authorization } = wireProfile.storageHeaders;
  const credentials = await t.storage.credentials();
  const [value = ''] = readAll(credentials, authorization);
  const wrong = withHeaders(credentials, [[authorization, changeLetters(value, -8)]]);
  const unsigned = credentials.filter(([name]) => !isNamed(name, authorization));
  const other = { env: t.uniqueName() };
  const [item = {}] = toCopyItems(t, [{ from: path, to }]);
  const { srcPath, dstPath } = Object(item);
  const moves = [{ ...item, removeOriginal: true }];
  const asQuery = (operation: string, fileList: unknown): WrongCall => {
    const base = new URL(storageUrl).pathname.replace(/\/+$/, '');
    const query = `fileList=${encodeURIComponent(JSON.stringify(fileList))}`;
    const target = `${base}/api/v2/envs/${env}/storages:${operation}?${query}`;
    return [operation, undefined, { method: 'GET', target }];
  };
  const trailing = { body: `${t.storage.body({ fileList: [fileId] })}x` };
  return {
    'a deletion without credentials': ['batchDelete', [fileId], { credentials: 'none' }],
    'a deletion with wrong credentials': ['batchDelete', [fileId], { credentials: wrong }],
    [`a deletion without ${authorization}`]: ['batchDelete', [fileId], { credentials: unsigned }],
    'a deletion for another environment': ['batchDelete', [fileId], other],
    'a deletion with GET': asQuery('batchDelete', [fileId]),
    'storages:batchDeleteX': ['batchDeleteX', [fileId]],
    'a deletion with a number after a file ID': ['batchDelete', [fileId, 1]],
    'a deletion of a file ID instead of a list': ['batchDelete', fileId],
    'a deletion with characters after the JSON': ['batchDelete', [], trailing],
    'a copy without credentials': ['batchCopyFile', [item], { credentials: 'none' }],
    'a copy with wrong credentials': ['batchCopyFile', [item], { credentials: wrong }],
    'a move for another environment': ['batchCopyFile', moves, other],
    'a copy with GET': asQuery('batchCopyFile', [item]),
    'storages:batchCopyFile.json': ['batchCopyFile.json', [item]],
    'a copy with an item without srcPath at its end': ['batchCopyFile', [item, { dstPath }]],
    'a copy with an item without dstPath at its start': ['batchCopyFile', [{ srcPath }, item]],
    'a copy with a number as overwrite in its second item': [
      'batchCopyFile',
      [item, { ...item, overwrite: 1 }],
    ],
  };
}

async function makeVictims(t: CheckContext, name: string): Promise<Victims> {
  const { path, fileId } = await t.upload.store(`${name}.txt`);
  return { path, fileId, to: `${path}.never` };
}

/** Returns what the rejected calls have changed; `undefined` if nothing. */
async function findChange(t: CheckContext, { fileId, to }: Victims): Promise<string | undefined> {
  const [isKept, isMade] = await areThere(t, [fileId, await t.upload.fileIdOf(to)]);
  if (!isKept) return 'the file that it names is gone';
  return isMade ? 'a file was made at its destination' : undefined;
}

/** Makes calls that must be rejected, and expects them to have changed nothing. */
async function expectRefusedUndone(t: CheckContext): Promise<void> {
  const make = ([operation, fileList, options]: WrongCall): Promise<StorageReply> =>
    t.storage.call(operation, { fileList }, { ...options, acceptsRefusal: true });
  const victims = await makeVictims(t, 'kept');
  t.reach((await findChange(t, victims)) === undefined, 'an upload stores nothing');
  for (const call of Object.values(await toWrongCalls(t, victims))) {
    // Other rules cover a call that is not rejected.
    if (!(await make(call)).refused) return t.reach(false, 'a wrong call is not rejected');
  }
  t.expect(true, 'they changed nothing');
  if ((await findChange(t, victims)) === undefined) return;
  // Find out which of them changed something.
  for (const what of Object.keys(await toWrongCalls(t, victims))) {
    const others = await makeVictims(t, what.replaceAll(/\W+/g, '-'));
    const call = (await toWrongCalls(t, others))[what] as WrongCall;
    const reply = await make(call);
    const change = await findChange(t, others);
    const { status } = reply.received;
    const message = `${what} was rejected with ${status}, so it must change nothing, but ${change}`;
    t.expect(change === undefined, message, reply);
  }
}

export const storageRefusals: readonly Check[] = [
  defineCheck('ST-INVALID/1', [], (t) => ofEach((operation) => sendBroken(t, operation))),
  defineCheck('ST-INVALID/2', [], (t) => ofEach((operation) => sendWithoutEach(t, operation))),
  defineCheck('ST-INVALID/3', [], async (t) => {
    await ofEach((operation) => sendMistyped(t, operation));
    await ofEach((operation) => sendNested(t, operation));
    await expectLargeRefused(t, 'batchDelete');
  }),
  defineCheck('ST-REFUSED-UNDONE', needsFiles, expectRefusedUndone),
];
