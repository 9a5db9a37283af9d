import {
  createStorageRouter,
  type Router,
  type StorageCall,
  type StorageHandlers,
  type StorageOperationId,
} from '@berth/server-stubs';
import type { StorageCaller } from '@berth/server-stubs/engine';
import type { Context } from '../context.ts';
import { idsOf, operations, toFlatSchema } from '../contract/contract.ts';
import { recordOf } from '../session/call-record.ts';
import type { Auth } from './auth/auth.ts';
import { consult, preferencesOf } from './consult.ts';
import { toRouterOptions } from './router-options.ts';

type Act = (
  input: unknown,
  call: Pick<StorageCall<StorageCaller>, 'envId' | 'caller' | 'request' | 'requestId'>,
) => unknown;

/**
 * Creates the storage API for a session's files. For calls with `Prefer`, it returns the contract's examples.
 */
export function createStorage(context: Context, auth: Auth): Router {
  const { env } = context.options;

  const handle = (id: StorageOperationId) => (input: unknown, call: StorageCall) => {
    const { request, requestId, envId } = call;
    const record = recordOf(request);
    record.operationId = id;
    const preferences = preferencesOf(call, 'storage', context);
    if (preferences !== undefined) return consult(context, call, 'storage', preferences);
    const act = record.session.storage.storage[id] as Act;
    return act(input, { envId, caller: { env, id: 'mock' }, request, requestId });
  };

  const ids = idsOf('storage') as StorageOperationId[];
  const handlers = Object.fromEntries(ids.map((id) => [id, handle(id)]));
  return createStorageRouter(handlers as unknown as StorageHandlers, {
    ...toRouterOptions(context),
    env,
    security: auth.storage,
  });
}

/**
 * Returns the patterns that apply to each item of a batch rather than to the call (`x-berth-item-pattern`),
 * by the name of the item's field. A value that does not match fails only its item.
 */
export function itemPatternsOf(id: string): Map<string, RegExp> {
  const body = operations.find((operation) => operation.id === id)?.body;
  const lists = Object.values(body ? (toFlatSchema(body).properties ?? {}) : {});
  const fields = lists.flatMap((list) => Object.entries(list.items?.properties ?? {}));
  return new Map(
    fields.flatMap(([name, { 'x-berth-item-pattern': pattern }]) =>
      pattern === undefined ? [] : [[name, new RegExp(pattern, 'u')] as const],
    ),
  );
}
