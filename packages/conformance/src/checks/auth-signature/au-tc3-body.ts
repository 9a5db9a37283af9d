import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

/** Long enough that a gateway may pass the beginning on before it has seen the end. */
const LONG = 65_536;

export const auTc3Body = defineSignatureCheck('AU-TC3-BODY', (t, mark) => {
  const good = { path: '/body', headers: [JSON_TYPE] };
  const post = { ...good, path: `/body?mark=${mark}` };
  const signed = (text: string) => ({ instead: { body: Buffer.from(text) } });
  const long = (end: string) => JSON.stringify({ a: 'a'.repeat(LONG), end });
  return {
    good: {
      'POST of an object': { ...good, body: '{"a":1}' },
      'POST of Chinese': { ...good, body: '{"msg":"你好"}' },
      'POST of 64 KiB': { ...good, body: long('1') },
      // A gateway may want a body; a token shows whether this one does.
      ...(t.settings.gatewayToken && { 'POST without a body': { path: '/body', method: 'POST' } }),
    },
    bad: {
      'POST of one changed byte': { ...post, body: '{"a":2}', ...signed('{"a":1}') },
      'POST of an added space': { ...post, body: '{"a": 1}', ...signed('{"a":1}') },
      'POST of a body signed without one': { ...post, body: '{"a":1}', ...signed('') },
      'POST without the body that was signed': { ...post, body: '', ...signed('{"a":1}') },
      'POST of 64 KiB whose end is changed': { ...post, body: long('2'), ...signed(long('1')) },
    },
  };
});
