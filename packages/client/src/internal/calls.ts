/** What is kept of the call that led to an answer. */
export interface RememberedCall {
  readonly method: string;
  readonly url: string;
  /** Header that carries the hosted service's own status (D10). */
  readonly upstreamStatus?: string | undefined;
  /** Credentials that were sent. */
  readonly secrets: () => readonly string[];
}

/** An answer of `fetch`, of `XMLHttpRequest` or of `node:http`. */
export interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly url?: string;
}

const calls = new WeakMap<Answer, RememberedCall>();

/** Keeps the call of an answer that is handed out, for {@link rememberedCall}. */
export function rememberCall<T extends Answer>(answer: T, call: RememberedCall): T {
  calls.set(answer, call);
  return answer;
}

/** The call that led to an answer, also where its client has not kept it. */
export function rememberedCall(answer: Answer): RememberedCall {
  return (
    calls.get(answer) ?? {
      method: 'call of',
      url: answer.url || 'an unknown path',
      secrets: () => [],
    }
  );
}

/** Path of an address, without its query, which may hold a signature. */
export function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') || '/';
}
