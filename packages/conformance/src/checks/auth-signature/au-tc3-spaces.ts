import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

export const auTc3Spaces = defineSignatureCheck('AU-TC3-SPACES', () => {
  const path = '/spaces';
  const post = { path, headers: [JSON_TYPE], body: '{"a":1}' };
  return {
    good: {
      'GET with a space after the commas': { path, separator: ', ' },
      'GET without a space after the commas': { path, separator: ',' },
      'POST with a space after the commas': { ...post, separator: ', ' },
      'POST without a space after the commas': { ...post, separator: ',' },
    },
  };
});
