import type { Tc3Parts } from '../../credentials/sign-tc3.ts';
import { defineSignatureCheck, type NamedSignedCalls } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

const PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'] as const;

export const auTc3Form = defineSignatureCheck('AU-TC3-FORM', (_, mark) => {
  const path = `/form?mark=${mark}`;
  const post = { path, headers: [JSON_TYPE], body: '{"a":1}' };
  const bad: NamedSignedCalls = {
    'GET with nothing after TC3-HMAC-SHA256': { path, change: () => ({}) },
    'GET with a Credential that is the id alone': {
      path,
      change: ({ Credential, ...rest }) => ({
        Credential: Credential.split('/')[0] ?? '',
        ...rest,
      }),
    },
    'GET with a Credential without tc3_request': {
      path,
      change: ({ Credential, ...rest }) => ({
        Credential: Credential.split('/').slice(0, 3).join('/'),
        ...rest,
      }),
    },
  };
  for (const part of PARTS) {
    const lack = ({ [part]: _value, ...rest }: Tc3Parts) => rest;
    bad[`GET without ${part}`] = { path, change: lack };
    bad[`POST without ${part}`] = { ...post, change: lack };
    bad[`GET with an empty ${part}`] = { path, change: (parts) => ({ ...parts, [part]: '' }) };
  }
  return { good: { 'a GET': { path: '/form' }, 'a POST': { ...post, path: '/form' } }, bad };
});
