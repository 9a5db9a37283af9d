import type { Middleware } from 'openapi-fetch';
import { defaultWireProfile, type WireProfile } from '../wire-profile.ts';
import { redact } from './redact.ts';

/** What an error needs to know of the call that led to an answer. */
export interface Call {
  readonly method: string;
  /** Path of the URL, without its query. */
  readonly path: string;
  /** Names of the deployment. */
  readonly profile: WireProfile;
  /** Takes the credentials of the call out of a text. */
  readonly redact: (text: string) => string;
}

const calls = new WeakMap<Response, Call>();

/** The call that led to an answer, also where its client has not remembered it. */
export function callOf(response: Response): Call {
  return (
    calls.get(response) ?? {
      method: 'call of',
      path: URL.canParse(response.url) ? new URL(response.url).pathname : 'an unknown path',
      profile: defaultWireProfile,
      redact: (text) => text,
    }
  );
}

/** Middleware that remembers the call of each answer for {@link callOf}. */
export function rememberCalls(profile: WireProfile, secretHeaders: readonly string[]): Middleware {
  return {
    onResponse({ request, response }) {
      const secrets = secretHeaders.map((name) => request.headers.get(name) ?? '');
      calls.set(response, {
        method: request.method,
        path: new URL(request.url).pathname,
        profile,
        redact: (text) => redact(text, secrets),
      });
    },
  };
}
