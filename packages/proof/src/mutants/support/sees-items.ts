import type { Hooks } from '../../proxy/messages.ts';

/** Has the proxy read the body of a request, for an `answer` hook that looks into it. */
export const seesItems: Pick<Hooks, 'request'> = { request: () => undefined };
