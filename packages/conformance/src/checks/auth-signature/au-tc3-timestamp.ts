import type { Tc3Parts } from '../../credentials/sign-tc3.ts';
import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

export const auTc3Timestamp = defineSignatureCheck('AU-TC3-TIMESTAMP', (_, mark) => {
  const path = `/time?mark=${mark}`;
  const later = (seconds: number) => (parts: Tc3Parts) => ({
    ...parts,
    Timestamp: String(Number(parts.Timestamp) + seconds),
  });
  return {
    bad: {
      'GET with a Timestamp one second later than signed': { path, change: later(1) },
      'GET with a Timestamp one second earlier than signed': { path, change: later(-1) },
      'GET with a Timestamp half a minute later than signed': { path, change: later(30) },
      'POST with a Timestamp one second later than signed': {
        ...{ path, headers: [JSON_TYPE], body: '{"a":1}' },
        change: later(1),
      },
    },
  };
});
