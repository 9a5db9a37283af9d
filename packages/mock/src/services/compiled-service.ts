import type { Answerer } from './answers/route-context.ts';
import type { RouteKey } from './routes/route-key.ts';
import type { Opener } from './web-socket/prepare-web-socket.ts';

/** A service whose calls can be answered. */
export interface CompiledService {
  readonly name: string;
  /** The most exact first. */
  readonly routes: readonly CompiledRoute[];
  readonly proxy: URL | undefined;
  readonly state: { readonly code: string; readonly ms?: number } | undefined;
  /** Its HTTP calls are answered with the contract's example. */
  readonly isExample: boolean;
}

export type CompiledRoute = RouteParts &
  (
    | { readonly method: 'GET' | 'POST'; readonly answer: Answerer }
    | { readonly method: 'WS'; readonly open: Opener }
  );

interface RouteParts {
  /** As it stands in the definition. */
  readonly text: string;
  readonly key: RouteKey;
}
