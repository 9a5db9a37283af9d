import { signature } from '../contract/defaults.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
import type { Auth } from './auth.ts';
import { createPresentAuth } from './present-auth.ts';

const BEARER = /^Bearer +\S+$/i;

/** Lets everybody in: what the routers want to see is put where it is missing. */
export function createOffAuth(profile: WireProfile): Auth {
  const { storageHeaders } = profile;
  const authorization = storageHeaders.authorization.toLowerCase();
  const timestamp = storageHeaders.timestamp.toLowerCase();
  const present = createPresentAuth(profile);
  return {
    ...present,
    gateway: { ...present.gateway, signature: () => ({ id: 'mock' }) },
    prepare({ headers }) {
      if (!isKnown(headers.authorization)) headers.authorization = 'Bearer mock';
      headers[authorization] ||= signature.storageVersion;
      if (!/^\d{1,12}$/.test(String(headers[timestamp]))) headers[timestamp] = '0';
    },
  };
}

function isKnown(value = ''): boolean {
  return BEARER.test(value) || value.startsWith(`${signature.algorithm} `);
}
