import { valueAt } from '../contract/openapi.ts';
import type { Exchange } from '../http/exchange.ts';
import { operationSkipReason } from './check-operation.ts';
import { createGenerator, type Draft } from './generate.ts';
import { UnusableSchema } from './load-document.ts';
import { findResponse, isSafe, type Link, type Operation } from './plan.ts';
import { type Address, findAddresses, type Session, toCollection } from './session.ts';

/** Maximum number of items that are read for each list. */
const MOST_READS = 2;

/** Statuses with which a server may respond to a request for an item that no longer exists. */
const GONE = [404, 410];

/**
 * Checks operations that depend on each other: lists and their items, the creation, reading and deletion of
 * an item, and links.
 */
export async function checkSequences(session: Session): Promise<void> {
  for (const operation of session.operations) {
    if (operationSkipReason(session, operation)) continue;
    try {
      if (operation.method === 'GET') await readListed(session, operation);
      if (operation.method === 'POST') await createAndDelete(session, operation);
      await followLinks(session, operation);
    } catch (error) {
      // The result of the operation reports it.
      if (!(error instanceof UnusableSchema)) throw error;
    }
  }
}

function report(
  { results }: Session,
  operation: Operation,
  exchange: Exchange,
  message: string | undefined,
): void {
  results.add(operation, { rule: 'DOC-SEQUENCE', where: operation.pointer, message }, exchange);
}

/** Calls an operation for one item, with only the required parameters and body. */
async function callItem(session: Session, operation: Operation, address: Address) {
  const generator = createGenerator(session.document, operation, session.run.settings.seed);
  const required = operation.parameters.filter(({ required }) => required).map(({ key }) => key);
  const [{ parameters = {}, ...content } = {}] = generator.valid(1);
  const kept = Object.entries(parameters).filter(([key]) => required.includes(key));
  const draft = { ...content, parameters: { ...Object.fromEntries(kept), ...address } };
  return session.send(operation, draft);
}

/** Checks that the items in a list can be read. */
async function readListed(session: Session, operation: Operation): Promise<void> {
  const list = session.operations.find(
    ({ method, path }) => method === 'GET' && path === toCollection(operation.path),
  );
  const { draft } = (list && session.succeeded.get(list)) ?? {};
  if (list === undefined || draft === undefined) return;
  const { received } = await session.send(list, draft);
  const addresses = findAddresses(list, operation, draft, received.json);
  for (const address of addresses.slice(0, MOST_READS)) {
    const exchange = await callItem(session, operation, address);
    const { status } = exchange.received;
    const message = `${list.id} returned this item, so reading it must succeed with a 2xx, but the status was ${status}`;
    report(session, operation, exchange, status < 300 ? undefined : message);
  }
}

/** Checks that a created item can be read, with the values that were sent, until it is deleted. */
async function createAndDelete(session: Session, operation: Operation): Promise<void> {
  const { operations, created, succeeded } = session;
  const find = (method: string) =>
    operations.find((each) => each.method === method && toCollection(each.path) === operation.path);
  const reading = find('GET');
  const { draft } = succeeded.get(operation) ?? {};
  if (reading === undefined || draft === undefined) return;
  const known = (created.get(reading.path) ?? []).map(toText);
  const creation = await session.send(operation, draft);
  const address = created.get(reading.path)?.find((each) => !known.includes(toText(each)));
  if (creation.received.status >= 300) return;
  if (address === undefined) {
    reportSameId(session, operation, reading, { draft, creation, known });
    return;
  }
  const read = await callItem(session, reading, address);
  const { status, json } = read.received;
  const changed = Object.entries(Object(draft.body)).find(
    ([name, value]) =>
      typeof value !== 'object' && name in Object(json) && Object(json)[name] !== value,
  );
  const difference =
    changed &&
    `${changed[0]} must be ${JSON.stringify(changed[1])}, as in the created item, not ${JSON.stringify(Object(json)[changed[0]])}`;
  const unread = `the created item must be readable, but GET returned ${status}`;
  report(session, operation, read, status < 300 ? difference : unread);
  const deleting = find('DELETE');
  if (deleting === undefined || operationSkipReason(session, deleting)) return;
  const deletion = await callItem(session, deleting, address);
  if (deletion.received.status >= 300) return;
  const others = created.get(reading.path)?.filter((each) => toText(each) !== toText(address));
  created.set(reading.path, others ?? []);
  const last = await callItem(session, reading, address);
  const isGone = GONE.includes(last.received.status);
  const message = `after deletion, GET must return 404 or 410, not ${last.received.status}`;
  report(session, deleting, last, isGone ? undefined : message);
}

/** RFC 9110, section 15.3.2: 201 means that "one or more new resources" were created. */
function reportSameId(
  session: Session,
  operation: Operation,
  reading: Operation,
  { draft, creation, known }: { draft: Draft; creation: Exchange; known: readonly string[] },
): void {
  const { status, json } = creation.received;
  const [address] = findAddresses(operation, reading, draft, json);
  if (status !== 201 || address === undefined || !known.includes(toText(address))) return;
  const id = Object.values(address).at(-1);
  // The caller may choose the ID, and the same request then replaces the item.
  if (Object.values(Object(draft.body)).includes(id)) return;
  const message = `each 201 must create an item with its own ID, but ${JSON.stringify(id)} came twice`;
  report(session, operation, creation, message);
}

const toText = (address: Address) => JSON.stringify(address);

/** Checks that following the links of a response does not lead to an error. */
async function followLinks(session: Session, operation: Operation): Promise<void> {
  const { draft, exchange: earlier } = session.succeeded.get(operation) ?? {};
  const links = earlier && findResponse(operation, earlier.received.status)?.links;
  if (draft === undefined || links === undefined || links.length === 0) return;
  // The item in the earlier response may have been deleted in the meantime.
  const exchange = await session.send(operation, draft);
  for (const link of links) {
    const target = session.operations.find(
      ({ operationId, pointer }) =>
        link.operation === operationId || link.operation.endsWith(pointer),
    );
    if (target === undefined || !isSafe(target.method)) continue;
    const address = toAddress(link, target, draft, exchange);
    if (address === undefined) continue;
    const followed = await callItem(session, target, address);
    const { status } = followed.received;
    const message = `following the link ${link.name} to ${target.id} must not result in an error, but the status was ${status}`;
    report(session, operation, followed, status < 400 ? undefined : message);
  }
}

/** Returns the parameters of a link, or `undefined` if one of them has no value. */
function toAddress(
  { parameters }: Link,
  target: Operation,
  draft: Draft,
  exchange: Exchange,
): Address | undefined {
  const entries = Object.entries(parameters).map(([name, expression]) => {
    const known = target.parameters.find(
      (each) => each.name === name || `${each.in}.${each.name}` === name,
    );
    return [known?.key, evaluate(expression, draft, exchange)] as const;
  });
  const isUsable = entries.every(([key, value]) => key !== undefined && value !== undefined);
  return isUsable ? Object.fromEntries(entries) : undefined;
}

/** Evaluates a runtime expression (OpenAPI 3.1, section 4.8.20.4); anything else is a constant. */
function evaluate(
  expression: unknown,
  { parameters, body }: Draft,
  { received }: Exchange,
): unknown {
  if (typeof expression !== 'string' || !expression.startsWith('$')) return expression;
  const [, part, name = ''] =
    /^\$(response\.body|request\.body|response\.header|request)[.#](.+)$/.exec(expression) ?? [];
  switch (part) {
    case 'response.body':
      return valueAt(received.json, name);
    case 'request.body':
      return valueAt(body, name);
    case 'response.header':
      return received.header(name);
    case 'request':
      return parameters[name.replace('.', ' ')];
    default:
      return undefined;
  }
}

/** Deletes the items that the run has created. Returns the paths of those that could not be deleted. */
export async function removeCreated(session: Session): Promise<string[]> {
  const left: string[] = [];
  for (const [path, addresses] of session.created) {
    const deleting = session.operations.find(
      (each) => each.method === 'DELETE' && each.path === path,
    );
    for (const address of addresses) {
      const usable = deleting && !operationSkipReason(session, deleting) ? deleting : undefined;
      const status =
        usable &&
        (await callItem(session, usable, address).catch(() => undefined))?.received.status;
      if (status !== undefined && (status < 300 || GONE.includes(status))) continue;
      left.push(path.replaceAll(/\{([^}]+)\}/g, (_, name) => String(address[`path ${name}`])));
    }
  }
  return left;
}
