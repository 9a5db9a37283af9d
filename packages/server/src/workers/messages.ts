import type { Config } from '../config/config.ts';

/** What the primary process asks of a worker. */
export type Ask =
  | { readonly ask: 'start'; readonly config: Config; readonly workers: number }
  | { readonly ask: 'reload'; readonly config: Config }
  | { readonly ask: 'metrics' }
  | { readonly ask: 'unreadiness' }
  | { readonly ask: 'close' };

/** A question on its way, and its answer; both carry the same number. */
export type Asked = Ask & { readonly berth: number };

export interface Answered {
  readonly berth: number;
  readonly answer?: unknown;
  readonly error?: { readonly message: string; readonly code?: string; readonly fields: object };
}

export function isAsked(message: unknown): message is Asked {
  return typeof message === 'object' && message !== null && 'berth' in message && 'ask' in message;
}

export function isAnswered(message: unknown): message is Answered {
  return typeof message === 'object' && message !== null && 'berth' in message;
}
