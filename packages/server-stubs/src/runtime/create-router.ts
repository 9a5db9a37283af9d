import type { Handlers } from './handler.ts';
import type { RouterOptions } from './options.ts';
import type { RouteTable } from './route-table.ts';
import type { Router } from './router.ts';

export function createRouter(
  _table: RouteTable,
  _handlers: Handlers,
  _options: RouterOptions = {},
): Router {
  throw new Error('not yet');
}
