import { STORAGE_REQUESTS } from '../../generated/msw.gen.ts';
import { isRecord, parseJson } from '../../internal/json.ts';

import type { StorageOperation } from '../../internal/storage-context.ts';
import type { MswContext } from '../context.ts';
import { storageError } from './storage-error.ts';

/** The fields of a storage request at the top level, or the error that it gets. */
export async function readRequest(
  operation: StorageOperation,
  request: Request,
  { profile: { storageHeaders }, envId }: MswContext,
): Promise<{ body: unknown } | { refusal: Response }> {
  const refuse = (...error: Parameters<typeof storageError>) => ({
    refusal: storageError(...error),
  });
  // "Storage calls without credentials … are refused" (D30).
  for (const name of [storageHeaders.authorization, storageHeaders.timestamp]) {
    const message = `The header ${name} is missing.`;
    if (!request.headers.get(name)) return refuse('SIGN_PARAM_INVALID', { message });
  }
  if (!request.url.includes(`/envs/${encodeURIComponent(envId)}/`)) {
    return refuse('INVALID_ENV', { message: `These handlers have the environment ${envId} only.` });
  }
  if (!/^application\/json *(;|$)/i.test(request.headers.get('Content-Type') ?? '')) {
    return refuse('UNSUPPORTED_MEDIA_TYPE');
  }
  const given = parseJson(await request.clone().text());
  const body = isRecord(given) && 'data' in given ? given.data : given;
  const fault = findFault(body, STORAGE_REQUESTS[operation], 'The body');
  return fault ? refuse('INVALID_PARAM', { message: fault }) : { body };
}

interface Shape {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** The first wrong JSON type or missing field; unknown fields are ignored. */
function findFault(value: unknown, shape: Shape, name: string): string | undefined {
  const { type, required = [], properties = {}, items } = shape;
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (type && actual !== type) return `${name} must be of type ${type}.`;
  if (items)
    return first(value as unknown[], (item, at) => findFault(item, items, `${name}[${at}]`));
  if (!isRecord(value)) return undefined;
  const missing = required.find((field) => value[field] === undefined);
  if (missing) return `${name} must have the field ${missing}.`;
  return first(Object.entries(properties), ([field, inner]) =>
    value[field] === undefined ? undefined : findFault(value[field], inner, field),
  );
}

function first<Item>(
  items: readonly Item[],
  find: (item: Item, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
