import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { Mutant } from './mutant.ts';
import { toStorageRefusal } from './support/refusals.ts';

const AUTHORIZATION = profile.storageHeaders.authorization.toLowerCase();

const { authorization, timestamp } = profile.storageHeaders;

const NAMES = Object.values(profile.storageHeaders);

const SESSION_TOKEN = profile.storageHeaders.sessionToken.toLowerCase();

const TIMESTAMP = profile.storageHeaders.timestamp.toUpperCase();

export const authStorage: readonly Mutant[] = [
  {
    rule: 'AU-STORAGE-AUTHORIZATION',
    breaks: 'links need no credential beside a time',
    companions: [],
    create: (context) => ({
      request({ operation, headers }) {
        if (operation !== 'batchGetTempUrls' || headers.get(authorization) !== undefined) return;
        if (headers.get(timestamp) === undefined) return;
        for (const [name, value] of Object.entries(context.storageHeaders()))
          headers.set(name, value);
      },
    }),
  },
  {
    rule: 'AU-STORAGE-AUTHORIZATION',
    breaks: 'the credential is refused under a name in small letters',
    companions: [],
    create: () => ({
      request({ operation, headers }) {
        const isRefused = headers.list.some(([name]) => name === AUTHORIZATION);
        return isRefused && operation === 'batchDelete'
          ? toStorageRefusal(401, 'SIGN_PARAM_INVALID')
          : undefined;
      },
    }),
  },
  {
    rule: 'AU-STORAGE-SESSION-TOKEN',
    breaks: 'the session token is refused under a name in small letters',
    companions: [],
    create: () => ({
      request({ operation, headers }) {
        const isRefused = headers.list.some(([name]) => name === SESSION_TOKEN);
        return isRefused && operation === 'getUploadMetaData'
          ? toStorageRefusal(401, 'SIGN_PARAM_INVALID')
          : undefined;
      },
    }),
  },
  {
    rule: 'AU-STORAGE-TIMESTAMP',
    breaks: 'the time is refused under a name in capitals',
    companions: [],
    create: () => ({
      request({ operation, headers }) {
        const isRefused = headers.list.some(([name]) => name === TIMESTAMP);
        return isRefused && operation === 'batchCopyFile'
          ? toStorageRefusal(401, 'SIGN_PARAM_INVALID')
          : undefined;
      },
    }),
  },
  {
    rule: 'AU-STORAGE-NONE',
    breaks: 'links need no credentials at all',
    companions: [],
    create: (context) => ({
      request({ operation, headers }) {
        const isBare = NAMES.every((name) => headers.get(name) === undefined);
        if (operation !== 'batchGetTempUrls' || !isBare) return;
        for (const [name, value] of Object.entries(context.storageHeaders()))
          headers.set(name, value);
      },
    }),
  },
  {
    rule: 'AU-STORAGE-WRONG',
    breaks: 'an unknown id of a copy is let in',
    companions: [],
    create: (context) => ({
      request({ operation, headers }) {
        const [, id] = /Credential=([^/]*)/.exec(headers.get(authorization) ?? '') ?? [];
        if (operation !== 'batchCopyFile' || id === undefined || id === context.keyPair.id) return;
        for (const [name, value] of Object.entries(context.storageHeaders()))
          headers.set(name, value);
      },
    }),
  },
  {
    rule: 'AU-STORAGE-WRONG',
    breaks: 'an empty credential is let in',
    companions: [],
    create: (context) => ({
      request({ operation, headers }) {
        if (operation !== 'batchDelete' || headers.get(authorization) !== '') return;
        for (const [name, value] of Object.entries(context.storageHeaders()))
          headers.set(name, value);
      },
    }),
  },
  {
    rule: 'AU-STORAGE-ENV',
    breaks: 'the environment of a deletion is not looked at',
    companions: [],
    create: (context) => ({
      request(request) {
        if (request.operation !== 'batchDelete') return;
        request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, context.env);
      },
    }),
  },
  {
    rule: 'AU-STORAGE-ENV',
    breaks: 'of the environment only the beginning is compared',
    companions: [],
    create: (context) => ({
      request(request) {
        const [, env] = /\/envs\/([^/]*)/.exec(request.target) ?? [];
        if (!env?.startsWith(context.env)) return;
        request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, context.env);
      },
    }),
  },
];
