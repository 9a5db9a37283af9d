import type { Handler, Handlers } from '../runtime/index.ts';

/** Wraps each handler that is there; one that is left out stays out, and so answers 501. */
export function toHandlers<Given>(
  handlers: Readonly<Record<string, Given | undefined>>,
  toHandler: (handler: Given, operationId: string) => Handler,
): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).flatMap(([operationId, handler]) =>
      handler === undefined ? [] : [[operationId, toHandler(handler, operationId)]],
    ),
  );
}
