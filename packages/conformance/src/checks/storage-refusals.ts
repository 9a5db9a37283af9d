import { type Arbitrary, constantFrom } from 'fast-check';
import type { CheckContext } from '../context/check-context.ts';
import {
  STORAGE_OPERATIONS,
  type StorageOperation,
  type StorageReply,
} from '../context/storage-client.ts';
import { NetworkFault } from '../http/health.ts';
import { type Check, defineCheck } from './check.ts';
import {
  brokenJson,
  isWrongType,
  lackingRequest,
  spellType,
  wrongTypeRequest,
} from './support/arbitraries.ts';
import { type ExpectOne, forAll } from './support/for-all.ts';
import {
  JSON_TYPES,
  type JsonType,
  listRequestPlaces,
  readRequestSchema,
  replaceAt,
  sampleRequest,
  spellPlace,
} from './support/requests.ts';

/** Sends a body that is wrong, and takes whatever comes. */
function callWrongly(
  t: CheckContext,
  operation: StorageOperation,
  body: string,
): Promise<StorageReply> {
  return t.storage.call(operation, {}, { body, acceptsRefusal: true });
}

/**
 * Checks the response to an invalid body: 'refused, never 5xx, in the documented error shape' (D30).
 *
 * @param what describes the body: `batchDelete, the body is an array`
 */
function expectRefusal(expect: ExpectOne, reply: StorageReply, what: string): void {
  const { status } = reply.received;
  expect(status < 500, `${what}: must be refused, and never with a 5xx such as ${status}`, reply);
  expect(reply.refused, `${what}: must be refused, not accepted with ${status}`, reply);
  const came = reply.envelope === undefined ? 'no JSON object' : 'a response without one';
  const hasCode = reply.code !== undefined;
  expect(hasCode, `${what}: ${status} must come in the envelope with a code, not ${came}`, reply);
}

const SIZE = 262_144;

/** A connection that is closed while a large body is still being sent is a refusal too. */
const CUT_OFF = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** Statuses of a server in front of the API, which may know nothing of the envelope. */
const TOO_LARGE = 413;

/** Sends a text of 256 KiB in place of a list. Limits of the size are not fixed, so any refusal will do. */
async function expectLargeRefused(t: CheckContext, operation: StorageOperation): Promise<void> {
  const what = `${operation}, fileList is a string of ${SIZE} bytes`;
  let reply: StorageReply;
  try {
    reply = await callWrongly(t, operation, t.storage.body({ fileList: 'a'.repeat(SIZE) }));
  } catch (error) {
    if (error instanceof NetworkFault && CUT_OFF.has(error.code)) return;
    throw error;
  }
  if (reply.received.status === TOO_LARGE) return;
  expectRefusal(t.expect, reply, what);
}

/** Deep enough for a parser that calls itself. */
const DEPTH = 10_000;

function toText(t: CheckContext, operation: StorageOperation): string {
  return t.storage.body(sampleRequest(t, operation));
}

/**
 * Not included: a byte order mark, which RFC 8259 lets a parser ignore; bytes that are not UTF-8, which
 * many parsers replace; and duplicate names, which are valid JSON.
 */
async function sendBroken(t: CheckContext, operation: StorageOperation): Promise<void> {
  const text = toText(t, operation);
  const number = t.storage.maxAge(60);
  const bodies: Record<string, string> = {
    nothing: '',
    'spaces alone': '  \n',
    'a word': 'nothing',
    'a form': 'path=a.txt&fileList=a.txt',
    XML: '<request><path>a.txt</path></request>',
    'a text cut in the middle': text.slice(0, Math.floor(text.length / 2)),
    'a text without its last character': text.slice(0, -1),
    'something after the end': `${text}x`,
    'two bodies': text + text,
    'a comma before the end': text.replace(/\}$/, ',}'),
    'single quotes': text.replaceAll('"', "'"),
    'names without quotes': text.replace(/"(\w+)":/g, '$1:'),
    'a comment': `${text}// end`,
    'a line break inside a string': text.replace('sample', 'sam\nple'),
    'an unknown escape': text.replace('sample', '\\x73ample'),
    [`${DEPTH} brackets that do not close`]: '['.repeat(DEPTH),
    [`${DEPTH} objects that do not close`]: '{"a":'.repeat(DEPTH),
  };
  if (operation === 'batchGetTempUrls') {
    for (const word of ['NaN', 'Infinity', '0x3C', '060', '.5']) {
      bodies[`${word} for a number`] = text.replace(`:${number}`, `:${word}`);
    }
  }
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(t.expect, reply, `${operation}, the body is not JSON (${what})`);
  }
}

async function sendWithoutEach(t: CheckContext, operation: StorageOperation): Promise<void> {
  const [required = ''] = readRequestSchema(operation).required;
  const others = required === 'path' ? sampleRequest(t, 'batchDelete') : { path: 'a.txt' };
  const inherited = JSON.parse(`{"__proto__":${JSON.stringify(sampleRequest(t, operation))}}`);
  const bodies = {
    'an empty object': '{}',
    'an empty object in the form that is accepted': t.storage.body({}),
    'an empty object as data': '{"data":{}}',
    'the field of another operation': t.storage.body(others),
    'a field that is unknown': t.storage.body({ unknown: 1 }),
    'the fields inside __proto__': t.storage.body(inherited),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(t.expect, reply, `${operation}, ${required} is missing (${what})`);
  }
}

/**
 * A value of a type, the one that a lax server takes most easily for the right one: `"60"` for a number,
 * an object for a string that it has.
 *
 * @param place the type that the contract wants
 * @param text a text that the field could hold
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

/** Every place with every wrong type; of a list the second item, as one that looks at the first misses it. */
async function sendMistyped(t: CheckContext, operation: StorageOperation): Promise<void> {
  const request = sampleRequest(t, operation);
  const text = t.storage.path('sample.txt');
  const places = listRequestPlaces(readRequestSchema(operation), request);
  for (const place of places.filter(({ path }) => !path.includes(0))) {
    for (const type of JSON_TYPES.filter((one) => isWrongType(place, one))) {
      const fields = replaceAt(request, place.path, toLaxValue(type, place.type, text));
      const fault = `${operation}, ${spellPlace(place.path)} is ${spellType(type)}`;
      const isBody = place.path.length === 0;
      // No object at all is wrong in both forms of a request.
      const bodies = [t.storage.body(fields), ...(isBody ? [JSON.stringify(fields)] : [])];
      for (const body of new Set(bodies)) {
        expectRefusal(t.expect, await callWrongly(t, operation, body), fault);
      }
    }
  }
}

/** Lists so deep that careless code ends in a 5xx. */
async function sendNested(t: CheckContext, operation: StorageOperation): Promise<void> {
  const [field = ''] = readRequestSchema(operation).required;
  const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
  const body = t.storage.body({ [field]: 'DEEP' }).replace('"DEEP"', deep);
  const nested = await callWrongly(t, operation, body);
  expectRefusal(t.expect, nested, `${operation}, ${field} is an array nested ${DEPTH} deep`);
  const whole = await callWrongly(t, operation, deep);
  expectRefusal(t.expect, whole, `${operation}, the body is an array nested ${DEPTH} deep`);
}

/** Bad requests of any operation, generated. */
async function sendGenerated(
  t: CheckContext,
  toRequest: (operation: StorageOperation) => Arbitrary<{ body: string; fault: string }>,
): Promise<void> {
  const requests = constantFrom(...STORAGE_OPERATIONS).chain((operation) =>
    toRequest(operation).map((request) => ({ operation, ...request })),
  );
  await forAll(t, requests, async ({ operation, body, fault }, expect) => {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(expect, reply, `${operation}, ${fault}`);
  });
}

async function ofEach(send: (operation: StorageOperation) => Promise<void>): Promise<void> {
  await Promise.all(STORAGE_OPERATIONS.map(send));
}

export const storageRefusals: readonly Check[] = [
  defineCheck('ST-BAD-JSON', [], async (t) => {
    await ofEach((operation) => sendBroken(t, operation));
    await sendGenerated(t, (operation) =>
      brokenJson(toText(t, operation)).map((body) => ({ body, fault: 'the body is not JSON' })),
    );
  }),
  defineCheck('ST-MISSING-FIELD', [], async (t) => {
    await ofEach((operation) => sendWithoutEach(t, operation));
    await sendGenerated(t, (operation) =>
      lackingRequest(operation).map(({ fields, fault }) => ({
        body: t.storage.body(fields),
        fault,
      })),
    );
  }),
  defineCheck('ST-WRONG-TYPE', [], async (t) => {
    await ofEach((operation) => sendMistyped(t, operation));
    await ofEach((operation) => sendNested(t, operation));
    await expectLargeRefused(t, 'batchDelete');
    await sendGenerated(t, (operation) =>
      wrongTypeRequest(t, operation).map(({ fields, fault }) => ({
        body: t.storage.body(fields),
        fault,
      })),
    );
  }),
];
