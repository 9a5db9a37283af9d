import type { AuthEnvironments } from './auth-environment.ts';
import { createKeyPair, type KeyPair, NOBODY } from './key-pair.ts';

const ID = /^[!-+\--.0-~]{1,256}$/;

/** The key pairs of all environments. */
export interface KeyPairs {
  /** That of the environment; else one of another environment; else one that nobody has. */
  find(id: string, env: string): KeyPair;
}

/** @throws TypeError for credentials that could never be used */
export function createKeyPairs(environments: AuthEnvironments): KeyPairs {
  const byId = new Map<string, Map<string, KeyPair>>();
  for (const [env, { credentials = [] }] of Object.entries(environments)) {
    for (const credential of credentials) {
      const { id, secret, token } = credential;
      const name = `The credential ${JSON.stringify(id)} of the environment ${env}`;
      if (!ID.test(id)) throw new TypeError(`${name} needs an id without /, comma and spaces.`);
      if (secret === '') throw new TypeError(`${name} has an empty secret.`);
      if (token !== undefined && !/^[!-+\--~]+$/.test(token)) {
        throw new TypeError(`${name} has a token that no header can carry.`);
      }
      const pairs = byId.get(id) ?? new Map<string, KeyPair>();
      if (pairs.has(env)) throw new TypeError(`${name} is there twice.`);
      byId.set(id, pairs.set(env, createKeyPair(env, credential)));
    }
  }
  return {
    find(id, env) {
      const pairs = byId.get(id);
      return pairs?.get(env) ?? pairs?.values().next().value ?? NOBODY;
    },
  };
}
