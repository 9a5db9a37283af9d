import type { RequestListener } from 'node:http';
import type { Context } from './context.ts';

/** Path under which the mock serves itself: the control API and the inspector. */
const OWN_ROOT = '/__mock';

/** Whether a request is for the mock itself, and not for what it mocks. */
export function isOwnPage(target: string): boolean {
  if (!target.startsWith(OWN_ROOT)) return false;
  const next = target[OWN_ROOT.length];
  return next === undefined || next === '/' || next === '?';
}

/** Leads to the control API and the inspector, which are loaded when somebody asks for them. */
export function createOwnPages(
  context: Context,
): (...given: Parameters<RequestListener>) => Promise<void> {
  let loaded: Promise<RequestListener> | undefined;
  return async (request, response) => {
    loaded ??= load(context);
    (await loaded)(request, response);
  };
}

async function load(context: Context): Promise<RequestListener> {
  const [{ createControl }, { createInspector }] = await Promise.all([
    import('./control/create-control.ts'),
    import('./inspector/create-inspector.ts'),
  ]);
  return createControl(context, createInspector(`${OWN_ROOT}/`));
}
