import { randomUUID } from 'node:crypto';
import type { Resource } from '../../contract/oracle/create-oracle.ts';
import { originOf } from '../../util/host.ts';
import { isObject } from '../../util/values.ts';
import { type MockedResponse, type RouteContext, toMessageResponse } from '../services.ts';
import { type Documented, type Remember, withBody } from './operation.ts';

type Item = Readonly<Record<string, unknown>>;

/** A collection that a document describes with two paths: `/items` and `/items/{id}`. */
interface Collection {
  readonly param: string;
  /** The property that contains an item's ID, and its schema. */
  readonly key: string;
  readonly keySchema: Item;
  /**
   * The property of the list response that contains the items; undefined if the response is the list itself.
   */
  readonly listKey: string | undefined;
  /** Properties that every item must have. */
  readonly required: readonly string[];
  /** The items in the document's examples. */
  readonly examples: readonly Item[];
}

/** Limits on what a service remembers in each session. */
const MAX_ITEMS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Finds the collections in a document by its paths and schemas. */
export function findCollections(resources: readonly Resource[]): {
  readonly actions: ReadonlyMap<Resource, Remember>;
  readonly names: readonly string[];
  /** The ID of an item, for calls that print it. */
  readonly ids: ReadonlyMap<Resource, unknown>;
} {
  const byPath = new Map<string, Resource[]>();
  for (const resource of resources) {
    byPath.set(resource.path, [...(byPath.get(resource.path) ?? []), resource]);
  }
  const actions = new Map<Resource, Remember>();
  const names: string[] = [];
  const ids = new Map<Resource, unknown>();
  for (const [path, ofItem] of byPath) {
    const [, parent = '', param = ''] = /^(\/.*[^/])\/\{([^{}]+)\}$/.exec(path) ?? [];
    const ofList = byPath.get(parent) ?? [];
    const collection = toCollection(param, ofList, ofItem);
    if (collection === undefined) continue;
    const found = [...ofList, ...ofItem].flatMap((resource) => {
      const place = ofList.includes(resource) ? 'list' : 'item';
      const act = ACTIONS[`${resource.method.toLowerCase()} ${place}`];
      if (act === undefined) return [];
      const wantsUri = hasUriLocation(resource);
      actions.set(resource, (context, body, documented) => {
        const own = place === 'list' ? undefined : context.params[param];
        const { request, rawPath } = context.call;
        const origin = wantsUri ? originOf(request) : undefined;
        return act({
          collection,
          id: own,
          body,
          documented,
          url: origin && origin + rawPath,
          ...memoryOf(context, collection, own),
        });
      });
      return [resource.method.toUpperCase()];
    });
    const { examples, key } = collection;
    for (const resource of ofItem) ids.set(resource, examples[0]?.[key] ?? 1);
    names.push(`${parent.slice(1)} (${[...new Set(found)].join(', ')})`);
  }
  return { actions, names, ids };
}

function toCollection(
  param: string,
  ofList: readonly Resource[],
  ofItem: readonly Resource[],
): Collection | undefined {
  const find = (from: readonly Resource[], method: string) =>
    from.find((resource) => resource.method.toLowerCase() === method);
  const list = contentOf(find(ofList, 'get'));
  const one = contentOf(find(ofItem, 'get'));
  const changes = [find(ofList, 'post'), ...['put', 'patch', 'delete'].map((m) => find(ofItem, m))];
  if ((list ?? one) === undefined || changes.every((change) => change === undefined))
    return undefined;
  const lists = isList(list?.schema)
    ? [[undefined, list?.schema] as const]
    : Object.entries(propertiesOf(list?.schema)).filter(([, schema]) => isList(schema));
  const [[listKey, listSchema] = []] = lists;
  if (list !== undefined && lists.length !== 1) return undefined;
  const schema = one?.schema ?? (listSchema as Item | undefined)?.items;
  const properties = propertiesOf(schema);
  const key = [param, 'id', '_id'].find((name) => isObject(properties[name]));
  if (key === undefined) return undefined;
  const listed = listKey === undefined ? list?.example : (list?.example as Item)?.[listKey];
  const examples = [listed, one?.example].flat().filter(isObject) as Item[];
  return {
    param,
    key,
    keySchema: properties[key] as Item,
    listKey,
    required: requiredOf(schema),
    examples: examples.filter((example) => example[key] !== undefined),
  };
}

/** Returns whether the schema of the `Location` header of a success does not allow a relative reference. */
function hasUriLocation({ responses }: Resource): boolean {
  const headers = responses.flatMap(({ code, headers = [] }) => (/^2/.test(code) ? headers : []));
  return headers.some(
    ({ name, schema }) =>
      name.toLowerCase() === 'location' && /^(uri|url|iri)$/.test(String(schema?.format)),
  );
}

/** Returns the JSON content of the first successful response. */
function contentOf(resource: Resource | undefined) {
  const success = resource?.responses
    .filter(({ code }) => /^2/.test(code))
    .sort((one, other) => (one.code < other.code ? -1 : 1))[0];
  const content = success?.contents?.find(({ mediaType }) => /\bjson\b/.test(mediaType));
  const [example] = content?.examples ?? [];
  return content && { schema: content.schema, example: (example as { value?: unknown })?.value };
}

function isList(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'array';
}

function partsOf(schema: unknown): Item[] {
  if (!isObject(schema)) return [];
  return [schema, ...(Array.isArray(schema.allOf) ? schema.allOf.flatMap(partsOf) : [])];
}

function propertiesOf(schema: unknown): Item {
  return Object.assign({}, ...partsOf(schema).map(({ properties }) => properties));
}

function requiredOf(schema: unknown): string[] {
  return partsOf(schema).flatMap(({ required }) => (Array.isArray(required) ? required : []));
}

interface Memory {
  readonly collections: Map<string, Map<string, Item>>;
  bytes: number;
}

/** Returns the items at a path in the session of a call, as text by ID. */
function memoryOf({ input, memory }: RouteContext, { examples, key }: Collection, id?: string) {
  const all = memory();
  const known = all.get(MEMORY) as Memory | undefined;
  const kept: Memory = known ?? { collections: new Map(), bytes: 0 };
  all.set(MEMORY, kept);
  const path = id === undefined ? input.anyPath : input.anyPath.replace(/\/[^/]*$/, '');
  let items = kept.collections.get(path);
  if (items === undefined) {
    items = new Map(examples.map((example) => [String(example[key]), example]));
    if (kept.collections.size < MAX_ITEMS) kept.collections.set(path, items);
    for (const item of items.values()) kept.bytes += sizeOf(item);
  }
  return { kept, items, path };
}

const MEMORY = 'remembered collections';

interface Action extends ReturnType<typeof memoryOf> {
  readonly collection: Collection;
  /** Undefined for the collection itself. */
  readonly id: string | undefined;
  readonly body: unknown;
  readonly documented: Documented;
  /** The URL that was called, if `Location` must be a URL. */
  readonly url: string | undefined;
}

/** The action that each method performs on a collection or on one of its items. */
const ACTIONS: Readonly<Record<string, (action: Action) => ReturnType<Remember>>> = {
  'get list': ({ collection: { listKey }, items, documented }) => {
    const list = [...items.values()];
    if (listKey === undefined) return withBody(documented, list);
    return withBody(documented, { ...(documented.body as object), [listKey]: list });
  },
  'get item': (action) => withItem(action, (item) => withBody(action.documented, item)),
  'post list': (action) => {
    const { collection, body, items, documented, path, url = `/${path}` } = action;
    if (!isObject(body)) return documented;
    const id = body[collection.key] ?? createId(collection.keySchema, items);
    const refusal = keep(action, String(id), { ...body, [collection.key]: id });
    if (refusal !== undefined) return refusal;
    const location = `${url}/${encodeURIComponent(String(id))}`;
    const headers = documented.headers.location ? { location } : {};
    return toChanged(action, String(id), { ...documented.headers, ...headers });
  },
  'put item': (action) => change(action, {}),
  'patch item': (action) => change(action, action.items.get(action.id ?? '') ?? {}),
  'delete item': (action) =>
    withItem(action, (item) => {
      action.items.delete(action.id ?? '');
      action.kept.bytes -= sizeOf(item);
      return isObject(action.documented.body)
        ? withBody(action.documented, item)
        : action.documented;
    }),
};

function withItem(action: Action, act: (item: Item) => ReturnType<Remember>): ReturnType<Remember> {
  const { items, id = '', path, collection } = action;
  const item = items.get(id);
  if (item !== undefined) return act(item);
  return { missing: `/${path} has no item with the ${collection.param} ${JSON.stringify(id)}.` };
}

function change(action: Action, before: Item): ReturnType<Remember> {
  const { body, id = '', collection, documented } = action;
  return withItem(action, (item) => {
    if (!isObject(body)) return documented;
    const next = { ...before, ...body, [collection.key]: item[collection.key] };
    return keep(action, id, next) ?? toChanged(action, id, documented.headers);
  });
}

/** Stores an item. Returns a refusal if there is no space. */
function keep(action: Action, id: string, given: Item): MockedResponse | undefined {
  const { collection, documented, items, kept } = action;
  const standard = isObject(documented.body) ? documented.body : {};
  const missing = collection.required.filter((name) => !(name in given) && name in standard);
  const item = { ...Object.fromEntries(missing.map((name) => [name, standard[name]])), ...given };
  const before = items.get(id);
  const count = [...kept.collections.values()].reduce((sum, { size }) => sum + size, 0);
  const bytes = kept.bytes - (before ? sizeOf(before) : 0) + sizeOf(item);
  if ((before === undefined && count >= MAX_ITEMS) || bytes > MAX_BYTES) {
    const message = `The mock remembers at most ${MAX_ITEMS} items and ${MAX_BYTES} bytes: delete items, or reset the session.`;
    return toMessageResponse(507, message);
  }
  items.set(id, item);
  kept.bytes = bytes;
  return undefined;
}

/** Returns the response to a change, which is the item if the document describes such a response. */
function toChanged(
  { documented, items, collection }: Action,
  id: string,
  headers: Documented['headers'],
) {
  const hasItem = isObject(documented.body) && collection.key in documented.body;
  return withBody({ ...documented, headers }, hasItem ? items.get(id) : documented.body);
}

function sizeOf(item: Item): number {
  return JSON.stringify(item).length;
}

function createId({ type, format }: Item, items: ReadonlyMap<string, Item>): string | number {
  if (format === 'uuid') return randomUUID();
  const numbers = [...items.keys()].map(Number).filter(Number.isSafeInteger);
  const next = Math.max(0, ...numbers) + 1;
  return [type].flat().some((name) => name === 'integer' || name === 'number')
    ? next
    : String(next);
}
